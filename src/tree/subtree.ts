import type { Shape } from './shape.ts'
import { type Task, type TaskDocument, taskOf } from './task.ts'

/** A task with all that is below it. */
export interface TaskNode extends Task {
  /** 0 for the task that was asked for. */
  readonly relative_depth: number
  /** What is right below it, with all below that. */
  readonly children: readonly TaskNode[]
}

/** How often to read a subtree anew because something moved meanwhile, before it is given as it is. */
const readingsMax = 5

/** Reads a subtree such that nothing moved while it was read. */
export async function readSubtree(
  shape: Shape,
  root: () => Promise<{ document: TaskDocument; depth: number }>,
  { includeDeleted = false } = {},
): Promise<TaskNode> {
  for (let reading = 1; ; reading++) {
    const n = await shape.structure.settled()
    const { document, depth } = await root()
    const below = (await shape.levels(document.id)).flat()
    const shown = below.filter(
      ({ deleted_at, doomed }) => doomed === null && (includeDeleted || deleted_at === null),
    )
    if (reading < readingsMax && !(await shape.structure.isStill(n))) continue
    return nodeOf(document, depth, shown)
  }
}

function nodeOf(root: TaskDocument, rootDepth: number, below: readonly TaskDocument[]): TaskNode {
  type Growing = TaskNode & { children: TaskNode[] }
  const grown = (document: TaskDocument, relative_depth: number): Growing => ({
    ...taskOf(document, rootDepth + relative_depth),
    relative_depth,
    children: [],
  })
  const top = grown(root, 0)
  const nodes = new Map<string, Growing>([[root.id, top]])
  // Level by level, so that a parent is there before its children; what hangs below a hidden one is hidden.
  for (const document of below) {
    const parent = nodes.get(document.parent_id ?? '')
    if (!parent) continue
    const node = grown(document, parent.relative_depth + 1)
    parent.children.push(node)
    nodes.set(document.id, node)
  }
  return top
}
