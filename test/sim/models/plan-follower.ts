import type { Plans, SessionReader } from '../../../src/plan/internal.ts'
import { StoreError } from '../../../src/store/index.ts'
import type { Process } from '../process.ts'
import type { Goal, PlanTask } from './plan-log.ts'
import type { PlanOracle } from './plan-oracle.ts'

const patienceMs = 1_000
/** So long a watch may take to tell of something, with what may be lost on the way. */
const quietMs = 20_000

/** Follows a session as the monitor does: it hears what may have changed, and reads that again. */
export class Follower {
  readonly #sid: string
  readonly #reader: SessionReader
  readonly #process: Process
  readonly #oracle: PlanOracle
  readonly #end = new AbortController()
  readonly #ended: Promise<void>
  readonly #view = { goal: null as Goal | null, tasks: new Map<string, PlanTask>(), last: 0 }
  /** Reads that it has begun and ended, also in vain: at rest the number stays, and is even. */
  #reads = 0

  constructor(sid: string, plans: Plans, process: Process, oracle: PlanOracle) {
    this.#sid = sid
    this.#reader = plans.reader(sid)
    this.#process = process
    this.#oracle = oracle
    this.#ended = this.#follow()
  }

  /** Looks on for a while in which nothing goes wrong, if there is one soon; then it has seen all before that. */
  async close(): Promise<void> {
    for (let round = 0; round < 10; round++) {
      const { tick } = this.#oracle
      if (!(await this.#isQuiet())) continue
      this.#oracle.quietSince(tick)
      this.#oracle.followed(this.#sid, this.#view)
      break
    }
    this.#end.abort()
    await this.#ended
  }

  async #isQuiet(): Promise<boolean> {
    const reads = this.#reads
    for (let left = quietMs; left > 0; left -= patienceMs) {
      const { nowMs } = this.#process.world
      await this.#sleep(patienceMs)
      // Who stood still has not heard anything meanwhile.
      if (this.#process.world.nowMs > nowMs + patienceMs + 1) return false
    }
    return reads === this.#reads && reads % 2 === 0
  }

  async #follow(): Promise<void> {
    for await (const change of this.#reader.changes(this.#end.signal)) {
      const { part } = change
      if (part === 'all' || part === 'goal') await this.#read(() => this.#readGoal())
      if (part === 'all' || part === 'events') await this.#read(() => this.#readEvents())
      if (part === 'all') await this.#read(() => this.#readTasks('all'))
      if (part === 'task') await this.#read(() => this.#readTasks([change.id]))
    }
  }

  async #readGoal(): Promise<void> {
    this.#view.goal = await this.#reader.goal()
  }

  async #readEvents(): Promise<void> {
    const since = this.#oracle.tick
    const first = this.#view.last + 1
    const answer = await this.#reader.events(first, Number.MAX_SAFE_INTEGER)
    this.#oracle.events(this.#sid, answer, since, first)
    this.#view.last += answer.events.length
  }

  async #readTasks(ids: readonly string[] | 'all'): Promise<void> {
    for (const task of await this.#reader.tasks(ids)) this.#view.tasks.set(task.id, task)
  }

  async #read(read: () => Promise<void>): Promise<void> {
    while (!this.#end.signal.aborted) {
      this.#reads++
      try {
        return await read()
      } catch (error) {
        if (!(error instanceof StoreError)) throw error
        await this.#sleep(patienceMs)
      } finally {
        this.#reads++
      }
    }
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#process.after(ms, resolve))
  }
}
