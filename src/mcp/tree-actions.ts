import {
  AlreadyClaimedError,
  InvalidTaskError,
  type Status,
  type Task,
  TaskNotFoundError,
  type TaskTree,
} from '../tree/index.ts'

export const actions = [
  'claim',
  'complete',
  'block',
  'release',
  'unblock',
  'approve',
  'reject',
  'update',
] as const
type Action = (typeof actions)[number]

export interface Act {
  readonly action: Action
  readonly id?: string
  readonly note?: string
  readonly skip_review?: boolean
  readonly title?: string
  readonly body?: string
  readonly priority?: number
  readonly add_tags?: readonly string[]
  readonly remove_tags?: readonly string[]
}

interface Outcome {
  readonly task: Task
  readonly changed: boolean
}

/** The status after which an action has nothing left to do. */
const settled: Readonly<Record<Exclude<Action, 'claim' | 'update'>, readonly Status[]>> = {
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
  const before = await tree.get(id)
  if (settled[given.action].includes(before.status)) return { task: before, changed: false }
  return { task: await run(tree, id, given.action, given, by), changed: true }
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

/** How many tasks are tried where others claim at the same time. */
const triesMax = 20

async function claimAny(
  tree: TaskTree,
  { add_tags: tags }: Act,
  by: string,
): Promise<Outcome | null> {
  const { tasks } = await tree.ready({ limit: triesMax })
  for (const { id } of tasks)
    try {
      return { task: await tree.claim(id, by, tags ? { tags } : {}), changed: true }
    } catch (error) {
      if (!(error instanceof AlreadyClaimedError || error instanceof TaskNotFoundError)) throw error
    }
  return null
}

async function update(tree: TaskTree, id: string, given: Act, by: string): Promise<Outcome> {
  const { title, body, priority, add_tags: add, remove_tags: remove } = given
  const before = await tree.get(id)
  let task = await tree.update(id, { title, body, priority }, by)
  if (add) task = await tree.addTags(id, add, by)
  if (remove) task = await tree.removeTags(id, remove, by)
  return { task, changed: task.updated_at !== before.updated_at }
}
