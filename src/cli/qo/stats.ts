import type { Stats } from '../../queue/index.ts'
import type { Command } from '../program/command.ts'
import { columnWidth, measureFor } from '../program/display-width.ts'
import { oneLine } from '../program/printable.ts'
import { withQueue } from './queue.ts'
import { statuses } from './words.ts'

export const stats: Command = {
  name: 'stats',
  about: 'count tasks by status and type',
  details: 'It reads every task. Types of pending tasks that no active worker handles are named.',
  examples: ['qo stats', "qo stats --json | jq '.data.by_status.failed'"],
  async run(context) {
    const counted = await withQueue(context, (queue) => queue.stats())
    context.out.answer({ kind: 'stats', data: counted, lines: await linesOf(counted) })
  },
}

async function linesOf({ total, by_status, by_type, unhandled_types }: Stats): Promise<string[]> {
  const names = ['', 'all', ...Object.keys(by_type).map(oneLine)]
  const measure = await measureFor(names)
  const width = columnWidth(names.map(measure))
  const row = (name: string, cells: readonly string[]) =>
    `${name}${' '.repeat(width - measure(name))}  ${cells.join('  ')}`
  const counts = (of: Stats['by_status']) =>
    statuses.map((status) => String(of[status]).padStart(status.length))
  return [
    row('', statuses),
    ...Object.entries(by_type).map(([type, of]) => row(oneLine(type), counts(of))),
    row('all', counts(by_status)),
    `${total} ${total === 1 ? 'task' : 'tasks'}`,
    ...unhandled_types.map((type) => `No active worker handles ${oneLine(type)}.`),
  ]
}
