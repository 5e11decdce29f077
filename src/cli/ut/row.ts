import type { Task, TaskList } from '../../list/internal.ts'
import { oneLine } from '../../terminal/index.ts'
import {
  columnWidth,
  fittedTo,
  gap,
  measureFor,
  padTo,
  sharedRoom,
} from '../program/display-width.ts'
import { shortIds as shortIdsOf } from '../program/text.ts'

const shortIdLength = 12

/** Wider texts do not push the tags of all others to the right. */
const textColumnsMax = 80

/** A task, or what is known of one. */
type ShownTask = Pick<Task, 'id'> & Partial<Task>

/** With less room for a text its tags have none. */
const textColumnsMin = 8

/**
 * Tasks as a person reads them: `2f8c8a3c9a12  Buy milk  [errand,shopping]`, in columns. Ids are told apart
 * from each other, and from those of others that begin `alike`. On a terminal of so many columns texts and tags are cut
 * where they have no room.
 */
export async function rowsOf(
  tasks: readonly ShownTask[],
  alike: readonly string[] = [],
  columns: number | null = null,
): Promise<string[]> {
  const starts = shortIds(
    tasks.map(({ id }) => id),
    alike,
  )
  const idColumns = columnWidth(starts.map(({ length }) => length))
  const ids = starts.map((id) => id.padEnd(idColumns))
  const texts = tasks.map(textOf)
  const tags = tasks.map(({ tags = [] }) =>
    tags.length === 0 ? '' : `[${tags.map(oneLine).join(',')}]`,
  )
  const measure = await measureFor([...texts, ...tags])
  const widths = texts.map(measure)
  const aligned = columnWidth(widths.filter((width) => width <= textColumnsMax))
  const rows = ids.map((id, at) => {
    const text = texts[at] as string
    return joined(id, tags[at] === '' ? text : padTo(aligned, text, measure), tags[at] as string)
  })
  if (columns === null || rows.every((row) => measure(row) <= columns)) return rows
  const tagged = widths.filter((_, at) => tags[at] !== '')
  const rest = columns - idColumns - gap.length
  const room = sharedRoom(rest, columnWidth(tagged), columnWidth(tags.map(measure)))
  return rows.map((row, at) => {
    if (tags[at] === '' || room.main < textColumnsMin) return fittedTo(columns, row, measure)
    const text = padTo(room.main, fittedTo(room.main, texts[at] as string, measure), measure)
    const cut = joined(ids[at] as string, text, fittedTo(room.extra, tags[at] as string, measure))
    return fittedTo(columns, cut, measure)
  })
}

const joined = (...cells: readonly string[]): string => cells.join(gap).trimEnd()

/** `✓` for what is done, and the first line. */
function textOf({ text = '', done = false }: ShownTask): string {
  const [first = '', ...more] = text.trim().split('\n')
  return `${done ? '✓ ' : ''}${oneLine(first.trimEnd())}${more.length > 0 ? '…' : ''}`
}

/** More rows than this are only told apart from each other: each costs a search. */
const searchedMax = 20

/** The ids of tasks that begin like those of these, as far as they are shown. */
export const alikeOf = (list: TaskList, tasks: readonly ShownTask[]): Promise<string[]> =>
  tasks.length > searchedMax
    ? Promise.resolve([])
    : list.alike(
        tasks.map(({ id }) => id),
        shortIdLength,
      )

/** The first digits of ids, as many as it takes to tell them apart. */
export const shortIds = (ids: readonly string[], alike: readonly string[] = []): string[] =>
  shortIdsOf(ids, { lengthMin: shortIdLength, alike }).map(oneLine)

/** An id as the lines after a change name it: `2f8c8a3c9a12c7...e91b`. */
export const matchedId = (id: string): string => `${id.slice(0, 14)}...${id.slice(-4)}`
