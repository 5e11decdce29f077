import type { Held } from '../../collection/index.ts'
import type { Stored } from '../document.ts'
import { isLoss } from '../error.ts'
import type { Command } from '../repository.ts'
import type { Task } from '../task.ts'
import type { TypedHandler } from '../task-type.ts'
import { msOf } from '../time.ts'
import { Bell } from './bell.ts'
import { AttemptContext } from './context.ts'
import { type Ending, reasonOf } from './ending.ts'
import { handle, type Result } from './handling.ts'
import type { Renewal } from './lease-guard.ts'
import { aheadMs, endMsDefault, Limit, renewalsPerLease, reportMs } from './limit.ts'
import { persistently } from './persistently.ts'
import { Report } from './report.ts'
import type { Workshop } from './workshop.ts'

/**
 * One attempt at a task: its handler, its limit, and how it ends.
 *
 * A handler that ends by itself decides: its output completes the task, its error fails it. One that is asked to
 * stop has some time for that, for which its lease is extended first; so nothing runs twice while its worker lives.
 * Then the task ends without it, and the worker says that it still runs.
 */
export class Execution {
  readonly id: string
  readonly task: Task
  readonly leaseId: string
  progress: number | string | null = null
  readonly limit: Limit
  /** When to look next whether somebody wants it to end. */
  nextLookAt: number
  /** When the lease is to be renewed next. */
  nextRenewalAt = Number.POSITIVE_INFINITY
  readonly #shop: Workshop
  readonly #handler: TypedHandler
  /** By `performance.now()`. */
  readonly startedAt: number
  /** When to extend the lease by what the handler may take to end. */
  #aheadAt = 0
  #held: Held<Stored>
  #abort: AbortController | undefined
  #ending: Ending | null = null
  #isOver = false
  #isBusy = false
  #giveUp: (() => void) | undefined

  /** `claimedAt` is when its lease began, by `performance.now()`. */
  constructor(shop: Workshop, held: Held<Stored>, claimedAt: number) {
    this.#shop = shop
    this.#held = held
    this.task = held.value.task
    this.id = held.id
    this.leaseId = this.task.lease_id as string
    this.#handler = shop.settings.handlers.get(this.task.task_type) as TypedHandler
    this.startedAt = performance.now()
    this.limit = new Limit(claimedAt + this.task.timeout_seconds * 1000)
    this.#raise(0)
    this.nextLookAt = claimedAt + shop.lookMs
    const { leaseMs } = shop.settings
    if (leaseMs !== undefined) this.nextRenewalAt = claimedAt + leaseMs / renewalsPerLease
  }

  /** The task as this attempt knows it. */
  get held(): Held<Stored> {
    return this.#held
  }

  get signal(): AbortSignal {
    return this.#controller().signal
  }

  get endMs(): number {
    return this.#handler.endMs ?? endMsDefault
  }

  /** Runs the handler, and reports how it went. Never throws. */
  async run(): Promise<void> {
    const isOurs = performance.now() < this.#sureUntil || (await this.#isStillOurs())
    const result: Result = isOurs
      ? await handle(this.#shop, this.#handler, this.task, new AttemptContext(this))
      : { type: 'thrown', error: null }
    this.#shop.metrics.observe('run_seconds', (performance.now() - this.startedAt) / 1000)
    if (this.#isOver) {
      this.#shop.warn(`The handler of task ${this.id}, which had been given up, has ended.`)
      return
    }
    this.#isOver = true
    this.#giveUp?.()
    this.#shop.released(this)
    await this.#tell(result)
  }

  /** Asks the handler to stop. Returns once it has, or once it has had its time. */
  async end(why: Ending, endMs = this.endMs): Promise<void> {
    if (this.#ending !== null || this.#isOver) return
    this.#ending = why
    if (why === 'lost') this.#shop.lost(this)
    else await this.#prolong(endMs)
    // It may have been given more time at the last moment.
    if (this.#ending === 'timeout' && performance.now() < this.limit.at) this.#ending = null
    if (this.#ending === null) return
    this.#controller().abort(reasonOf(this.#ending, this.task))
    if (this.#isOver) return
    await this.#waitForEnd(endMs)
    if (this.#isOver) return
    this.#isOver = true
    this.#shop.warn(
      `The handler of task ${this.id} did not end within ${endMs} ms of being aborted (${why}); it still runs.`,
    )
    this.#shop.released(this)
    await this.#tell({ type: 'thrown', error: reasonOf(why, this.task) })
  }

  /** The limit of the handler, and its lease, last so much longer. */
  async extend(ms: number): Promise<void> {
    if (!(Number.isFinite(ms) && ms > 0)) throw new RangeError(`extend(${ms}): give milliseconds.`)
    try {
      await this.#change(['extend', { leaseId: this.leaseId, ms }])
    } catch (error) {
      if (isLoss(error)) this.#lose()
      throw error
    }
    this.#raise(ms)
  }

  /** Looks at what is due: the limit, the lease, and what others may have asked for. */
  tick(now: number): void {
    if (this.#isOver || this.#ending !== null) return
    if (now >= this.limit.at) void this.end('timeout')
    else if (this.#isBusy) return
    else if (now >= this.#aheadAt) {
      // At the limit itself the lease expires, and others may take the task.
      this.#aheadAt = Number.POSITIVE_INFINITY
      void this.#alone(() => this.#prolong(this.limit.at - now + this.endMs + aheadMs))
    } else if (now >= this.nextRenewalAt) void this.#alone(() => this.#renew())
    else if (now >= this.nextLookAt) void this.#alone(() => this.#look())
  }

  /** Somebody else of this worker has renewed the lease. */
  renewed({ from, revision, marks, expiresAt, endedAt, endsAt }: Renewal): void {
    this.#see(endedAt)
    this.limit.reach(endsAt)
    // Others have changed it before: what is known here must not be written over that.
    if (from !== this.#held.revision) return
    const { value, id } = this.#held
    const task = { ...value.task, lease_expires_at: expiresAt }
    this.#held = { id, revision, marks, value: { ...value, task } }
  }

  /** Gives the task back unchanged, before its handler was begun. */
  async giveBack(): Promise<void> {
    this.#isOver = true
    this.#shop.released(this)
    await new Report(this.#shop, this).requeue()
  }

  /** Made when somebody asks for it: most handlers do not. */
  #controller(): AbortController {
    this.#abort ??= new AbortController()
    return this.#abort
  }

  /** Never throws. */
  #tell(result: Result): Promise<void> {
    const ending = this.#ending
    if (ending === 'lost') return Promise.resolve()
    const report = new Report(this.#shop, this)
    if (result.type === 'done' && ending !== 'timeout') return report.complete(result.output)
    if (ending === 'cancelled') return report.abandon()
    if (ending === 'shutdown') return report.requeue()
    if (ending !== 'timeout') return report.fail(result.type === 'thrown' ? result.error : null)
    this.#shop.metrics.count('tasks_timed_out', this.task.task_type)
    return report.fail(reasonOf('timeout', this.task))
  }

  /** The lease must last for so long from now on. */
  async #prolong(ms: number): Promise<void> {
    try {
      const reachAt = performance.now() + ms + reportMs
      const untilMs = (await this.#shop.now()) + ms + reportMs
      await this.#change(['renew', { leaseId: this.leaseId, untilMs }])
      this.limit.reach(reachAt)
    } catch (error) {
      if (isLoss(error)) this.#lose()
      else this.#shop.away(error)
    }
  }

  async #renew(): Promise<void> {
    const leaseMs = this.#shop.settings.leaseMs as number
    const now = performance.now()
    this.nextRenewalAt = now + leaseMs / renewalsPerLease
    const untilMs = (await this.#shop.now()) + Math.min(leaseMs, this.limit.at - now)
    await this.#change(['renew', { leaseId: this.leaseId, untilMs }])
  }

  /** Until then its lease lasts for certain, whatever became of this worker since the claim. */
  get #sureUntil(): number {
    return Math.min(this.nextRenewalAt, this.limit.at)
  }

  /**
   * Whether a task that was claimed long ago may begin: the answer came late, or another handler has blocked the event loop
   * before anybody watched over this lease. By now it may be another's. Where not, it is known why it has ended.
   */
  async #isStillOurs(): Promise<boolean> {
    const renew = async () => {
      if (this.#mayBegin) await this.#renew()
    }
    this.#isBusy = true
    try {
      while (this.#mayBegin && performance.now() >= this.#sureUntil)
        await persistently(this.#shop, renew)
      if (this.#mayBegin) return true
    } catch (error) {
      if (!isLoss(error)) this.#shop.away(error)
    } finally {
      this.#isBusy = false
    }
    if (this.#ending === null) this.#lose()
    return false
  }

  get #mayBegin(): boolean {
    return this.#ending === null && performance.now() < this.limit.at
  }

  /** Others may have cancelled it, taken it away, or given it more time. */
  async #look(): Promise<void> {
    this.nextLookAt = performance.now() + this.#shop.lookMs
    const held = await this.#shop.repository.tasks.hold(this.id)
    const task = held?.value.task
    if (!task || task.lease_id !== this.leaseId) return this.#lose()
    if (held.revision === this.#held.revision) return
    await this.#heed(task)
    this.#held = { ...held, marks: this.#held.marks }
  }

  /** What others may have made of it: they want it to end, or to last longer. */
  async #heed({ cancel_requested, lease_expires_at: time }: Task): Promise<void> {
    if (cancel_requested) void this.end('cancelled')
    const now = performance.now()
    // The thread may have given the handler the time to end by then; it tells what it found.
    const isThreads = this.#shop.guard !== null && now >= this.limit.at - aheadMs
    if (time !== null && !isThreads) this.#see(now + msOf(time) - (await this.#shop.now()))
  }

  /** Somebody may have given it more time: the limit is never before the end of the lease. */
  #see(leaseEndsAt: number): void {
    if (this.limit.see(leaseEndsAt) > 0) this.#raise(0)
  }

  #raise(ms: number): void {
    this.limit.raise(ms)
    this.#shop.guard?.raise(this)
    // A thread that watches over leases does it by itself.
    this.#aheadAt = this.#shop.guard ? Number.POSITIVE_INFINITY : this.limit.at - aheadMs
  }

  #lose(): void {
    if (this.#ending === null) void this.end('lost')
    else if (this.#ending !== 'lost') {
      this.#ending = 'lost'
      this.#shop.lost(this)
    }
  }

  async #change(command: Command): Promise<void> {
    const known = this.#held.value.task
    const { before, held } = await this.#shop.repository.changeHeld(this.#held, command)
    if (before !== known) await this.#heed(before)
    if (held) this.#held = held
  }

  /** One thing at a time; a store that is away is asked again with the next tick. */
  async #alone(run: () => Promise<void>): Promise<void> {
    this.#isBusy = true
    try {
      await run()
    } catch (error) {
      if (isLoss(error)) this.#lose()
      else this.#shop.away(error)
    } finally {
      this.#isBusy = false
    }
  }

  async #waitForEnd(ms: number): Promise<void> {
    const bell = new Bell()
    this.#giveUp = () => bell.ring()
    await bell.wait(ms)
  }
}
