import type { HistoryEntry } from '../../../tree/internal.ts'
import type { Command } from '../../program/command.ts'
import type { Context } from '../../program/context.ts'
import { fittedTo, type Measure, measureFor } from '../../program/display-width.ts'
import { oneLine } from '../../program/printable.ts'
import { typed } from '../../program/typed.ts'
import { pageExclusive, pageOf, pageOptions } from '../query.ts'
import { checkedPrefix, idArgument, idOf, library, withTree } from '../tree.ts'

export const history: Command = {
  name: 'history',
  about: 'show what was changed, by whom and when, the newest first',
  arguments: [idArgument],
  options: {
    field: { value: 'FIELD', about: 'only changes of one field, as status' },
    since: { value: 'TIME', about: 'only from then on, as 2026-01-31 or 2026-01-31T12:00:00Z' },
    ...pageOptions,
  },
  exclusive: pageExclusive,
  examples: ['coven task history 019a8b5c --field status'],
  async run(context) {
    const { args, out } = context
    const { limit, offset } = pageOf(context)
    const given = await conditionsOf(context)
    const prefix = await checkedPrefix(args.words[0])
    const entries = await withTree(context, async (tree) =>
      tree.history(await idOf(tree, prefix), given),
    )
    const shown = entries.slice(offset, offset + limit)
    const rows = shown.map(rowOf)
    const columns = await out.columns()
    const measure = columns === null ? null : await measureFor(rows.flat())
    out.answer({
      kind: 'history',
      data: shown,
      total: entries.length,
      lines: rows.flatMap((row) =>
        measure ? fitted(row, columns as number, measure) : row.join(gap),
      ),
    })
    if (entries.length === 0 && (await out.isForEyes())) out.note('Nothing was changed.')
  },
}

const time = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/i

/** What can never be is refused before the store is opened. */
async function conditionsOf(context: Context) {
  const { historyFields } = await library()
  const [field, since] = [context.args.value('field'), context.args.value('since')]
  if (field !== undefined && !historyFields.includes(field))
    throw context.usageError(
      `--field takes no "${typed(field)}".`,
      `It takes ${historyFields.join(', ')}.`,
    )
  if (since !== undefined && !(time.test(since) && Number.isFinite(Date.parse(since))))
    throw context.usageError(
      `--since takes no "${typed(since)}".`,
      'Give a day or an RFC 3339 time, as 2026-01-31T12:00:00Z.',
    )
  return { field, since }
}

type Row = readonly [who: string, what: string]

const gap = '  '

/** In two lines where one is not enough. */
function fitted([who, what]: Row, columns: number, measure: Measure): string[] {
  const line = `${who}${gap}${what}`
  const lines = measure(line) <= columns ? [line] : [who, `${gap}${what}`]
  return lines.map((each) => fittedTo(columns, each, measure))
}

function rowOf({
  changed_at,
  changed_by,
  field,
  old_value,
  new_value,
  ...said
}: HistoryEntry): Row {
  const change = `${oneLine(field)}: ${shown(old_value)} → ${shown(new_value)}`
  const words = [said.reason, said.summary].filter((text) => text !== undefined)
  const why = words.length === 0 ? '' : ` (${words.map(shown).join('; ')})`
  return [`${changed_at}${gap}${oneLine(changed_by)}`, `${change}${why}`]
}

/** The first line of a text. */
function shown(text: string): string {
  const [first = '', ...more] = text.split('\n')
  if (text === '') return '(none)'
  return `${oneLine(first)}${more.length > 0 ? '…' : ''}`
}
