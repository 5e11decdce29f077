import type { Task, TaskList } from '../../list/index.ts'
import { columnWidth, displayWidths } from '../program/display-width.ts'
import { oneLine } from '../program/printable.ts'
import { shortIds as shortIdsOf } from '../program/short-id.ts'

const shortIdLength = 12

/** Wider texts do not push the tags of all others to the right. */
const textColumnsMax = 80

/** A task, or what is known of one. */
type Shown = Pick<Task, 'id'> & Partial<Task>

/**
 * Tasks as a person reads them: `2f8c8a3c9a12  Buy milk  [errand,shopping]`, in columns. Ids are told apart
 * from each other, and from those of others that begin alike.
 */
export async function rowsOf(
  tasks: readonly Shown[],
  alike: readonly string[] = [],
): Promise<string[]> {
  const ids = shortIds(
    tasks.map(({ id }) => id),
    alike,
  )
  const idColumns = columnWidth(ids.map(({ length }) => length))
  const texts = tasks.map(textOf)
  const widths = await displayWidths(texts)
  const textColumns = columnWidth(widths.filter((width) => width <= textColumnsMax))
  return tasks.map(({ tags = [] }, at) => {
    const id = (ids[at] as string).padEnd(idColumns)
    const padding = ' '.repeat(Math.max(0, textColumns - (widths[at] as number)))
    const bracket = tags.length === 0 ? '' : `${padding}  [${tags.map(oneLine).join(',')}]`
    return `${id}  ${texts[at]}${bracket}`.trimEnd()
  })
}

/** What an ambiguous prefix may mean. */
export const candidateLines = (tasks: readonly Shown[]): Promise<string[]> =>
  rowsOf(tasks.map(({ tags: _, ...task }) => task))

/** `✓` for what is done, and the first line. */
function textOf({ text = '', done = false }: Shown): string {
  const [first = '', ...more] = text.trim().split('\n')
  return `${done ? '✓ ' : ''}${oneLine(first.trimEnd())}${more.length > 0 ? '…' : ''}`
}

/** More rows than this are only told apart from each other: each costs a search. */
const searchedMax = 20

/** The ids of tasks that begin like those of these, as far as they are shown. */
export const alikeOf = (list: TaskList, tasks: readonly Shown[]): Promise<string[]> =>
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
