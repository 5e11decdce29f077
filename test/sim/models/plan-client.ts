import {
  type Change,
  type Goal,
  Plans,
  type PlanTask,
  stateOf,
  type TaskChange,
} from '../../../src/plan/index.ts'
import type { Store } from '../../../src/store/index.ts'
import type { Client, Scene } from '../model.ts'
import type { Process } from '../process.ts'
import type { Random } from '../random.ts'
import { heard } from './heard.ts'
import { Follower } from './plan-follower.ts'
import type { Call, PlanOracle } from './plan-oracle.ts'
import { someParts, someReason, someWords } from './plan-words.ts'
import { nextSecond } from './together.ts'

const directories = ['/sim/a', '/sim/a', '/sim/a/b', '/sim/c']
const statuses = ['pending', 'in_progress', 'completed', 'failed', 'cancelled']
/** Ids follow from times: these are the same wherever the run stands among others. */
export const beganMs = Date.UTC(2026, 0, 1)

interface Tools {
  readonly store: Store
  readonly process: Process
  readonly scene: Scene
  readonly oracle: PlanOracle
  /** Sessions that some client has heard of, to do something with. */
  readonly known: string[]
  readonly newCall: () => number
}

/** An agent, in one life of its process. */
export class PlanClient implements Client {
  readonly #tools: Tools
  readonly #plans: Plans
  readonly #followers: Follower[] = []
  /** When it starts a session, in seconds since the epoch with the number of the call as milliseconds. */
  #startMs: number | null = null
  #lastStartMs = 0
  /** Every time that its clock has told. */
  readonly #times = new Set<number>()
  /** What it saw last. */
  #seen: { sid: string; goal: Goal | null; tasks: readonly PlanTask[] } | null = null

  constructor(tools: Tools) {
    this.#tools = tools
    this.#plans = new Plans(tools.store, { now: () => this.#startMs ?? this.#told() })
  }

  async close(): Promise<void> {
    await Promise.all(this.#followers.map((follower) => follower.close()))
  }

  async perform(what: string, random: Random): Promise<void> {
    const { process, scene } = this.#tools
    scene.note(process, () => `${what} …`)
    await (this as unknown as Record<string, (random: Random) => Promise<void>>)[what]?.(random)
  }

  async start(random: Random): Promise<void> {
    const { oracle, known, newCall } = this.#tools
    const [path, call, since] = [random.pick(directories), newCall(), oracle.tick]
    const second = Math.floor(Math.max(this.#nowMs(), this.#lastStartMs + 1000) / 1000)
    this.#startMs = this.#lastStartMs = 1000 * second + call
    const starting = this.#plans.start(path)
    this.#startMs = null
    await heard(this.#tools, starting, {
      done: (answer) => {
        known.push(answer.session.sid)
        oracle.started(path, call, answer, since)
      },
      nothingHappened: () => oracle.documents.sessions.notStarted(call),
    })
  }

  async archive(random: Random): Promise<void> {
    const { oracle } = this.#tools
    const sid = this.#anySession(random)
    if (sid === null) return
    const since = oracle.tick
    oracle.archiving(sid)
    await heard(this.#tools, this.#plans.archive(sid), {
      done: (answer) => oracle.archived(sid, answer, since, this.#times),
    })
  }

  setGoal(random: Random): Promise<void> {
    return this.#change(random, null, { kind: 'set-goal', words: someWords(random) })
  }

  updateGoal(random: Random): Promise<void> {
    const { goal = null } = this.#seen ?? {}
    const isConditional = goal !== null && random.chance(0.3)
    const condition = isConditional ? { state: stateOf(goal) } : {}
    const words = { ...someParts(random), ...condition }
    const seen = isConditional ? new Map([['goal', goal]]) : undefined
    return this.#change(random, someReason(random), { kind: 'update-goal', words }, seen)
  }

  addTasks(random: Random): Promise<void> {
    const tasks = Array.from({ length: random.int(1, 4) }, () => someWords(random))
    return this.#change(random, null, { kind: 'add-tasks', tasks })
  }

  async updateTasks(random: Random): Promise<void> {
    const { oracle } = this.#tools
    const sid = this.#anySession(random)
    if (sid === null) return
    if (random.chance(0.3)) await this.#look(sid)
    if (random.chance(0.3)) await nextSecond(this.#tools.process)
    const there = [...oracle.documents.log(sid).allTasks()].map(({ id }) => id)
    const ids = [...there.slice(-3), ...(random.chance(0.05) ? ['ffffff'] : [])]
    if (ids.length === 0) return
    const seen = new Map<string, PlanTask>()
    const chosen = Array.from({ length: random.int(1, 3) }, () => random.pick(ids))
    const tasks = [...new Set(chosen)].map((id): TaskChange => {
      const was = this.#seen?.sid === sid && this.#seen.tasks.find((task) => task.id === id)
      const isConditional = was && random.chance(0.5)
      if (isConditional) seen.set(id, was)
      const what = random.weighted({ status: 6, words: 2, both: 2 })
      return {
        id,
        ...(isConditional && { state: stateOf(was) }),
        ...(what !== 'words' && { status: random.pick(statuses) }),
        ...(what !== 'status' && someParts(random)),
      }
    })
    const twice = random.chance(0.1) ? [...tasks, tasks[0] as TaskChange] : tasks
    await this.#change(
      random,
      someReason(random),
      { kind: 'update-tasks', tasks: twice },
      seen,
      sid,
    )
  }

  async plan(random: Random): Promise<void> {
    const sid = this.#anySession(random)
    if (sid !== null) await this.#look(sid)
  }

  async tasks(random: Random): Promise<void> {
    const { oracle } = this.#tools
    const sid = this.#anySession(random)
    if (sid === null) return
    const [status, since] = [random.pick(statuses) as PlanTask['status'], oracle.tick]
    await heard(this.#tools, this.#plans.tasks(sid, status), {
      done: (tasks) => oracle.tasksWith(sid, status, tasks, since),
    })
  }

  async events(random: Random): Promise<void> {
    const { oracle } = this.#tools
    const sid = this.#anySession(random)
    if (sid === null) return
    const since = oracle.tick
    const limit = random.chance(0.5) ? random.int(1, 3) : undefined
    await heard(this.#tools, this.#plans.events(sid, limit), {
      done: (answer) => oracle.events(sid, answer, since),
    })
  }

  /** As an agent that comes back: it looks for the session of its directory. */
  async resume(random: Random): Promise<void> {
    const { oracle } = this.#tools
    const [path, since] = [random.pick(directories), oracle.tick]
    await heard(this.#tools, this.#plans.find(path), {
      done: (found) => oracle.found(path, found, since),
    })
  }

  async list(): Promise<void> {
    const { oracle } = this.#tools
    const since = oracle.tick
    await heard(this.#tools, this.#plans.list(), {
      done: ({ sessions }) =>
        oracle.listed(
          sessions.map(({ session }) => session.sid),
          since,
        ),
    })
  }

  async repair(): Promise<void> {
    await heard(this.#tools, this.#plans.repair())
  }

  async follow(random: Random): Promise<void> {
    const { process, oracle } = this.#tools
    const sid = this.#anySession(random)
    if (sid !== null && this.#followers.length < 2)
      this.#followers.push(new Follower(sid, this.#plans, process, oracle))
  }

  /** Does nothing for a while. */
  async hold(random: Random): Promise<void> {
    const ms = random.logarithmic(10, 20_000)
    await new Promise<void>((resolve) => void this.#tools.process.after(ms, resolve))
  }

  async #look(sid: string): Promise<void> {
    const { oracle } = this.#tools
    const since = oracle.tick
    await heard(this.#tools, this.#plans.plan(sid), {
      done: (answer) => {
        this.#seen = { sid, goal: answer.goal, tasks: answer.tasks }
        oracle.planned(sid, answer, since)
      },
    })
  }

  async #change(
    random: Random,
    reason: string | null,
    change: Change,
    seen: Call['seen'] = new Map(),
    sid: string | null = this.#anySession(random),
  ): Promise<void> {
    const { oracle, newCall } = this.#tools
    if (sid === null) return
    const cmd = `np call ${newCall()}`
    const call: Call = { sid, cmd, reason, change, since: oracle.tick, seen }
    await heard(this.#tools, this.#plans.apply(sid, change, { cmd, reason }), {
      done: (outcome) => oracle.changed(call, outcome),
      refused: (refusal) => oracle.refused(call, refusal),
      nothingHappened: () => oracle.documents.notLogged(cmd),
    })
  }

  #anySession(random: Random): string | null {
    const { known } = this.#tools
    return known.length === 0 ? null : random.pick(random.chance(0.8) ? known.slice(-2) : known)
  }

  #told(): number {
    const nowMs = this.#nowMs()
    this.#times.add(nowMs)
    return nowMs
  }

  #nowMs(): number {
    const { process, scene } = this.#tools
    return beganMs + process.wallMs() - scene.world.epochMs
  }
}
