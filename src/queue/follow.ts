import { CorruptTaskError, TaskNotFoundError } from './error.ts'
import type { TaskVersion } from './history.ts'
import type { Repository } from './repository.ts'
import { msOf } from './time.ts'

/** A state that a task has come to; or null where some may have been missed. */
export type Followed = TaskVersion['task'] | null

/** Of how many tasks it is known what was told already; of others that is worked out by their times. */
const rememberedMax = 10_000

/**
 * The states that tasks come to from a time on, as they do. Where the queue keeps their history, each one; where the store
 * does, which is costly to read, those that are found when it is looked.
 */
export async function* follow(
  repository: Repository,
  sinceMs: number,
  signal?: AbortSignal,
): AsyncGenerator<Followed> {
  const isCostly = repository.store.versions !== undefined
  const told = new Map<string, number>()
  let isBegun = false
  for await (const event of repository.tasks.watch(signal)) {
    if (event.type === 'resync') {
      if (isBegun) yield null
      isBegun = true
      continue
    }
    const versions = isCostly
      ? await current(repository, event.id)
      : await passing(repository.history(event.id), [])
    const last = told.get(event.id) ?? 0
    for (const { version, at, task } of versions)
      if (isCostly || (last === 0 ? msOf(at) >= sinceMs : version > last)) yield task
    told.delete(event.id)
    told.set(event.id, versions.at(-1)?.version ?? last)
    if (told.size > rememberedMax) told.delete(told.keys().next().value as string)
  }
}

async function current(repository: Repository, id: string): Promise<TaskVersion[]> {
  const task = await passing(repository.get(id), null)
  return task === null ? [] : [{ version: 1, at: task.updated_at, task }]
}

/** What is corrupt or gone is passed over. */
async function passing<T>(reading: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof CorruptTaskError || error instanceof TaskNotFoundError) return otherwise
    throw error
  }
}
