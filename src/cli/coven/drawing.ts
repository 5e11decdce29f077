import type { SubtreeTask } from '../../tree/internal.ts'
import { fittedTo, measureFor } from '../program/display-width.ts'
import { oneLine } from '../program/printable.ts'
import { type Guides, shownIds, treeRows } from './row.ts'

/** A task of a tree, in the order in which it is drawn. */
export interface Branch {
  readonly task: SubtreeTask
  /** How many of its children are left out. */
  readonly hidden: number
  /** Whether no task follows below the same parent, nor anything that is left out. */
  readonly isLast: boolean
  readonly isLeaf: boolean
}

/**
 * The first so many tasks of a tree that is given level by level, as they are drawn: from top to bottom. What is nearer to
 * the root is worth more.
 */
export function cutTree(tasks: readonly SubtreeTask[], tasksMax: number): Branch[] {
  const children = new Map<string, SubtreeTask[]>(
    tasks.slice(0, tasksMax).map(({ id }) => [id, []]),
  )
  const hidden = new Map<string, number>()
  for (const [at, task] of tasks.entries()) {
    const parent = at === 0 ? '' : (task.parent_id ?? '')
    if (at < tasksMax) children.get(parent)?.push(task)
    else hidden.set(parent, (hidden.get(parent) ?? 0) + 1)
  }
  const branches: Branch[] = []
  const todo = tasks.slice(0, 1).map((task) => ({ task, isLast: true }))
  for (let next = todo.pop(); next; next = todo.pop()) {
    const below = children.get(next.task.id) ?? []
    const left = hidden.get(next.task.id) ?? 0
    branches.push({ ...next, hidden: left, isLeaf: below.length + left === 0 })
    for (let at = below.length - 1; at >= 0; at--)
      todo.push({
        task: below[at] as SubtreeTask,
        isLast: at === below.length - 1 && left === 0,
      })
  }
  return branches
}

/** `├──`, `└──` and `│` before each task say where it hangs. */
export async function drawnTree(
  branches: readonly Branch[],
  columns: number | null,
): Promise<string[]> {
  const tasks = branches.map(({ task }) => task)
  const ids = shownIds(tasks, columns)
  const measure = await measureFor(['│', ...tasks.map(({ title }) => oneLine(title))])
  const terminal = columns === null ? null : { columns, measure }
  return linesOf(branches, levelsFor(columns)).flatMap(({ at, hidden, ...guides }) => {
    if (hidden === 0)
      return treeRows(tasks[at] as SubtreeTask, { ...guides, id: ids[at] as string }, terminal)
    const rest = `${guides.guide}… ${hidden} more`
    return terminal ? fittedTo(terminal.columns, rest, measure) : rest
  })
}

/** How many levels are drawn where there is all the room, and at least. */
const levelsMax = 32
const levelsMin = 4

/** Each level takes four columns. Where they would take more than half of a line, the outer ones are left out. */
const levelsFor = (columns: number | null): number =>
  columns === null ? levelsMax : Math.max(levelsMin, Math.min(levelsMax, Math.floor(columns / 8)))

interface Line extends Guides {
  /** Which task stands there, or how many are left out. */
  readonly at: number
  readonly hidden: number
}

/** The tasks as lines; what is left out below a task comes after all that is shown below it. */
function linesOf(branches: readonly Branch[], levels: number): Line[] {
  const lines: Line[] = []
  // From the root on: what runs down beside the children of a task, and how many of them are left out.
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
  for (const [at, { task, hidden, isLast, isLeaf }] of branches.entries()) {
    closeTo(task.relative_depth)
    const isRoot = at === 0
    const guide = `${above()}${isRoot ? '' : isLast ? '└── ' : '├── '}`
    open.push({ bar: isRoot ? '' : isLast ? '    ' : '│   ', hidden })
    lines.push({ guide, below: `${above()}${isLeaf ? ' ' : '│'} `, at, hidden: 0 })
  }
  closeTo(0)
  return lines
}
