import { oneLine } from '../../terminal/index.ts'
import type { SubtreeTask, Task } from '../../tree/internal.ts'
import {
  columnWidth,
  fittedTo,
  gap,
  type Measure,
  measureFor,
  padTo,
  sharedRoom,
} from '../program/display-width.ts'
import { shortIds } from '../program/text.ts'

/** Up to here an id names the millisecond in which it was made. */
const shortIdLength = '01234567-89ab'.length

/** A title that would have less room than this goes to a line of its own. */
const titleColumnsMin = 16

/**
 * Tasks as a person reads them, a line each: id, priority, status, type, title, who has claimed it, tags. On a
 * terminal ids are short, and lines are cut where they end; on a narrow one titles stand below. Another reader
 * gets everything.
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

interface TreeGuides {
  /** What is drawn before a task, and before its title where that stands below. */
  readonly guide: string
  readonly below: string
}

/** A task of a tree behind its guides: in one line, or in two where its title has no room beside it. */
function treeRows(
  task: Task,
  { guide, below, id }: TreeGuides & { readonly id: string },
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

interface StackedTask {
  readonly head: string
  readonly below: string
  readonly words: string
}

const stacked = (
  { head, below, words }: StackedTask,
  columns: number,
  measure: Measure,
): string[] => [head.trimEnd(), `${below}${words}`].map((line) => fittedTo(columns, line, measure))

const shownIds = (tasks: readonly Task[], columns: number | null): string[] => {
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

/** A task of a tree, in the order in which it is drawn. */
interface DrawnTask {
  readonly task: SubtreeTask
  /** How many of its children are not shown. */
  readonly hidden: number
  /** Whether this is the last row of its parent, hidden ones included. */
  readonly isLast: boolean
  readonly isLeaf: boolean
}

/**
 * The first so many tasks of a tree that is given level by level, as they are drawn: from top to bottom. What is nearer to
 * the root is worth more.
 */
export function cutTree(tasks: readonly SubtreeTask[], tasksMax: number): DrawnTask[] {
  const children = new Map<string, SubtreeTask[]>(
    tasks.slice(0, tasksMax).map(({ id }) => [id, []]),
  )
  const hidden = new Map<string, number>()
  for (const [at, task] of tasks.entries()) {
    const parent = at === 0 ? '' : (task.parent_id ?? '')
    if (at < tasksMax) children.get(parent)?.push(task)
    else hidden.set(parent, (hidden.get(parent) ?? 0) + 1)
  }
  const drawn: DrawnTask[] = []
  const todo = tasks.slice(0, 1).map((task) => ({ task, isLast: true }))
  for (let next = todo.pop(); next; next = todo.pop()) {
    const below = children.get(next.task.id) ?? []
    const left = hidden.get(next.task.id) ?? 0
    drawn.push({ ...next, hidden: left, isLeaf: below.length + left === 0 })
    for (let at = below.length - 1; at >= 0; at--)
      todo.push({
        task: below[at] as SubtreeTask,
        isLast: at === below.length - 1 && left === 0,
      })
  }
  return drawn
}

/** `├──`, `└──` and `│` before each task say where it hangs. */
export async function drawnTree(
  drawn: readonly DrawnTask[],
  columns: number | null,
): Promise<string[]> {
  const tasks = drawn.map(({ task }) => task)
  const ids = shownIds(tasks, columns)
  const measure = await measureFor(['│', ...tasks.map(({ title }) => oneLine(title))])
  const terminal = columns === null ? null : { columns, measure }
  return treeLines(drawn, levelsFor(columns)).flatMap(({ at, hidden, ...guides }) => {
    if (hidden === 0)
      return treeRows(tasks[at] as SubtreeTask, { ...guides, id: ids[at] as string }, terminal)
    const rest = `${guides.guide}… ${hidden} more`
    return terminal ? fittedTo(terminal.columns, rest, measure) : rest
  })
}

/** How many levels are drawn where there is all the room, and at least. */
const levelsMax = 32
const levelsMin = 4

/** A level takes four columns. Outer levels are dropped when all of them need more than half of the line. */
const levelsFor = (columns: number | null): number =>
  columns === null ? levelsMax : Math.max(levelsMin, Math.min(levelsMax, Math.floor(columns / 8)))

interface TreeLine extends TreeGuides {
  /** The task there, or how many are not shown. */
  readonly at: number
  readonly hidden: number
}

/** The tasks as lines. A count of hidden subtasks follows the ones shown. */
function treeLines(drawn: readonly DrawnTask[], levels: number): TreeLine[] {
  const lines: TreeLine[] = []
  // From the root down: the vertical lines next to a task's children, and how many of these lines are dropped.
  const open: { readonly bar: string; readonly hidden: number }[] = []
  const above = (): string => {
    const inner = open.slice(Math.max(1, open.length - levels)).map(({ bar }) => bar)
    return `${open.length - 1 > levels ? '…   ' : ''}${inner.join('')}`
  }
  const closeTo = (depth: number) => {
    for (; open.length > depth; open.pop()) {
      const hidden = open.at(-1)?.hidden ?? 0
      if (hidden > 0) lines.push({ guide: `${above()}└── `, below: '', at: 0, hidden })
    }
  }
  for (const [at, { task, hidden, isLast, isLeaf }] of drawn.entries()) {
    closeTo(task.relative_depth)
    const isRoot = at === 0
    const guide = `${above()}${isRoot ? '' : isLast ? '└── ' : '├── '}`
    open.push({ bar: isRoot ? '' : isLast ? '    ' : '│   ', hidden })
    lines.push({ guide, below: `${above()}${isLeaf ? ' ' : '│'} `, at, hidden: 0 })
  }
  closeTo(0)
  return lines
}
