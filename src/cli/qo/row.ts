import type { Task } from '../../queue/internal.ts'
import { oneLine } from '../../terminal/index.ts'
import { columnWidth, fittedRows, fittedTo, gap, measureFor } from '../program/display-width.ts'
import { shortIds } from '../program/text.ts'

/** Up to here an id names the shard and the millisecond in which it was made. */
const shortIdLength = '01234567-89ab'.length

/** On a terminal a long type does not push everything else out of sight. */
const typeColumnsMax = 20

/**
 * Tasks as a person reads them, a line each: id, status, type, creation, and what is worth knowing in that status. On a
 * terminal ids are short, and lines are cut where they end; any other reader gets everything.
 */
export async function taskRows(
  tasks: readonly Task[],
  columns: number | null,
): Promise<readonly string[]> {
  const all = tasks.map(({ id }) => id)
  const ids = columns === null ? all : shortIds(all, { lengthMin: shortIdLength })
  const names = tasks.map(({ task_type }) => oneLine(task_type))
  const measure = await measureFor(names)
  const types =
    columns === null ? names : names.map((name) => fittedTo(typeColumnsMax, name, measure))
  const widths = {
    id: columnWidth(ids.map(({ length }) => length)),
    status: columnWidth(tasks.map(({ status }) => status.length)),
    type: columnWidth(types.map(measure)),
  }
  const rows = tasks.map((task, at) => {
    const type = types[at] as string
    const cells = [
      (ids[at] as string).padEnd(widths.id),
      task.status.padEnd(widths.status),
      type + ' '.repeat(widths.type - measure(type)),
      inSeconds(task.created_at),
      remarkOf(task),
    ]
    return cells.join(gap).trimEnd()
  })
  return fittedRows(rows, columns)
}

/** What of an id and a time fits beside other words in a line of a terminal. */
export const shortId = (id: string): string => id.slice(0, shortIdLength)
export const timeOfDay = (time: string): string =>
  `${time.slice('2026-01-31T'.length).slice(0, 8)}Z`

/** Nobody reads milliseconds. */
export const inSeconds = (time: string): string => time.replace(/\.\d+Z$/, 'Z')

/** When it can be claimed, who has it, why it failed. */
export function remarkOf(task: Task): string {
  const { status, available_at, created_at, worker_id, last_error } = task
  const because = last_error === null ? '' : firstLine(last_error)
  switch (status) {
    case 'pending': {
      const isLater = Date.parse(available_at) > Date.parse(created_at)
      const from = isLater ? `from ${inSeconds(available_at)} on` : ''
      return [from, because].filter((text) => text !== '').join(', ')
    }
    case 'running':
      return `${task.cancel_requested ? 'cancel requested, ' : ''}by ${oneLine(worker_id ?? 'somebody')}`
    case 'failed':
      return because
    case 'archived':
      return `was ${task.archived_from ?? 'failed'}`
    default:
      return ''
  }
}

export function firstLine(text: string): string {
  const [first = '', ...more] = text.trim().split('\n')
  return `${oneLine(first)}${more.length > 0 ? ' …' : ''}`
}
