import { jsonShown, Refusal } from '../collection/index.ts'
import { eventLoopTurn } from '../store/internal.ts'
import { checkFields, checkOptions, checkPriority } from './checks.ts'
import { InvalidTaskError } from './error.ts'
import { bulkActions } from './fields.ts'
import { checkTags } from './tags.ts'
import { isChanged, type Task } from './task.ts'
import type { TaskTree } from './task-tree.ts'
import type { By } from './writes.ts'

/** What can be done to many tasks at once. */
export type BulkAction = (typeof bulkActions)[number]

/** One action for many tasks; each is answered for by itself. */
export interface BulkRequest {
  /** What to do. */
  readonly action: BulkAction
  /** To which tasks; at most {@link bulkTasksMax}. */
  readonly task_ids: readonly string[]
  /** For `add_tags` and `remove_tags`: which. */
  readonly tags?: readonly string[] | undefined
  /** For `set_priority`: which. */
  readonly priority?: number | undefined
  /** For `close`: why, for the history. */
  readonly reason?: string | undefined
}

/** How one of the tasks fared. */
export type BulkResult =
  | {
      /** The task as it was named in the request. */
      readonly id: string
      readonly success: true
      /** False where it already was as asked. */
      readonly changed: boolean
    }
  | {
      readonly id: string
      readonly success: false
      /** Why not. */
      readonly error: Refusal
    }

/** How to do it. */
export interface BulkOptions {
  /** Told of each as soon as it is known, for a store that fails leaves no other answer. */
  readonly onResult?: ((result: BulkResult) => void) | undefined
}

/** The most tasks that one request may name. */
export const bulkTasksMax = 1000

const badBody = (what: string, next: string): InvalidTaskError =>
  new InvalidTaskError('INVALID_BODY', what, next)

/** Does the same to many tasks, one after the other; what one refuses does not stop the others. */
export async function runBulk(
  tree: TaskTree,
  request: BulkRequest,
  by: By,
  options: BulkOptions,
): Promise<BulkResult[]> {
  const { onResult } = checkOptions(options)
  const { ids, act } = planOf(tree, request, by)
  const results: BulkResult[] = []
  const add = (result: BulkResult) => {
    results.push(result)
    onResult?.(result)
  }
  const deleted = new Set<string>()
  for (const id of ids) {
    const turn = eventLoopTurn()
    if (turn) await turn
    try {
      // Gone with one before it, which is what was asked for.
      const { changed, removed = [] } = deleted.has(id) ? { changed: true } : await act(id)
      for (const each of removed) deleted.add(each)
      add({ id, success: true, changed })
    } catch (error) {
      // A store that fails is no answer about one task: then nobody knows about the rest either.
      if (!(error instanceof Refusal)) throw error
      add({ id, success: false, error })
    }
  }
  return results
}

/** Throws for a request that could not be right for any task. */
function planOf(tree: TaskTree, request: BulkRequest, by: By) {
  const known = ['action', 'task_ids', 'tags', 'priority', 'reason']
  const { action, task_ids: ids } = checkFields(request, known) as unknown as BulkRequest
  if (!Array.isArray(ids) || !ids.every((id) => typeof id === 'string'))
    throw badBody('task_ids is no list of ids.', 'Give a list of strings.')
  if (ids.length > bulkTasksMax)
    throw badBody(`${ids.length} tasks are too many.`, `The limit is ${bulkTasksMax}.`)
  return { ids: [...new Set(ids)], act: actOf(tree, { ...request, action }, by) }
}

/** Whether a task was changed, and what was deleted. */
interface Acted {
  readonly changed: boolean
  readonly removed?: readonly string[]
}

type Act = (id: string) => Promise<Acted>

function actOf(tree: TaskTree, { action, reason, ...given }: BulkRequest, by: By): Act {
  if (action === 'add_tags' || action === 'remove_tags') {
    const tags = checkTags(given.tags)
    return acting((id) =>
      action === 'add_tags' ? tree.addTags(id, tags, by) : tree.removeTags(id, tags, by),
    )
  }
  if (action === 'set_priority') {
    const priority = checkPriority(given.priority)
    return acting((id) => tree.update(id, { priority }, by))
  }
  if (action === 'close') return acting((id) => tree.setStatus(id, 'closed', by, { reason }))
  if (action === 'delete')
    return async (id) => {
      const { descendants } = await tree.delete(id, by)
      return { changed: true, removed: [id, ...descendants] }
    }
  throw badBody(`Unknown action: ${jsonShown(action)}.`, `Give one of ${bulkActions.join(', ')}.`)
}

const acting =
  (change: (id: string) => Promise<Task>): Act =>
  async (id) => ({ changed: isChanged(await change(id)) })
