import type { TreeTask } from '../source/api.ts'

/** A task with its place among the others. */
export interface Row {
  readonly task: TreeTask
  readonly level: number
  readonly childCount: number
  readonly isOpen: boolean
  /** Its number among its siblings, from 1 on, and how many they are. */
  readonly at: number
  readonly of: number
}

/** Above this many tasks only the roots are open from the start. */
const openMax = 300

type Children = ReadonlyMap<string | null, readonly TreeTask[]>

const byUrgency = (a: TreeTask, b: TreeTask): number =>
  a.priority - b.priority || (a.created_at < b.created_at ? -1 : 1)

/** The tasks under each other; one whose parent is not among them counts as a root. */
export function childrenOf(tasks: readonly TreeTask[]): Children {
  const ids = new Set(tasks.map(({ id }) => id))
  const children = new Map<string | null, TreeTask[]>()
  for (const task of tasks) {
    const parent = task.parent_id !== null && ids.has(task.parent_id) ? task.parent_id : null
    const siblings = children.get(parent) ?? []
    children.set(parent, siblings)
    siblings.push(task)
  }
  for (const siblings of children.values()) siblings.sort(byUrgency)
  return children
}

/** Whether a task is open, where nobody has said so. */
export const isOpenByDefault = (count: number): boolean => count <= openMax

/** The rows in view: everything below what is open. */
export function rowsOf(children: Children, isOpen: (id: string) => boolean): Row[] {
  const rows: Row[] = []
  const siblings = (tasks: readonly TreeTask[], level: number) =>
    tasks.map((task, n) => ({ task, level, at: n + 1, of: tasks.length })).reverse()
  const stack = siblings(children.get(null) ?? [], 0)
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const below = children.get(next.task.id) ?? []
    const open = below.length > 0 && isOpen(next.task.id)
    rows.push({ ...next, childCount: below.length, isOpen: open })
    if (open) for (const child of siblings(below, next.level + 1)) stack.push(child)
  }
  return rows
}
