import type { CollectionOptions, StoredEvent } from '../collection/index.ts'
import type { Store } from '../store/internal.ts'
import type { Goal, PlanTask, Session } from './documents.ts'
import type { PlanEvent } from './event.ts'
import { keysOf, sessionsPrefix } from './keys.ts'
import { logOf, tasksOf } from './session-log.ts'
import type { Sessions } from './sessions.ts'
import { goalOf } from './state.ts'

/** What may have changed in a session. */
export type PlanChange =
  | { readonly part: 'all' | 'session' | 'goal' | 'events' }
  | { readonly part: 'task'; readonly id: string }

/** Reads a session piece by piece, for who follows it and wants to read again only what has changed. */
export class SessionReader {
  readonly #store: Store
  readonly #sessions: Sessions
  readonly #sid: string
  readonly #options: CollectionOptions

  constructor(store: Store, sessions: Sessions, sid: string, options: CollectionOptions) {
    this.#store = store
    this.#sessions = sessions
    this.#sid = sid
    this.#options = options
  }

  /** The session, or null where it is gone. */
  session(): Promise<Session | null> {
    return this.#sessions.get(this.#sid)
  }

  /** The id of the session that is active in the directory of this one now, where that is another. */
  successor(session: Session): Promise<string | null> {
    return this.#sessions.successorOf(session)
  }

  /** Throws {@link CorruptDocumentError}. */
  goal(): Promise<Goal | null> {
    return goalOf(this.#store, this.#sid)
  }

  /** The tasks with these ids, or all, as far as they are there and can be read; in no order. */
  async tasks(ids: Iterable<string> | 'all'): Promise<PlanTask[]> {
    const tasks = tasksOf(this.#store, this.#sid, this.#options)
    if (ids !== 'all') return (await tasks.getAll([...ids])).map(({ value }) => value)
    const all: PlanTask[] = []
    for await (const { value } of tasks.scan()) all.push(value)
    return all
  }

  /** The events with these numbers, as far as they are there, and the number of the last of all. */
  async events(
    first: number,
    last: number,
  ): Promise<{ events: StoredEvent<PlanEvent>[]; total: number }> {
    const log = logOf(this.#store, this.#sid)
    const total = await log.complete()
    return { events: await log.between(first, Math.min(last, total)), total }
  }

  /** Hints of what to read again, until the signal is aborted; the first is always of everything. */
  async *changes(signal?: AbortSignal): AsyncGenerator<PlanChange> {
    for await (const event of this.#store.watch(`${sessionsPrefix}/${this.#sid}`, signal)) {
      const change = event.type === 'resync' ? allChange : changeAt(this.#sid, event.key)
      if (change) yield change
    }
  }
}

const allChange: PlanChange = { part: 'all' }

/** Null for what only follows from the rest: indexes and counters. */
function changeAt(sid: string, key: string): PlanChange | null {
  const { meta, goal, tasks, events } = keysOf(sid)
  if (key === meta) return { part: 'session' }
  if (key === goal) return { part: 'goal' }
  if (key.startsWith(`${events}/`)) return { part: 'events' }
  return key.startsWith(`${tasks}/`) ? { part: 'task', id: key.slice(tasks.length + 1) } : null
}
