import type { Contents, Exported, ImportReport } from '../../inventory/index.ts'
import type { Store } from '../../store/internal.ts'
import { oneLine } from '../../terminal/index.ts'
import type { Command } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { UsageError } from '../program/error.ts'
import type { Output } from '../program/output.ts'
import { noteWorkspaceStore } from '../program/store-choice.ts'

export const exportStore: Command = {
  name: 'export',
  about: 'write all documents of a store as lines of JSON',
  details:
    'To stdout, or to a file, which appears when it is whole. Indexes are not in it: "holdfast import" makes them anew. Others may go on working: of a SQLite file the export is of one moment; elsewhere each document is, and those that changed meanwhile are named.',
  arguments: [{ name: 'FILE', about: 'where to; - or nothing for stdout', isOptional: true }],
  options: { force: { about: 'write over a file that is there' } },
  examples: ['holdfast export tasks.ndjson', 'holdfast export | gzip > tasks.ndjson.gz'],
  async run(context) {
    const [file = '-'] = context.args.words
    if (file === '') throw context.usageError('FILE is empty.', 'Name a file, or - for stdout.')
    if (file === '-' && context.out.isJson)
      throw context.usageError(
        '--json and an export would both go to stdout.',
        'Name a file for the export.',
      )
    const { url } = await context.storeChoice()
    await using store = await context.openStore()
    const kind = url.slice(0, url.indexOf(':'))
    await noteWorkspaceStore(context)
    if (file === '-') await toStdout(context, store, kind)
    else await toFile(context, store, kind, file)
  },
}

async function toStdout({ io, out }: Context, store: Store, kind: string): Promise<void> {
  const done = await writeDocuments(store, kind, async (text) => io.stdout.writeUnchanged(text))
  out.note(`Exported ${shownCounts(done.documents, done.models)}.`)
  warnOfLimits(out, done)
}

async function toFile(context: Context, store: Store, kind: string, file: string): Promise<void> {
  const { open, rename, rm } = await import('node:fs/promises')
  const { resolve } = await import('node:path')
  const path = resolve(context.io.cwd(), file)
  await checkFree(context, path)
  const partial = `${path}.${process.pid}.part`
  // What tasks say is nobody else's business.
  const handle = await open(partial, 'wx', 0o600).catch((error) => {
    throw unwritable(path, error)
  })
  try {
    const done = await writeDocuments(store, kind, async (text) => {
      await handle.appendFile(text).catch((error) => {
        throw unwritable(path, error)
      })
    })
    await handle.sync()
    await rename(partial, path)
    const { documents, models, changing = 0, changingKeys } = done
    context.out.confirm({
      kind: 'export',
      data: { file: path, documents, models, changing, changing_keys: changingKeys },
      lines: [`Exported ${shownCounts(documents, models)} to ${oneLine(file)}.`],
    })
    warnOfLimits(context.out, done)
  } finally {
    await handle.close()
    await rm(partial, { force: true })
  }
}

/** Says where an export is not of one moment. */
function warnOfLimits(out: Output, { changing = 0, changingKeys }: Exported): void {
  if (changing > 0) {
    const more = changing - changingKeys.length
    const named = `${changingKeys.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
    out.warn(
      `${shownCounts(changing, {})} changed meanwhile, so not all is of one moment: ${named}. For one moment of everything, export while nobody writes.`,
    )
  }
}

async function checkFree(context: Context, path: string): Promise<void> {
  const { lstat } = await import('node:fs/promises')
  const there = await lstat(path).catch(() => null)
  if (there?.isDirectory()) throw context.usageError(`${path} is a folder.`, 'Name a file.')
  if (!there || context.args.has('force')) return
  throw context.usageError(`${path} is there already.`, 'Name another file, or give --force.')
}

const unwritable = (path: string, error: Error): UsageError =>
  new UsageError(`${path} can't be written: ${error.message}.`, 'Name another file.')

async function writeDocuments(
  store: Store,
  kind: string,
  write: (text: string) => Promise<void>,
): Promise<Exported> {
  const { exported } = await import('../../inventory/index.ts')
  const texts = exported(store, { kind, at: Date.now() })
  for (;;) {
    const { done, value } = await texts.next()
    if (done) return value
    await write(value)
  }
}

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
    await noteWorkspaceStore(context)
    const merge = context.args.has('merge')
    const report = await imported(store, contents, source.chunks(), { merge })
    showReport(context, contents, report)
  },
}

function showReport({ out }: Context, { models }: Contents, report: ImportReport): void {
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

/** How many documents, and of which models: `47 documents (12 list, 35 plan)`. */
function shownCounts(documents: number, models: Readonly<Record<string, number>>): string {
  const parts = Object.entries(models).map(([model, count]) => `${count} ${model}`)
  const named = parts.length === 0 ? '' : ` (${parts.join(', ')})`
  return `${documents} ${documents === 1 ? 'document' : 'documents'}${named}`
}
