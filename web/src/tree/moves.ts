import type { Status } from '../../../src/tree/status.ts'
import { plain } from '../show/text.tsx'
import type { Api, SeenTreeTask, TreeTask } from '../source/api.ts'
import { Failure } from '../source/failure.ts'

/** The names of statuses as people read them. */
export const nameOf = (status: string): string => status.replaceAll('_', ' ')

/** All that a view shows of a task; how deep it lies can change without it. */
export const shownOf = ({ depth: _, ...task }: TreeTask): string =>
  JSON.stringify(Object.entries(task).sort(([a], [b]) => (a < b ? -1 : 1)))

/** The state of a task among those that a view shows; null where it is not among them. */
export function shownIn({ items }: { readonly items: readonly TreeTask[] }, id: string) {
  const task = items.find((each) => each.id === id)
  return task ? shownOf(task) : null
}

/** The notice of a new task. */
export const added = (task: TreeTask) => ({
  words: `Added “${plain(task.title)}”.`,
  id: task.id,
  state: shownOf(task),
})

/** A task of a list, which tells no states. */
export const ofList = (task: TreeTask): SeenTreeTask => ({ task, state: null })

/**
 * A task in the state that it was shown in. One of a list is read by itself; where anything about it is not as it was shown,
 * nothing is done to it.
 */
async function asShown(api: Api, shown: SeenTreeTask): Promise<SeenTreeTask> {
  if (shown.state !== null) return shown
  const seen = await api.treeTask(shown.task.id)
  if (shownOf(seen.task) === shownOf(shown.task)) return seen
  throw overtaken(shown.task, seen.task)
}

/** Releases a task; whoever looks on may also give back what a dead agent holds. */
export const release = (api: Api, seen: SeenTreeTask): Promise<SeenTreeTask> =>
  api.treeVerb(seen, 'release', { force: seen.task.claimed_by !== api.agent })

/** Moves a task to another status by the verb that makes the move. */
export async function moveTo(api: Api, shown: SeenTreeTask, status: Status, reason = '') {
  const seen = await asShown(api, shown)
  if (seen.task.status === 'in_progress' && status === 'open') return release(api, seen)
  return api.treeVerb(seen, 'setStatus', { status, ...(reason === '' ? {} : { reason }) })
}

/** Makes a task part of another, or a root; both are to be as they were shown. */
export async function moveBelow(api: Api, shown: SeenTreeTask, parent: SeenTreeTask | null) {
  if (parent) await asShown(api, parent)
  const given = { new_parent_id: parent?.task.id ?? null }
  return api.treeVerb(await asShown(api, shown), 'reparent', given)
}

/** Somebody has changed the task since it was shown. */
export function overtaken(shown: TreeTask, now: TreeTask): Failure {
  const holder = now.claimed_by === null ? '' : `, claimed by ${now.claimed_by}`
  const what = now.status === shown.status ? 'was changed' : `is ${nameOf(now.status)} now${holder}`
  return new Failure('conflict', `“${shown.title}” ${what}.`, 'Check it, then decide again.')
}
