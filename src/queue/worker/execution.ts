import type { Held } from '../../collection/index.ts'
import type { Stored } from '../document.ts'
import type { Command } from '../step.ts'
import type { Json, Task } from '../task.ts'
import type { TypedHandler } from '../task-type.ts'
import { Bell } from './bell.ts'
import { AttemptContext } from './context.ts'
import { type Ending, reasonOf } from './ending.ts'
import { handle, type Result } from './handling.ts'
import { type Asked, Lease } from './lease.ts'
import { endMsDefault, exitEndMs, exitEndMsMax } from './limit.ts'
import { persistently } from './persistently.ts'
import { Report } from './report.ts'
import type { AttemptSpan } from './tracing.ts'
import type { Workshop } from './workshop.ts'

/**
 * One attempt at a task: its handler, its limit, and how it ends. The clock of the attempt starts with the handler; until
 * then the task waits for its turn, under a lease that is kept.
 *
 * A handler that ends by itself decides: its output completes the task, its error fails it. One that is asked to
 * stop has some time for that, for which its lease is extended first; so nothing runs twice while its worker lives.
 * Then the task ends without it, and the worker says that it still runs.
 */
export class Execution {
  readonly id: string
  readonly task: Task
  readonly lease: Lease
  progress: number | string | null = null
  span: AttemptSpan | null = null
  readonly #shop: Workshop
  readonly #handler: TypedHandler
  /** By `performance.now()`; null until the handler starts. */
  #startedAt: number | null = null
  #abort: AbortController | undefined
  #ending: Ending | null = null
  /** What else was asked for while it was ending, in case that is taken back. */
  #alsoAsked: Ending | null = null
  #isOver = false
  #giveUp: (() => void) | undefined

  /** `claimedAt` is when its lease began, by `performance.now()`. */
  constructor(shop: Workshop, held: Held<Stored>, claimedAt: number) {
    this.#shop = shop
    this.task = held.value.task
    this.id = held.id
    this.#handler = shop.settings.handlers.get(this.task.task_type) as TypedHandler
    const endMs = this.#handler.endMs ?? endMsDefault
    const onAsked = (why: Asked) => this.#heed(why)
    this.lease = new Lease(shop, { held, claimedAt, endMs, onAsked })
  }

  get leaseId(): string {
    return this.lease.leaseId
  }

  /** The task as this attempt knows it. */
  get held(): Held<Stored> {
    return this.lease.held
  }

  get signal(): AbortSignal {
    return this.#controller().signal
  }

  /** How long it may take to end before its process exits. */
  get graceMs(): number {
    return Math.min(this.#handler.endMs ?? exitEndMs, exitEndMsMax)
  }

  /** How long its handler has run. */
  get runMs(): number {
    return this.#startedAt === null ? 0 : performance.now() - this.#startedAt
  }

  /** Whether another has the task. */
  get isLost(): boolean {
    return this.#ending === 'lost'
  }

  /** Runs the handler, and sees to it that its outcome is reported. Never throws. */
  async run(): Promise<void> {
    // The answer to the claim may have come late, or another handler has blocked the event loop meanwhile.
    const isOurs = this.lease.isSure || (await this.lease.secure(() => this.#ending === null))
    if (this.#isOver || !isOurs) return
    const { input_ref } = this.task
    const fetched = input_ref === null ? { input: this.task.input } : await this.#fetched()
    if (this.#isOver) return
    if ('type' in fetched) return this.#finish(fetched)
    this.#begin()
    const context = new AttemptContext(this)
    const result = await handle(this.#handler, { ...fetched, span: this.span }, context)
    this.#shop.metrics.observe('run_seconds', this.runMs / 1000)
    if (this.#isOver)
      this.#shop.warn(`The handler of task ${this.id}, which had been given up, has ended.`)
    else this.#finish(result)
  }

  /** Asks the handler to stop. Returns once it has, or once it has had its time. */
  async end(why: Ending): Promise<void> {
    if (this.#ending !== null && this.#alsoAsked !== 'cancelled') this.#alsoAsked = why
    if (this.#ending !== null || this.#isOver) return
    this.#ending = why
    if (why === 'lost') this.#shop.lost(this)
    if (this.#startedAt === null) return this.#finish(stopped(why, this.task))
    // At a shutdown the lease goes on being renewed.
    if (why !== 'lost' && why !== 'shutdown') await this.lease.prolong(this.lease.endMs)
    // It may have been given more time at the last moment.
    if (this.#ending === 'timeout' && performance.now() < this.lease.limit.at)
      this.#ending = this.#alsoAsked
    if (this.#ending === null) return
    this.#controller().abort(reasonOf(this.#ending, this.task))
    const abortedAt = performance.now()
    await this.#waitForEnd(() => this.#latestEnd(abortedAt) - performance.now())
    if (this.#isOver) return
    const ms = Math.round(this.#latestEnd(abortedAt) - abortedAt)
    if (this.#ending === 'shutdown') this.#ending = 'timeout'
    this.#shop.warn(
      `The handler of task ${this.id} did not end within ${ms} ms of being aborted (${why}); it still runs.`,
    )
    this.#finish(stopped(why, this.task))
  }

  /**
   * The worker ends without the handler, which goes on until its process exits: answers with what is to be written of the task;
   * null where another has it.
   */
  leave(nowMs: number): Command | null {
    this.#isOver = true
    const closing = { leaseId: this.leaseId, nowMs }
    if (this.#ending === 'lost') return null
    if (this.#ending === 'cancelled') return ['abandon', { ...closing, error: null }]
    if (this.#ending !== 'timeout') return ['requeue', closing]
    this.#shop.metrics.count('tasks_timed_out', this.task.task_type)
    const error = reasonOf('timeout', this.task).message
    return ['fail', { ...closing, error, random: Math.random() }]
  }

  /** The limit of the handler, and its lease, last so much longer. */
  extend(ms: number): Promise<void> {
    return this.lease.extend(ms)
  }

  /** Looks at what is due: the limit, the lease, and what others may have asked for. */
  tick(now: number): void {
    if (this.#isOver || (this.#ending !== null && this.#ending !== 'shutdown')) return
    if (this.#ending === null && now >= this.lease.limit.at) void this.end('timeout')
    else this.lease.tick(now)
  }

  /** Gives the task back, as it waits for its turn. */
  giveBack(): void {
    if (!this.#isOver) void this.end('shutdown')
  }

  #begin(): void {
    this.#startedAt = performance.now()
    this.span = this.#shop.tracing?.spanOf(this.task) ?? null
    this.lease.begin(this.#startedAt + this.task.timeout_seconds * 1000)
    this.#shop.begun(this)
  }

  /** A large input; a store that is away is waited for. */
  async #fetched(): Promise<{ readonly input: Json } | Result> {
    try {
      const { contents } = this.#shop
      return { input: await persistently(this.#shop, () => contents.inputOf(this.task)) }
    } catch (error) {
      return { type: 'thrown', error }
    }
  }

  /** Made when somebody asks for it: most handlers do not. */
  #controller(): AbortController {
    this.#abort ??= new AbortController()
    return this.#abort
  }

  #finish(result: Result): void {
    this.#isOver = true
    this.#giveUp?.()
    this.#shop.released(this, this.#tell(result))
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

  #heed(why: Asked): void {
    // Its report is under way, and finds out how the attempt has ended.
    if (this.#isOver) return
    if (why !== 'lost' || this.#ending === null) void this.end(why)
    else if (this.#ending !== 'lost') {
      this.#ending = 'lost'
      this.#shop.lost(this)
    }
  }

  /** A shutdown is no reason to give a task back while its handler runs; its limit is. */
  #latestEnd(abortedAt: number): number {
    const { limit, endMs } = this.lease
    return endMs + (this.#ending === 'shutdown' ? Math.max(abortedAt, limit.at) : abortedAt)
  }

  async #waitForEnd(leftMs: () => number): Promise<void> {
    const bell = new Bell()
    this.#giveUp = () => bell.ring()
    for (let ms = leftMs(); !this.#isOver && ms > 0; ms = leftMs()) await bell.wait(ms)
  }
}

const stopped = (why: Ending, task: Task): Result => ({
  type: 'thrown',
  error: reasonOf(why, task),
})
