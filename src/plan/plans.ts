import {
  afterPart,
  type CorruptDocumentError,
  type DocumentEvent,
  type Log,
  type Logged,
  pooled,
  type RepairOptions,
  type StoredEvent,
  setBackWarning,
} from '../collection/index.ts'
import { checkedOptions, type Store } from '../store/internal.ts'
import type { ChangeOutcome, Plan, PlansOptions, SessionSummary } from './answers.ts'
import { taskIdOf } from './apply.ts'
import { namedPath } from './directory.ts'
import type { Goal, PlanTask, Session } from './documents.ts'
import { SessionNotFoundError, TaskNotFoundError } from './error.ts'
import type { PlanEvent } from './event.ts'
import { checkCount, checkFields, checkSid } from './given.ts'
import { sessionsPrefix, sidOf } from './keys.ts'
import { type RepairReport, repairPlans } from './repair.ts'
import { checkSessionPrefix } from './session-id.ts'
import { inOrder, logOf, tasksOf, tasksWith } from './session-log.ts'
import { SessionReader } from './session-reader.ts'
import { Sessions } from './sessions.ts'
import { goalOf, readableGoal, State } from './state.ts'
import { parseStatus, type Status } from './status.ts'
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

/**
 * The plans of all directories on one store. Every refusal is a `Refusal` and has changed nothing; failures are `StoreError`s.
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

  constructor(store: Store, options: PlansOptions = {}) {
    const { onWarning, now = Date.now } = checkedOptions(store, options)
    this.#store = store
    this.#onCorrupt = onWarning ? { onCorrupt: (error) => onWarning(error.what) } : {}
    this.#now = now
    this.#sessions = new Sessions(store, this.#onCorrupt, setBackWarning(store, onWarning))
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
    return this.#sessions.resolve(checkSessionPrefix(given))
  }

  /** The id of the session that was archived last in exactly this directory; null without one. */
  async lastArchived(directory: string): Promise<string | null> {
    return this.#sessions.lastArchived(namedPath(directory))
  }

  /** Archives a session; says whether it was active. */
  async archive(sid: string): Promise<{ session: Session; changed: boolean }> {
    await this.#log(sid).complete()
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
    checkCount('The limit', limit)
    checkCount('The offset', offset)
    const shown: string[] = []
    let total = 0
    for await (const sid of this.#sessions.ids())
      if (total++ >= offset && shown.length < limit) shown.push(sid)
    const found = await this.#sessions.getAll([...new Set(shown)])
    const sessions = await pooled(found, async (session) => ({
      session,
      goal: await readableGoal(this.#store, session.sid, this.#onCorrupt),
    }))
    return { sessions, total }
  }

  /**
   * The session, its goal and all of its tasks.
   *
   * @throws {@link SessionNotFoundError}
   */
  async plan(sid: string): Promise<Plan> {
    await this.#log(sid).complete()
    const session = await this.#sessions.get(sid)
    if (!session) throw new SessionNotFoundError(sid)
    const tasks = await tasksOf(this.#store, sid, this.#onCorrupt).values()
    const goal = await readableGoal(this.#store, sid, this.#onCorrupt)
    return { session, goal, tasks: inOrder(tasks) }
  }

  /**
   * The goal of a session, or null where none is set.
   *
   * @throws {@link SessionNotFoundError}
   */
  async goal(sid: string): Promise<Goal | null> {
    await this.#log(sid).complete()
    const goal = await goalOf(this.#store, sid)
    if (goal === null) await this.#require(sid)
    return goal
  }

  /**
   * A task of a session.
   *
   * @throws {@link TaskNotFoundError} where there is none, {@link SessionNotFoundError}.
   */
  async task(sid: string, id: string): Promise<PlanTask> {
    const checked = checkTaskId(id)
    await this.#log(sid).complete()
    try {
      return await new State(this.#store, sid, []).task(checked)
    } catch (error) {
      if (error instanceof TaskNotFoundError) await this.#require(sid)
      throw error
    }
  }

  /**
   * The tasks that have this status, in the order in which they were added.
   *
   * @throws {@link InvalidPlanError} for what is no status, {@link SessionNotFoundError}.
   */
  async tasks(sid: string, status: Status): Promise<PlanTask[]> {
    const wanted = parseStatus(status)
    await this.#log(sid).complete()
    const tasks = await tasksWith(this.#store, sid, wanted, this.#onCorrupt)
    if (tasks.length === 0) await this.#require(sid)
    return tasks
  }

  /**
   * Events in their order: all, or the newest so many, of those before this number.
   *
   * @throws {@link SessionNotFoundError}
   */
  async events(
    sid: string,
    limit?: number,
    before: number = Number.MAX_SAFE_INTEGER,
  ): Promise<{ events: StoredEvent<PlanEvent>[]; total: number }> {
    if (limit !== undefined) checkCount('The limit', limit)
    checkCount('The number', before)
    const log = this.#log(sid)
    const total = await log.complete()
    if (total === 0) await this.#require(sid)
    const events: StoredEvent<PlanEvent>[] = []
    const bounds = {
      before: Math.min(before, total + 1),
      ...(limit === undefined ? {} : { limit }),
    }
    for await (const event of log.read({ reverse: true, ...bounds })) events.push(event)
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
  async change(sid: string, change: Change, told: Told): Promise<Logged<PlanEvent>[]> {
    return [...(await this.apply(sid, change, told)).events]
  }

  /** As {@link Plans.change}, and says which tasks the change names and which of them it changed. */
  async apply(sid: string, change: Change, told: Told): Promise<ChangeOutcome> {
    const parts = { store: this.#store, sessions: this.#sessions, sid, now: this.#time() }
    const { steps, ids } = stepsOf(parts, change, told)
    const events = await this.#log(sid).append(steps)
    const changed = new Set(events.map(({ event }) => taskIdOf(event)))
    return { events, tasks: ids().map((id) => ({ id, changed: changed.has(id) })) }
  }

  /** As {@link Plans.apply}, and gives the plan as it is then. */
  async applied(sid: string, change: Change, told: Told): Promise<ChangeOutcome & { plan: Plan }> {
    const outcome = await this.apply(sid, change, told)
    const read = () => this.plan(sid)
    if (outcome.events.length === 0) return { ...outcome, plan: await read() }
    return { ...outcome, plan: await afterPart(`The plan ${sid} was changed`, read) }
  }

  /** Brings documents and indexes to what the events say. */
  async repair(options: RepairOptions = {}): Promise<RepairReport> {
    return repairPlans(
      this.#store,
      this.#sessions,
      checkFields(options, 'The options', ['dryRun', 'graceMs']),
    )
  }

  /** Hints of sessions that may have changed, until the signal is aborted; the first says that any may. */
  async *changes(signal?: AbortSignal): AsyncGenerator<DocumentEvent> {
    for await (const event of this.#store.watch(sessionsPrefix, signal))
      yield event.type === 'resync' ? event : { type: 'document', id: sidOf(event.key) }
  }

  /** Reads a session piece by piece, and hints at what has changed, for who follows it. */
  reader(sid: string): SessionReader {
    return new SessionReader(this.#store, this.#sessions, checkSid(sid), this.#onCorrupt)
  }

  #log(sid: string): Log<PlanEvent> {
    return logOf(this.#store, checkSid(sid))
  }

  /** For what has found nothing: there may not even be such a session. */
  async #require(sid: string): Promise<void> {
    if (!(await this.#sessions.get(sid))) throw new SessionNotFoundError(sid)
  }

  #time(): string {
    return new Date(this.#now()).toISOString()
  }
}
