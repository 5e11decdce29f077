import type { Task } from '../../tree/index.ts'
import { columnWidth, fittedTo, type Measure, measureFor } from '../program/display-width.ts'
import { oneLine } from '../program/printable.ts'
import { shortIds } from '../program/short-id.ts'

/** Up to here an id names the millisecond in which it was made. */
const shortIdLength = '01234567-89ab'.length

/** What a narrow terminal leaves for a title all the same. */
const titleColumnsMin = 16

/**
 * Tasks as a person reads them, a line each: id, priority, status, type, title, who has claimed it, tags. On a
 * terminal ids are short, and lines are cut where they end; whoever else reads gets everything.
 */
export async function taskRows(tasks: readonly Task[], columns: number | null): Promise<string[]> {
  const heads = headsOf(tasks, columns)
  const titles = tasks.map(({ title }) => oneLine(title))
  const extras = tasks.map(extrasOf)
  if (columns === null)
    return tasks.map((_, at) => joined(heads[at] as string, titles[at] as string, extras[at]))
  const measure = await measureFor([...titles, ...extras])
  const rest = Math.max(titleColumnsMin, columns - columnWidth(heads.map(measure)) - gap.length)
  const room = roomOf(rest, columnWidth(titles.map(measure)), columnWidth(extras.map(measure)))
  return tasks.map((_, at) => {
    const title = fittedTo(room.title, titles[at] as string, measure)
    const extra = fittedTo(room.extra, extras[at] as string, measure)
    const padded = extra === '' ? title : padTo(room.title, title, measure)
    return fittedTo(columns, joined(heads[at] as string, padded, extra), measure)
  })
}

/** One task in one line, behind what is drawn before it. */
export function treeRow(task: Task, { guide, id }: { guide: string; id: string }): string {
  const { priority, status, type, title } = task
  const head = [`${guide}${id}`, `P${priority}`, status, type].join(gap)
  return joined(head, oneLine(title), extrasOf(task))
}

export const shownIds = (tasks: readonly Task[], columns: number | null): string[] => {
  const ids = tasks.map(({ id }) => id)
  return columns === null ? ids : shortIds(ids, { lengthMin: shortIdLength })
}

const gap = '  '

const joined = (head: string, title: string, extra = ''): string =>
  [head, title, ...(extra === '' ? [] : [extra])].join(gap).trimEnd()

const padTo = (columns: number, text: string, measure: Measure): string =>
  text + ' '.repeat(Math.max(0, columns - measure(text)))

function headsOf(tasks: readonly Task[], columns: number | null): string[] {
  const ids = shownIds(tasks, columns)
  const widthOf = (texts: readonly string[]) => columnWidth(texts.map(({ length }) => length))
  const widths = {
    id: widthOf(ids),
    status: widthOf(tasks.map(({ status }) => status)),
    type: widthOf(tasks.map(({ type }) => type)),
  }
  return tasks.map(({ priority, status, type }, at) =>
    [
      (ids[at] as string).padEnd(widths.id),
      `P${priority}`,
      status.padEnd(widths.status),
      type.padEnd(widths.type),
    ].join(gap),
  )
}

/** `@agent-7 [docs,web]`, and whether retention has deleted it. */
function extrasOf({ claimed_by, tags, deleted_at }: Task): string {
  const parts = [
    ...(deleted_at === null ? [] : ['(deleted)']),
    ...(claimed_by === null ? [] : [`@${oneLine(claimed_by)}`]),
    ...(tags.length === 0 ? [] : [`[${tags.map(oneLine).join(',')}]`]),
  ]
  return parts.join(' ')
}

/** Shares what is left of a line: extras get a third, and what titles do not need. */
function roomOf(rest: number, title: number, extra: number): { title: number; extra: number } {
  if (extra === 0) return { title: Math.min(title, rest), extra }
  const both = rest - gap.length
  const forTitle = Math.min(title, Math.max(both - extra, Math.ceil((both * 2) / 3)))
  return { title: forTitle, extra: both - forTitle }
}
