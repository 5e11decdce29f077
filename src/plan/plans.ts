import {
  CorruptDocumentError,
  type DocumentEvent,
  type Logged,
  pooled,
  type RepairOptions,
  type StoredEvent,
} from '../collection/index.ts'
import type { Store } from '../store/index.ts'
import { namedPath } from './directory.ts'
import type { Goal, PlanTask, Session } from './documents.ts'
import { AmbiguousSessionError, SessionNotFoundError } from './error.ts'
import type { PlanEvent } from './event.ts'
import { keysOf, sessionsPrefix, sidOf } from './keys.ts'
import { type RepairReport, repairPlans } from './repair.ts'
import { checkSessionPrefix } from './session-id.ts'
import { logOf, tasksOf } from './session-log.ts'
import { SessionReader } from './session-reader.ts'
import { Sessions } from './sessions.ts'
import { goalOf, State } from './state.ts'
import type { Status } from './status.ts'
import {
  type Change,
  type GoalWords,
  stepsOf,
  type TaskChange,
  type TaskWords,
  type Told,
  type WordChange,
} from './steps.ts'
import { checkTaskId } from './task-id.ts'

/** How plans are kept; all of it may be left out. */
export interface PlansOptions {
  /** Told in a sentence of every stored document that can't be read, and that is therefore left out. */
  readonly onWarning?: ((warning: string) => void) | undefined
  /** Milliseconds since the epoch. */
  readonly now?: (() => number) | undefined
}

/** What an agent has set out to do: the goal, and the tasks in the order in which they were added. */
export interface Plan {
  /** The session it belongs to. */
  readonly session: Session
  /** What it is for; null until one is set. */
  readonly goal: Goal | null
  /** Its steps, in the order in which they were added. */
  readonly tasks: readonly PlanTask[]
}

/** A session and its goal, for lists. */
export interface SessionSummary {
  /** The session. */
  readonly session: Session
  /** What it is for; null until one is set. */
  readonly goal: Goal | null
}

/** How many candidates an ambiguous session id names. */
const candidatesMax = 20

/**
 * The plans of all directories on one store. Every refusal is a `Refusal` and has changed nothing; failures of the
 * store are `StoreError`s.
 *
 * @example
 * ```js
 * import { Plans } from 'holdfast/plan'
 * import { openStore } from 'holdfast/store'
 *
 * const store = await openStore('memory:')
 * const plans = new Plans(store)
 * const { session } = await plans.start(process.cwd())
 * await plans.setGoal(session.sid, { title: 'Ship 1.0' }, { cmd: 'my program' })
 * console.log((await plans.goal(session.sid)).title) // Ship 1.0
 * await store[Symbol.asyncDispose]()
 * ```
 */
export class Plans {
  readonly #store: Store
  readonly #sessions: Sessions
  readonly #onCorrupt: { onCorrupt?: (error: CorruptDocumentError) => void }
  readonly #now: () => number

  constructor(store: Store, { onWarning, now = Date.now }: PlansOptions = {}) {
    this.#store = store
    this.#onCorrupt = onWarning ? { onCorrupt: (error) => onWarning(error.what) } : {}
    this.#sessions = new Sessions(store, this.#onCorrupt)
    this.#now = now
  }

  /**
   * Starts a session in exactly this directory; says so where one is active already. A path that is not on this machine is
   * taken as it is.
   *
   * @throws {@link InvalidPlanError} for what is no path.
   */
  async start(directory: string): Promise<{ session: Session; isNew: boolean }> {
    return this.#sessions.start(namedPath(directory), this.#now())
  }

  /** The session that is active in the directory, or in the nearest one above it; null without one. */
  async find(directory: string): Promise<Session | null> {
    return this.#sessions.find(namedPath(directory))
  }

  /**
   * The session whose id starts so.
   *
   * @throws {@link SessionNotFoundError} where there is none, {@link AmbiguousSessionError} where there are several.
   */
  async session(given: string): Promise<Session> {
    const prefix = checkSessionPrefix(given)
    const ids: string[] = []
    let count = 0
    for await (const sid of this.#sessions.startingWith(prefix))
      if (count++ < candidatesMax) ids.push(sid)
    if (count > 1) throw new AmbiguousSessionError(prefix, ids, count)
    const session = ids[0] === undefined ? null : await this.#sessions.get(ids[0])
    if (!session) throw new SessionNotFoundError(prefix)
    return session
  }

  /** The id of the session that was archived last in exactly this directory; null without one. */
  async lastArchived(directory: string): Promise<string | null> {
    return this.#sessions.lastArchived(namedPath(directory))
  }

  /** Archives a session; says whether it was active. */
  async archive(sid: string): Promise<{ session: Session; changed: boolean }> {
    await logOf(this.#store, sid).complete()
    const outcome = await this.#sessions.archive(sid, this.#time())
    if (!outcome) throw new SessionNotFoundError(sid)
    return outcome
  }

  /**
   * Sessions, active ones first, each kind newest first, without the first `offset`; and how many there are in
   * all. What can't be read is told of and left out.
   */
  async list(
    limit = Number.POSITIVE_INFINITY,
    offset = 0,
  ): Promise<{ sessions: SessionSummary[]; total: number }> {
    const shown: string[] = []
    let total = 0
    for await (const sid of this.#sessions.ids())
      if (total++ >= offset && shown.length < limit) shown.push(sid)
    const found = await this.#sessions.getAll([...new Set(shown)])
    const sessions = await pooled(found, async (session) => ({
      session,
      goal: await this.#goalOrNull(session.sid),
    }))
    return { sessions, total }
  }

  /** The session, its goal and all of its tasks. */
  async plan(sid: string): Promise<Plan> {
    await logOf(this.#store, sid).complete()
    const session = await this.#sessions.get(sid)
    if (!session) throw new SessionNotFoundError(sid)
    const tasks = await tasksOf(this.#store, sid, this.#onCorrupt).values()
    return { session, goal: await this.#goalOrNull(sid), tasks: inOrder(tasks) }
  }

  /** The goal of a session, or null where none is set. */
  async goal(sid: string): Promise<Goal | null> {
    await logOf(this.#store, sid).complete()
    return goalOf(this.#store, sid)
  }

  /**
   * A task of a session.
   *
   * @throws {@link TaskNotFoundError} where there is none.
   */
  async task(sid: string, id: string): Promise<PlanTask> {
    await logOf(this.#store, sid).complete()
    return new State(this.#store, sid, []).task(checkTaskId(id))
  }

  /** The tasks that have this status, in the order in which they were added. */
  async tasks(sid: string, status: Status): Promise<PlanTask[]> {
    await logOf(this.#store, sid).complete()
    const ids: string[] = []
    for await (const { key } of this.#store.list(`${keysOf(sid).byStatus}/${status}`))
      ids.push(key.slice(key.lastIndexOf('/') + 1))
    const found = await tasksOf(this.#store, sid, this.#onCorrupt).getAll(ids)
    return inOrder(found.map(({ value }) => value).filter((task) => task.status === status))
  }

  /** Events in their order: all, or the newest so many. */
  async events(
    sid: string,
    limit?: number,
  ): Promise<{ events: StoredEvent<PlanEvent>[]; total: number }> {
    const log = logOf(this.#store, sid)
    const total = await log.complete()
    const events: StoredEvent<PlanEvent>[] = []
    for await (const event of log.read({
      reverse: true,
      ...(limit === undefined ? {} : { limit }),
    }))
      events.push(event)
    return { events: events.reverse(), total }
  }

  /**
   * Sets the goal of a session that has none.
   *
   * @throws {@link GoalAlreadySetError} where there is one, {@link SessionArchivedError} where the session is closed.
   */
  setGoal(sid: string, words: GoalWords, told: Told): Promise<Logged<PlanEvent>[]> {
    return this.change(sid, { kind: 'set-goal', words }, told)
  }

  /**
   * Changes the words of the goal.
   *
   * @throws {@link ReasonMissingError} without a reason, unless nothing changes; {@link NoGoalError} without a goal;
   * {@link ChangedMeanwhileError}.
   */
  updateGoal(sid: string, words: WordChange, told: Told): Promise<Logged<PlanEvent>[]> {
    return this.change(sid, { kind: 'update-goal', words }, told)
  }

  /**
   * Adds the tasks that are not there yet, in the order given.
   *
   * @throws {@link InvalidPlanError} for words that can't be, {@link SessionArchivedError}.
   */
  addTasks(sid: string, tasks: readonly TaskWords[], told: Told): Promise<Logged<PlanEvent>[]> {
    return this.change(sid, { kind: 'add-tasks', tasks }, told)
  }

  /**
   * Changes the status or the words of tasks; all or nothing where the store has transactions.
   *
   * @throws {@link TaskNotFoundError}, {@link ReasonMissingError} for a change that needs a reason,
   * {@link InvalidPlanError}, {@link ChangedMeanwhileError}.
   */
  updateTasks(sid: string, tasks: readonly TaskChange[], told: Told): Promise<Logged<PlanEvent>[]> {
    return this.change(sid, { kind: 'update-tasks', tasks }, told)
  }

  /** Makes a change, and answers with the events that tell of it: none where everything was so already. */
  change(sid: string, change: Change, told: Told): Promise<Logged<PlanEvent>[]> {
    const parts = { store: this.#store, sessions: this.#sessions, sid, now: this.#time() }
    return logOf(this.#store, sid).append(stepsOf(parts, change, told))
  }

  /** Brings documents and indexes to what the events say. */
  repair(options: RepairOptions = {}): Promise<RepairReport> {
    return repairPlans(this.#store, this.#sessions, options)
  }

  /** Hints of sessions that may have changed, until the signal is aborted; the first says that any may. */
  async *changes(signal?: AbortSignal): AsyncGenerator<DocumentEvent> {
    for await (const event of this.#store.watch(sessionsPrefix, signal))
      yield event.type === 'resync' ? event : { type: 'document', id: sidOf(event.key) }
  }

  /** Reads a session piece by piece, and hints at what has changed, for who follows it. */
  reader(sid: string): SessionReader {
    return new SessionReader(this.#store, this.#sessions, sid, this.#onCorrupt)
  }

  async #goalOrNull(sid: string): Promise<Goal | null> {
    try {
      return await goalOf(this.#store, sid)
    } catch (error) {
      if (!(error instanceof CorruptDocumentError)) throw error
      this.#onCorrupt.onCorrupt?.(error)
      return null
    }
  }

  #time(): string {
    return new Date(this.#now()).toISOString()
  }
}

const inOrder = (tasks: readonly PlanTask[]): PlanTask[] =>
  tasks.toSorted((a, b) => a.created_seq - b.created_seq || (a.id < b.id ? -1 : 1))
