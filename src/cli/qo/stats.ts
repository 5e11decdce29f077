import type { Stats } from '../../queue/internal.ts'
import type { Command } from '../program/command.ts'
import { columnWidth, fittedTo, measureFor } from '../program/display-width.ts'
import { oneLine } from '../program/printable.ts'
import { Progress } from '../program/progress.ts'
import { withQueue } from './queue.ts'
import { statuses } from './words.ts'

export const stats: Command = {
  name: 'stats',
  about: 'count tasks by status and type',
  details: 'It reads every task. Types of pending tasks that no active worker handles are named.',
  examples: ['qo stats', "qo stats --json | jq '.data.by_status.failed'"],
  async run(context) {
    const { out } = context
    const counted = await withQueue(context, async (queue) => {
      using progress = await Progress.of(context, 'Counting')
      return await queue.stats({ onProgress: (count) => progress.at(count) })
    })
    out.answer({ kind: 'stats', data: counted, lines: await linesOf(counted, await out.columns()) })
  },
}

type Counts = Stats['by_status']

const gap = '  '
/** What all the columns of numbers take. */
const numbersWidth = statuses.reduce((sum, status) => sum + gap.length + status.length, 0)
/** With less room for the names of types, numbers that are not 0 stand in words instead. */
const namesWidthMin = 8

async function linesOf(stats: Stats, columns: number | null): Promise<string[]> {
  const { total, by_status, by_type, unhandled_types } = stats
  const rows: (readonly [string, Counts])[] = [
    ...Object.entries(by_type).map(([type, counts]) => [oneLine(type), counts] as const),
    ['all', by_status],
  ]
  const unhandled = unhandled_types.map((type) => `No active worker handles ${oneLine(type)}.`)
  return [
    ...(await tableOf(rows, columns)),
    `${total} ${total === 1 ? 'task' : 'tasks'}`,
    ...unhandled,
  ]
}

/** A table on which a terminal has room for the names, or a line of words for each. */
async function tableOf(
  rows: readonly (readonly [string, Counts])[],
  columns: number | null,
): Promise<string[]> {
  const measure = await measureFor(rows.map(([name]) => name))
  const room = columns === null ? Number.POSITIVE_INFINITY : columns - numbersWidth
  const isNarrow = room < namesWidthMin
  const namesRoom = isNarrow ? Math.floor((columns as number) / 2) : room
  const names = rows.map(([name]) => fittedTo(namesRoom, name, measure))
  const width = columnWidth(names.map(measure))
  const lines = rows.map(([, counts], at) => {
    const name = names[at] as string
    const cells = isNarrow ? wordsOf(counts) : numbersOf(counts)
    return `${name}${' '.repeat(width - measure(name))}${gap}${cells}`
  })
  if (!isNarrow) return [`${' '.repeat(width)}${gap}${statuses.join(gap)}`, ...lines]
  return lines.map((line) => fittedTo(columns as number, line, measure))
}

const numbersOf = (counts: Counts): string =>
  statuses.map((status) => String(counts[status]).padStart(status.length)).join(gap)

const wordsOf = (counts: Counts): string =>
  statuses
    .filter((status) => counts[status] > 0)
    .map((status) => `${counts[status]} ${status}`)
    .join(', ')
