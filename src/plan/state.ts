import { type CollectionOptions, CorruptDocumentError } from '../collection/index.ts'
import type { Store } from '../store/internal.ts'
import { goalAfter } from './apply.ts'
import { addTask, type Words, withPending } from './decisions.ts'
import { type Goal, goalCodec, type PlanTask } from './documents.ts'
import { InvalidPlanError, TaskNotFoundError } from './error.ts'
import { eventCodec, type Happening, type PlanEvent } from './event.ts'
import { keysOf } from './keys.ts'
import { logOf, remedy, tasksOf } from './session-log.ts'
import { isSameTask, taskIds } from './task-id.ts'

/** What a session holds, and will hold once pending events have come to be. */
export class State {
  readonly #store: Store
  readonly #sid: string
  readonly #pending: readonly PlanEvent[]

  constructor(store: Store, sid: string, pending: readonly PlanEvent[]) {
    this.#store = store
    this.#sid = sid
    this.#pending = pending
  }

  async goal(): Promise<Goal | null> {
    const goal = await goalOf(this.#store, this.#sid)
    return this.#pending.reduce(goalAfter, goal)
  }

  async task(id: string): Promise<PlanTask> {
    const task = await this.#taskOrNull(id)
    if (!task) throw new TaskNotFoundError(id)
    return task
  }

  /** A new task under the first id that is free; or the id alone of the task that has these words already. */
  async adding(
    words: Words,
    { now, seq }: { now: string; seq: number },
  ): Promise<{ id: string; happenings: Happening[] }> {
    for (const id of taskIds(words, this.#sid)) {
      const there = await this.#occupant(id)
      if (there === null) return { id, happenings: [addTask(id, words, { now, seq })] }
      if (there !== 'unreadable' && isSameTask(there, words)) return { id, happenings: [] }
    }
    throw new InvalidPlanError('No id is left for this task.', 'Change its title.')
  }

  async #taskOrNull(id: string): Promise<PlanTask | null> {
    const document = await tasksOf(this.#store, this.#sid).get(id)
    return withPending(id, document?.value ?? null, this.#pending)
  }

  /** The words with which the task that has this id was added; null where it is free. */
  async #occupant(id: string): Promise<Words | null | 'unreadable'> {
    try {
      const task = await this.#taskOrNull(id)
      return task && ((await this.#original(task)) ?? task)
    } catch (error) {
      if (!(error instanceof CorruptDocumentError)) throw error
      return (await this.#addedAs(id)) ?? 'unreadable'
    }
  }

  /** What the log says of how a task was added: for one that can't be read, and so does not tell when. */
  async #addedAs(id: string): Promise<Words | null> {
    for await (const { event } of logOf(this.#store, this.#sid).read())
      if (event?.type === 'task_added' && event.payload.task.id === id) return event.payload.task
    return null
  }

  /** Null where the event that added it can't be read any more. */
  async #original({ id, created_seq }: PlanTask): Promise<Words | null> {
    const key = `${keysOf(this.#sid).events}/${created_seq.toString(16).padStart(16, '0')}`
    const entry = await this.#store.get(key)
    const stored = entry && readable(entry.value, key)
    const added = [stored, ...this.#pending].find(
      (event) => event?.type === 'task_added' && event.payload.task.id === id,
    )
    return added?.type === 'task_added' ? added.payload.task : null
  }
}

/** The goal of a session; null without one. Throws {@link CorruptDocumentError}. */
export async function goalOf(store: Store, sid: string): Promise<Goal | null> {
  const { goal: key } = keysOf(sid)
  const entry = await store.get(key)
  try {
    return entry && goalCodec.decode(entry.value, sid)
  } catch (error) {
    throw new CorruptDocumentError('goal of session', sid, { key, remedy }, error)
  }
}

/** The goal of a session; null also where it can't be read, of which is told. */
export async function readableGoal(
  store: Store,
  sid: string,
  { onCorrupt }: CollectionOptions,
): Promise<Goal | null> {
  try {
    return await goalOf(store, sid)
  } catch (error) {
    if (!(error instanceof CorruptDocumentError)) throw error
    onCorrupt?.(error)
    return null
  }
}

function readable(bytes: Uint8Array, key: string): PlanEvent | null {
  try {
    return eventCodec.decode(bytes, key)
  } catch {
    return null
  }
}
