import type { Contents, ImportReport } from '../../inventory/index.ts'
import type { Command } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { shownCounts } from './counts.ts'
import { tellWorkspaceStore } from './shown-store.ts'

/** How many documents that were left alone, or can't be mended, are named. */
const namedMax = 20

export const importStore: Command = {
  name: 'import',
  about: 'put the documents of an export into a store, and make its indexes',
  details:
    'From stdin, or from a file. It is read to its end before anything is written, so that half an export changes nothing. A store that has documents of the same model is refused; with --merge what is there stays as it is, also where the export has it otherwise, and is told. Let nobody work on the store meanwhile.',
  arguments: [{ name: 'FILE', about: 'where from; - or nothing for stdin', isOptional: true }],
  options: { merge: { about: 'add to what is there, and leave that alone' } },
  examples: [
    'holdfast import tasks.ndjson --store nats://localhost:4222',
    'holdfast export --store sqlite:a.db | holdfast import --store sqlite:b.db',
  ],
  creates: true,
  async run(context) {
    const { checkedExport, imported } = await import('../../inventory/index.ts')
    const { openSource } = await import('./import-source.ts')
    await using source = await openSource(context)
    const contents = await checkedExport(source.chunks())
    // Only now: a file that is none must not leave an empty store behind.
    await using store = await context.openStore()
    await tellWorkspaceStore(context)
    const merge = context.args.has('merge')
    const report = await imported(store, contents, source.chunks(), { merge })
    tell(context, contents, report)
  },
}

function tell({ out }: Context, { models }: Contents, report: ImportReport): void {
  const { documents, written, same, kept, keptKeys, left } = report
  const there = [
    ...(same > 0 ? [`${same} were there already`] : []),
    ...(kept > 0 ? [`${kept} were there otherwise, and were left alone`] : []),
  ]
  const also = there.length === 0 ? '' : `; ${there.join('; ')}`
  out.confirm({
    kind: 'import',
    data: { documents, models, written, same, kept, left },
    lines: [`Imported ${written} of ${shownCounts(documents, models)}${also}.`],
  })
  for (const key of keptKeys.slice(0, namedMax)) out.warn(`left alone: ${key}`)
  if (kept > namedMax) out.warn(`${namedMax} of ${kept} are named.`)
  for (const what of left.slice(0, namedMax)) out.warn(what)
  if (left.length > namedMax) out.warn(`${namedMax} of ${left.length} are named.`)
}
