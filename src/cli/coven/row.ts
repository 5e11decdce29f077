import type { Task } from '../../tree/internal.ts'
import {
  columnWidth,
  fittedTo,
  gap,
  type Measure,
  measureFor,
  padTo,
  sharedRoom,
} from '../program/display-width.ts'
import { oneLine } from '../program/printable.ts'
import { shortIds } from '../program/short-id.ts'

/** Up to here an id names the millisecond in which it was made. */
const shortIdLength = '01234567-89ab'.length

/** A title that would have less room than this goes to a line of its own. */
const titleColumnsMin = 16

/**
 * Tasks as a person reads them, a line each: id, priority, status, type, title, who has claimed it, tags. On a
 * terminal ids are short, and lines are cut where they end; on a narrow one titles stand below. Whoever else
 * reads gets everything.
 */
export async function taskRows(tasks: readonly Task[], columns: number | null): Promise<string[]> {
  const heads = headsOf(tasks, columns)
  const titles = tasks.map(({ title }) => oneLine(title))
  const extras = tasks.map(extrasOf)
  if (columns === null)
    return tasks.map((_, at) =>
      joined(heads[at] as string, titles[at] as string, extras[at] as string),
    )
  const measure = await measureFor([...titles, ...extras])
  const titleColumns = columnWidth(titles.map(measure))
  const rest = columns - columnWidth(heads.map(measure)) - gap.length
  const isNarrow = rest < Math.min(titleColumns, titleColumnsMin)
  const beside = titles.filter((_, at) => extras[at] !== '').map(measure)
  const room = sharedRoom(rest, columnWidth(beside), columnWidth(extras.map(measure)))
  return tasks.flatMap((_, at) => {
    const [head, title, extra] = [heads[at] as string, titles[at] as string, extras[at] as string]
    if (isNarrow)
      return stacked({ head, below: gap, words: joined(title, extra) }, columns, measure)
    // Who has nothing to say beside the title leaves it the whole line.
    if (extra === '') return fittedTo(columns, joined(head, title), measure)
    const padded = padTo(room.main, fittedTo(room.main, title, measure), measure)
    return fittedTo(columns, joined(head, padded, fittedTo(room.extra, extra, measure)), measure)
  })
}

export interface Guides {
  /** What is drawn before a task, and before its title where that stands below. */
  readonly guide: string
  readonly below: string
}

/** A task of a tree behind its guides: in one line, or in two where its title has no room beside it. */
export function treeRows(
  task: Task,
  { guide, below, id }: Guides & { readonly id: string },
  terminal: { readonly columns: number; readonly measure: Measure } | null,
): string[] {
  const { priority, status, type } = task
  const title = oneLine(task.title)
  const head = [`${guide}${id}`, `P${priority}`, status, type].join(gap)
  const line = joined(head, title, extrasOf(task))
  if (terminal === null) return [line]
  const { columns, measure } = terminal
  const rest = columns - measure(head) - gap.length
  if (rest >= Math.min(measure(title), titleColumnsMin)) return [fittedTo(columns, line, measure)]
  return stacked({ head, below, words: joined(title, extrasOf(task)) }, columns, measure)
}

interface Stack {
  readonly head: string
  readonly below: string
  readonly words: string
}

const stacked = ({ head, below, words }: Stack, columns: number, measure: Measure): string[] =>
  [head.trimEnd(), `${below}${words}`].map((line) => fittedTo(columns, line, measure))

export const shownIds = (tasks: readonly Task[], columns: number | null): string[] => {
  const ids = tasks.map(({ id }) => id)
  return columns === null ? ids : shortIds(ids, { lengthMin: shortIdLength })
}

const joined = (...parts: readonly string[]): string =>
  parts
    .filter((part) => part !== '')
    .join(gap)
    .trimEnd()

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
