import type { Status } from '../../../src/tree/status.ts'
import type { Api, TreeTask } from '../source/api.ts'
import { Failure } from '../source/failure.ts'

/** The names of statuses as people read them. */
export const nameOf = (status: string): string => status.replaceAll('_', ' ')

/**
 * Moves a task to another status by the verb that makes the move. It holds for the task as it was shown: where somebody has
 * moved it meanwhile, nothing is changed.
 */
export async function moveTo(api: Api, shown: TreeTask, status: Status, reason: string) {
  const { task, etag } = await api.treeTask(shown.id)
  if (task.status !== shown.status || task.claimed_by !== shown.claimed_by)
    throw overtaken(
      `“${shown.title}” is ${nameOf(task.status)} by now${task.claimed_by === null ? '' : `, and claimed by ${task.claimed_by}`}.`,
    )
  // Whoever looks on may give back what a dead agent holds.
  if (task.status === 'in_progress' && status === 'open')
    return api.treeVerb(
      task.id,
      { path: 'release' },
      { etag, query: { force: task.claimed_by !== api.agent } },
    )
  const body = { status, ...(reason === '' ? {} : { reason }) }
  return api.treeVerb(task.id, { path: 'status', method: 'PATCH' }, { etag, body })
}

/** Makes a task a part of another, or a root; the same holds. */
export async function moveBelow(api: Api, shown: TreeTask, parentId: string | null) {
  const { task, etag } = await api.treeTask(shown.id)
  if (task.parent_id !== shown.parent_id)
    throw overtaken(`“${shown.title}” has been moved elsewhere.`)
  return api.treeVerb(task.id, { path: 'reparent' }, { etag, body: { new_parent_id: parentId } })
}

const overtaken = (message: string): Failure =>
  new Failure('conflict', message, 'Look at its state now, and decide again.')
