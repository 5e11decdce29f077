import { eventLoopTurn } from '../store/internal.ts'
import { InvalidTaskError } from './error.ts'
import type { Shape } from './shape.ts'
import { type Task, type TaskDocument, taskOf } from './task.ts'

/** A task and how far it is below another. */
export interface SubtreeTask extends Task {
  /** 0 for the task that was asked for. */
  readonly relative_depth: number
}

/** A task with all that is below it. */
export interface TaskNode extends SubtreeTask {
  /** What is right below it, with all below that. */
  readonly children: readonly TaskNode[]
}

/** How much of a subtree to give. */
export interface SubtreeOptions {
  /** Whether to give what retention has hidden, too. */
  readonly includeDeleted?: boolean | undefined
  /** How many levels below the top; all if left out. */
  readonly depth?: number | undefined
  /** How many tasks in all, the top included, those nearest to it first; all if left out. */
  readonly limit?: number | undefined
}

/** The same, for a list that may be continued. */
export interface SubtreeListOptions extends SubtreeOptions {
  /** How many to leave out first; none if left out. */
  readonly offset?: number | undefined
}

/** A subtree as a list. */
export interface SubtreePage {
  /** Level by level, the top first; each level in the order of its parents. */
  readonly tasks: readonly SubtreeTask[]
  /** Whether there are more after these. */
  readonly hasMore: boolean
  /** How many there are in all; null where not all were looked at. */
  readonly total: number | null
}

type Root = () => Promise<{ document: TaskDocument; depth: number }>

/** How often to read a subtree anew because something moved meanwhile, before it is given as it is. */
const readingsMax = 5

/** Reads a subtree such that nothing moved while it was read, and no more of it than is asked for. */
export async function readSubtree(
  shape: Shape,
  root: Root,
  options: SubtreeListOptions,
): Promise<SubtreePage> {
  checkOptions(options)
  for (let reading = 1; ; reading++) {
    const n = await shape.structure.settled()
    const page = await readPage(shape, await root(), options)
    if (reading >= readingsMax || (await shape.structure.isStill(n))) return page
  }
}

async function readPage(
  shape: Shape,
  { document, depth }: { document: TaskDocument; depth: number },
  { includeDeleted = false, depth: levels, limit, offset = 0 }: SubtreeListOptions,
): Promise<SubtreePage> {
  const end = limit === undefined ? Number.POSITIVE_INFINITY : offset + limit
  const tasks: SubtreeTask[] = []
  let count = 0
  const isShown = ({ deleted_at, doomed }: TaskDocument) =>
    doomed === null && (includeDeleted || deleted_at === null)
  const add = (each: TaskDocument, relative_depth: number) => {
    if (count >= offset && count < end)
      tasks.push({ ...taskOf(each, depth + relative_depth), relative_depth })
    count++
  }
  add(document, 0)
  for await (const { level, documents } of shape.below(document.id, isShown)) {
    if (level > (levels ?? Number.POSITIVE_INFINITY)) break
    for (const each of documents) {
      const turn = eventLoopTurn()
      if (turn) await turn
      add(each, level)
    }
    if (count > end) return { tasks, hasMore: true, total: null }
  }
  return { tasks, hasMore: count > end, total: count }
}

function checkOptions({ depth = 0, limit = 1, offset = 0 }: SubtreeListOptions): void {
  const wrong = Object.entries({ depth, limit, offset }).find(
    ([name, value]) =>
      value !== Number.POSITIVE_INFINITY &&
      !(Number.isSafeInteger(value) && value >= (name === 'limit' ? 1 : 0)),
  )
  if (wrong)
    throw new InvalidTaskError(
      'INVALID_QUERY',
      `${wrong[0]} can't be ${wrong[1]}.`,
      `Give a whole number from ${wrong[0] === 'limit' ? 1 : 0} on.`,
    )
}

/** A list of a subtree as nodes within each other; the list begins with the top, and parents come before children. */
export async function nestedSubtree(tasks: readonly SubtreeTask[]): Promise<TaskNode> {
  type Growing = TaskNode & { children: TaskNode[] }
  const nodes = new Map<string, Growing>()
  for (const task of tasks) {
    const turn = eventLoopTurn()
    if (turn) await turn
    const node = { ...task, children: [] }
    nodes.get(task.relative_depth === 0 ? '' : (task.parent_id ?? ''))?.children.push(node)
    nodes.set(task.id, node)
  }
  return nodes.get(tasks[0]?.id ?? '') as TaskNode
}
