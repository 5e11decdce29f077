import type {
  Change,
  ChangeOutcome,
  Plan,
  Refusal,
  Session,
  StoredEvent,
} from '../../../src/plan/index.ts'
import type { Scene } from '../model.ts'
import { PlanDocuments } from './plan-documents.ts'
import {
  type Goal,
  type PlanEvent,
  type PlanLog,
  type PlanTask,
  type Wording,
  wordsOf,
} from './plan-log.ts'
import { isTrue } from './plan-refusals.ts'
import { callOf } from './plan-sessions.ts'
import type { Window } from './states.ts'

/** A change that a client asks for. */
export interface Call {
  readonly sid: string
  readonly cmd: string
  readonly reason: string | null
  readonly change: Change
  readonly since: number
  /** The words and states that the client had seen, by which it made its change conditional. */
  readonly seen: ReadonlyMap<string, Wording & { readonly status?: string }>
}

/**
 * What must hold of plans, by their specification alone: it follows what is written, and compares what clients were told
 * with it.
 */
export class PlanOracle {
  readonly documents: PlanDocuments
  readonly #violated: (what: string) => void
  /** Sessions that somebody was told of, and when. */
  readonly #acknowledged = new Map<string, number>()
  /** Who was told that something is its doing. */
  readonly #started = new Set<string>()
  readonly #archived = new Set<string>()
  /** Whose archival was asked for. */
  readonly #doomed = new Set<string>()

  constructor(scene: Scene) {
    this.documents = new PlanDocuments(scene)
    this.#violated = scene.violated
  }

  /** When a call begins. */
  get tick(): number {
    return this.documents.tick
  }

  started(path: string, call: number, answer: { session: Session; isNew: boolean }, since: number) {
    const { session, isNew } = answer
    const window = this.#until(since)
    if (session.dir_path !== path) this.#violated(`start in ${path} gave ${session.dir_path}`)
    if (!this.documents.sessions.activeIn(path, window, false).includes(session.sid))
      this.#violated(`start said ${session.sid}, which was not active`)
    if (isNew !== (callOf(session.sid) === call))
      this.#violated(`start ${call} said ${session.sid} is ${isNew ? '' : 'not '}new`)
    if (isNew && this.#started.has(session.sid)) this.#violated(`${session.sid} was new twice`)
    if (isNew) this.#started.add(session.sid)
    for (const other of this.#known(this.documents.sessions.activeIn(path, window, true), since))
      if (other !== session.sid) this.#violated(`start said ${session.sid} beside ${other}`)
    if (!this.#acknowledged.has(session.sid)) this.#acknowledged.set(session.sid, this.tick)
  }

  archiving(sid: string): void {
    this.#doomed.add(sid)
  }

  /** A session that its starter was told of stays active, and can be found, until somebody archives it. */
  checkKept(): void {
    const { states, entries } = this.documents.sessions
    for (const sid of this.#started) {
      if (this.#doomed.has(sid)) continue
      const session = states.now(sid)
      if (session?.state !== 'active')
        this.#violated(`${sid} is archived, and nobody asked for that`)
      else if (entries.get(`np/dir/${session.dir_hash}/active`) !== sid)
        this.#violated(`${sid} is not found in its directory`)
      else if (!entries.has(`np/idx/active/${sid}`)) this.#violated(`${sid} is in no list`)
    }
  }

  archived(
    sid: string,
    { session, changed }: { session: Session; changed: boolean },
    since: number,
    times: ReadonlySet<number>,
  ) {
    const states = this.documents.sessions.states.during(sid, this.#until(since))
    if (this.documents.sessions.states.now(sid)?.state !== 'archived')
      this.#violated(`${sid} is said to be archived, and is not`)
    if (changed && !states.some((state) => state?.state === 'active'))
      this.#violated(`a client archived ${sid}, which was archived before`)
    // Two who archive it in the same millisecond make the same state: once an answer is lost, nobody can tell them apart.
    const isTwin = times.has(Date.parse(session.archived_at ?? ''))
    if (changed && this.#archived.has(sid) && !isTwin) this.#violated(`${sid} was archived twice`)
    if (changed) this.#archived.add(sid)
    if (session.state !== 'archived') this.#violated(`archive answered with an active session`)
  }

  found(path: string, found: Session | null, since: number): void {
    const window = this.#until(since)
    const { sessions } = this.documents
    for (const directory of withParents(path)) {
      if (found && sessions.activeIn(directory, window, false).includes(found.sid)) return
      const there = this.#known(sessions.activeIn(directory, window, true), since)
      if (there.length === 0) continue
      this.#violated(`find ${path} gave ${found?.sid}, but ${there[0]} was active in ${directory}`)
      return
    }
    if (found) this.#violated(`find ${path} gave ${found.sid}, which was not active there`)
  }

  listed(sids: readonly string[], since: number): void {
    if (new Set(sids).size < sids.length) this.#violated('a list names a session twice')
    for (const sid of this.#known([...this.#acknowledged.keys()], since))
      if (!sids.includes(sid)) this.#violated(`a list of sessions lacks ${sid}`)
  }

  changed(call: Call, outcome: ChangeOutcome): void {
    const written = this.documents.eventsOf(call.cmd)
    const told = outcome.events.map(({ event }) => event as PlanEvent)
    if (JSON.stringify(written) !== JSON.stringify(told))
      this.#violated(`${call.cmd} was told of ${shown(told)}, and wrote ${shown(written)}`)
    const log = this.documents.log(call.sid)
    const ids = idsOf(call.change, log)
    if (outcome.tasks.map(({ id }) => id).join() !== ids.join())
      this.#violated(`${call.cmd} named ${outcome.tasks.map(({ id }) => id)} instead of ${ids}`)
    for (const { id, changed } of outcome.tasks)
      if (changed !== written.some((event) => aboutOf(event) === id))
        this.#violated(`${call.cmd} said that it did ${changed ? '' : 'not '}change ${id}`)
    this.#checkEffect(call, log)
    this.#checkCondition(call, written)
  }

  refused(call: Call, refusal: Refusal): void {
    const { sessions } = this.documents
    const states = sessions.states.during(call.sid, this.#until(call.since))
    if (!isTrue(refusal, call, this.documents.log(call.sid), states, this.#until(call.since)))
      this.#violated(`${call.cmd} was refused: ${refusal.message} That was not so.`)
  }

  planned(sid: string, { session, goal, tasks }: Plan, since: number): void {
    const log = this.documents.log(sid)
    const window = this.#until(since)
    if (session.sid !== sid) this.#violated(`the plan of ${sid} is that of ${session.sid}`)
    this.#checkGoal(log, goal, window)
    this.#checkTasks(log, tasks, window, () => true)
  }

  tasksWith(sid: string, status: string, tasks: readonly PlanTask[], since: number): void {
    const log = this.documents.log(sid)
    this.#checkTasks(log, tasks, this.#until(since), (task) => task.status === status)
  }

  /** Events are told in order, without a gap, as they are written. */
  events(
    sid: string,
    { events, total }: { events: readonly StoredEvent<object>[]; total: number },
    since: number,
    first = Math.max(1, total - events.length + 1),
  ): void {
    const log = this.documents.log(sid)
    if (total > log.events.length || total < log.countAt(since))
      this.#violated(`${sid} was said to have ${total} events, and has ${log.events.length}`)
    for (const [at, { seq, event, problem }] of events.entries())
      if (seq !== first + at || JSON.stringify(event) !== JSON.stringify(log.events[seq - 1]))
        this.#violated(`event ${first + at} of ${sid} was told as ${seq} ${problem}`)
  }

  /** What a follower shows once nothing has happened for long. */
  followed(sid: string, view: { goal: Goal | null; tasks: Map<string, PlanTask>; last: number }) {
    const log = this.documents.log(sid)
    const count = log.countAt(this.#quietTick)
    if (view.last < count)
      this.#violated(`a follower of ${sid} saw ${view.last} of ${count} events`)
    const window = this.#until(this.#quietTick)
    if (!log.goalsDuring(window).some((goal) => isSame(goal, view.goal)))
      this.#violated(`a follower of ${sid} shows the goal ${JSON.stringify(view.goal)}`)
    for (const { id } of log.allTasks()) {
      const states = log.tasks.during(id, window)
      if (!states.some((state) => isSame(state, view.tasks.get(id) ?? null)))
        this.#violated(`a follower of ${sid} shows ${JSON.stringify(view.tasks.get(id))}`)
    }
  }

  #quietTick = 0
  /** Followers judge themselves by what had been written at this moment. */
  quietSince(tick: number): void {
    this.#quietTick = tick
  }

  #checkGoal(log: PlanLog, goal: Goal | null, window: Window): void {
    if (!log.goalsDuring(window).some((state) => isSame(state, goal)))
      this.#violated(`the goal of ${log.sid} was told as ${JSON.stringify(goal)}`)
  }

  #checkTasks(
    log: PlanLog,
    tasks: readonly PlanTask[],
    window: Window,
    holds: (task: PlanTask) => boolean,
  ): void {
    const order = tasks.map((task) => task.created_seq)
    if (order.join() !== order.toSorted((a, b) => a - b).join())
      this.#violated(`tasks were told in the order ${order.join()}`)
    for (const task of tasks) {
      const states = log.tasks.during(task.id, window)
      if (!holds(task) || !states.some((state) => isSame(state, task)))
        this.#violated(`${JSON.stringify(task)} was told, and never was so meanwhile`)
    }
    const told = new Set(tasks.map(({ id }) => id))
    for (const { id } of log.allTasks())
      if (!told.has(id) && log.tasks.during(id, window).every((state) => state && holds(state)))
        this.#violated(`a list of tasks lacks ${id}`)
  }

  /** What was asked for has been so at some moment, whether this call or another made it so. */
  #checkEffect({ sid, cmd, change, since }: Call, log: PlanLog): void {
    const window = this.#until(since)
    if (change.kind === 'set-goal' || change.kind === 'update-goal') {
      const goals = log.goalsDuring(window)
      if (!goals.some((goal) => goal && holds(goal, change.words)))
        this.#violated(`${cmd} did not make ${JSON.stringify(change.words)} the goal of ${sid}`)
    } else if (change.kind === 'add-tasks') {
      for (const words of change.tasks)
        if (log.idOf({ description: '', ...words } as Wording) === undefined)
          this.#violated(`${cmd} did not add ${JSON.stringify(words)}`)
    } else
      for (const update of change.tasks) {
        const states = log.tasks.during(update.id, window)
        if (!states.some((task) => task && holds(task, update)))
          this.#violated(`${cmd} did not make ${JSON.stringify(update)}`)
      }
  }

  /** A change of what a client had seen holds for that alone. */
  #checkCondition({ cmd, seen }: Call, written: readonly PlanEvent[]): void {
    for (const [id, was] of seen) {
      const first = written.find((event) => (aboutOf(event) ?? 'goal') === id)
      if (!first) continue
      const { payload, type } = first
      const before = payload.goal_before ?? payload.before
      const isSeen =
        type === 'task_status_changed'
          ? payload.status_before === was.status
          : before !== undefined && wordsOf(before) === wordsOf(was)
      if (!isSeen) this.#violated(`${cmd} changed another state of ${id} than it had seen`)
    }
  }

  #known(sids: readonly string[], since: number): string[] {
    return sids.filter((sid) => (this.#acknowledged.get(sid) ?? Number.POSITIVE_INFINITY) <= since)
  }

  #until(since: number): Window {
    return { since, until: this.tick }
  }
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

const shown = (events: readonly PlanEvent[]): string =>
  `[${events.map(({ seq, type }) => `${seq} ${type}`).join(', ')}]`

const aboutOf = ({ payload }: PlanEvent): string | null =>
  payload.task?.id ?? payload.task_id ?? null

/** The ids of the tasks that a change names, each once. */
function idsOf(change: Change, log: PlanLog): string[] {
  if (change.kind === 'update-tasks') return [...new Set(change.tasks.map(({ id }) => id))]
  if (change.kind !== 'add-tasks') return []
  const ids = change.tasks.map((words) => log.idOf({ description: '', ...words } as Wording) ?? '?')
  return [...new Set(ids)]
}

export const holds = (there: object, wanted: object): boolean =>
  Object.entries(wanted).every(
    ([name, value]) =>
      name === 'id' ||
      name === 'state' ||
      value === undefined ||
      (there as Record<string, unknown>)[name] === value,
  )

function* withParents(path: string): Generator<string> {
  for (let at = path; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) yield at
  yield '/'
}
