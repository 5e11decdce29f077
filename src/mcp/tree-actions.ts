import { flag, type Given, json, oneOf, optional, required, text } from '../schema/index.ts'
import { compete, lost } from '../store/internal.ts'
import {
  AlreadyClaimedError,
  InvalidTaskError,
  InvalidTransitionError,
  isChanged,
  NotClaimableError,
  priorityMax,
  type Status,
  type Task,
  TaskNotFoundError,
  type TaskTree,
} from '../tree/internal.ts'
import { texts } from './schema.ts'

export const priority = optional(
  json<number>({ type: 'integer', minimum: 0, maximum: priorityMax }),
  '0 is the most urgent, 4 the least; 2 if left out.',
)

const actions = [
  'claim',
  'complete',
  'block',
  'release',
  'unblock',
  'approve',
  'reject',
  'restore',
  'update',
] as const
type Action = (typeof actions)[number]

/** What is to be changed, and how. */
export const change = {
  action: required(oneOf(actions), 'What to do.'),
  id: optional(text, 'The id, or enough of its start; may be left out to claim any.'),
  note: optional(text, 'complete: a summary. block, reject: the reason.'),
  skip_review: optional(flag, 'complete: whether nobody needs to approve it.'),
  title: optional(text, 'update: the new title.'),
  body: optional(text, 'update: the new text.'),
  priority,
  add_tags: optional(texts, 'claim, update: tags to add.'),
  remove_tags: optional(texts, 'update: tags to take away.'),
}
type Act = Given<typeof change>

interface Outcome {
  readonly task: Task
  readonly changed: boolean
  /** How many tasks were brought back. */
  readonly restored?: number
}

/** The status after which an action has nothing left to do. */
const settled: Readonly<
  Record<Exclude<Action, 'claim' | 'restore' | 'update'>, readonly Status[]>
> = {
  complete: ['pending_merge', 'closed'],
  block: ['blocked'],
  release: ['open'],
  unblock: ['open'],
  approve: ['closed'],
  reject: ['blocked'],
}

/** Does what is asked, or finds it done already; null where any task would do, and none is free. */
export async function act(tree: TaskTree, given: Act, by: string): Promise<Outcome | null> {
  if (given.id === undefined) {
    if (given.action === 'claim') return claimAny(tree, given, by)
    throw new InvalidTaskError(
      'INVALID_BODY',
      'It is not said which task is meant.',
      'Give its id.',
    )
  }
  const id = await tree.resolve(given.id)
  if (given.action === 'claim') return claim(tree, id, given, by)
  if (given.action === 'update') return update(tree, id, given, by)
  if (given.action === 'restore') {
    const task = await tree.restore(id, by)
    return { task, changed: isChanged(task), restored: task.restored }
  }
  const { action } = given
  try {
    return { task: await run(tree, id, action, given, by), changed: true }
  } catch (error) {
    // Found done only after it was refused: a look before may be out of date by the time of the change.
    if (!(error instanceof InvalidTransitionError)) throw error
    const task = await tree.get(id)
    if (!settled[action].includes(task.status)) throw error
    return { task, changed: false }
  }
}

function run(
  tree: TaskTree,
  id: string,
  action: keyof typeof settled,
  { note, skip_review = false }: Act,
  by: string,
): Promise<Task> {
  switch (action) {
    case 'complete':
      return tree.complete(id, by, {
        skip_review,
        ...(note === undefined ? {} : { summary: note }),
      })
    case 'block':
    case 'reject':
      return tree[action](id, by, note === undefined ? {} : { reason: note })
    default:
      return tree[action](id, by)
  }
}

async function claim(
  tree: TaskTree,
  id: string,
  { add_tags: tags }: Act,
  by: string,
): Promise<Outcome> {
  try {
    return { task: await tree.claim(id, by, tags ? { tags } : {}), changed: true }
  } catch (error) {
    if (!(error instanceof AlreadyClaimedError)) throw error
    return { task: await tree.reclaim(id, by), changed: false }
  }
}

/** How many tasks are looked up at a time. */
const lookedUpMax = 20

/** Tries the next task where another agent was faster, and looks again after the last, until none is free. */
function claimAny(tree: TaskTree, { add_tags: tags }: Act, by: string): Promise<Outcome | null> {
  return compete('a task that is free', async () => {
    const { tasks } = await tree.ready({ limit: lookedUpMax })
    if (tasks.length === 0) return null
    for (const { id } of tasks)
      try {
        return { task: await tree.claim(id, by, tags ? { tags } : {}), changed: true }
      } catch (error) {
        if (!isTaken(error)) throw error
      }
    return lost
  })
}

/** Whether somebody else has claimed, finished or deleted a task that was free. */
const isTaken = (error: unknown): boolean =>
  error instanceof AlreadyClaimedError ||
  error instanceof NotClaimableError ||
  error instanceof TaskNotFoundError

async function update(tree: TaskTree, id: string, given: Act, by: string): Promise<Outcome> {
  const { title, body, priority, add_tags, remove_tags } = given
  const task = await tree.edit(id, { title, body, priority, add_tags, remove_tags }, by)
  return { task, changed: isChanged(task) }
}
