import { setTimeout as sleep } from 'node:timers/promises'
import type { Held } from '../../collection/index.ts'
import { StoreError } from '../../store/index.ts'
import { checkOutput, isInline } from '../content.ts'
import type { Stored } from '../document.ts'
import { errorText, LostLeaseError, PermanentError, TaskNotFoundError } from '../error.ts'
import type { Command } from '../repository.ts'
import type { Json, Task } from '../task.ts'
import { type HandlerContext, parsed, type TypedHandler } from '../task-type.ts'
import { msOf } from '../time.ts'
import type { Workshop } from './workshop.ts'

/** Why a handler is asked to stop. */
export type Ending = 'timeout' | 'cancelled' | 'shutdown' | 'lost'

/** How long a handler may take to end after it was aborted, where it does not say. */
const endMsDefault = 30_000
const pauseMsFirst = 50
const pauseMsMax = 5_000

/** How an attempt went. */
type Result =
  | { readonly type: 'done'; readonly output: unknown }
  | { readonly type: 'thrown'; readonly error: unknown }

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
  /** When the attempt is over its limit, by `performance.now()`. */
  limitAt: number
  /** When to look next whether somebody wants it to end. */
  nextLookAt: number
  /** When the lease is to be renewed next. */
  nextRenewalAt = Number.POSITIVE_INFINITY
  readonly #shop: Workshop
  readonly #handler: TypedHandler
  /** By `performance.now()`. */
  readonly startedAt: number
  /** When to extend the lease by what the handler may take to end. */
  #aheadAt: number
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
    this.limitAt = claimedAt + this.task.timeout_seconds * 1000
    this.#aheadAt = this.#aheadOf(this.limitAt)
    this.nextLookAt = claimedAt + shop.lookMs
    const { leaseMs } = shop.settings
    if (leaseMs !== undefined) this.nextRenewalAt = claimedAt + leaseMs / renewalsPerLease
  }

  get endMs(): number {
    return this.#handler.endMs ?? endMsDefault
  }

  /** Runs the handler, and reports how it went. Never throws. */
  async run(): Promise<void> {
    const result = await this.#attempt()
    this.#shop.metrics.observe('run_seconds', (performance.now() - this.startedAt) / 1000)
    if (this.#isOver) {
      this.#shop.warn(`The handler of task ${this.id}, which had been given up, has ended.`)
      return
    }
    this.#isOver = true
    this.#giveUp?.()
    this.#shop.released(this)
    await this.#report(result)
  }

  /** Asks the handler to stop. Returns once it has, or once it has had its time. */
  async end(why: Ending, endMs = this.endMs): Promise<void> {
    if (this.#ending !== null || this.#isOver) return
    this.#ending = why
    if (why === 'lost') this.#shop.lost(this)
    else await this.#prolong(endMs)
    this.#controller().abort(reasonOf(this.#ending, this.task))
    if (this.#isOver) return
    await this.#waitForEnd(endMs)
    if (this.#isOver) return
    this.#isOver = true
    this.#shop.warn(
      `The handler of task ${this.id} did not end within ${endMs} ms of being aborted (${why}); it still runs.`,
    )
    this.#shop.released(this)
    await this.#report({ type: 'thrown', error: reasonOf(why, this.task) })
  }

  /** Looks at what is due: the limit, the lease, and what others may have asked for. */
  tick(now: number): void {
    if (this.#isOver || this.#ending !== null) return
    if (now >= this.limitAt) void this.end('timeout')
    else if (this.#isBusy) return
    else if (now >= this.#aheadAt) void this.#alone(() => this.#prolongAhead(now))
    else if (now >= this.nextRenewalAt) void this.#alone(() => this.#renew())
    else if (now >= this.nextLookAt) void this.#alone(() => this.#look())
  }

  /** Somebody else of this worker has renewed the lease. */
  renewed(held: Pick<Held<Stored>, 'revision' | 'marks'>, expiresAt: string): void {
    const { value, id } = this.#held
    const task = { ...value.task, lease_expires_at: expiresAt }
    this.#held = { id, ...held, value: { ...value, task } }
  }

  /** Gives the task back unchanged, before its handler was begun. */
  async giveBack(): Promise<void> {
    this.#isOver = true
    this.#shop.released(this)
    await this.#finish((nowMs) => ['requeue', { leaseId: this.leaseId, nowMs }], 'tasks_requeued')
  }

  async #attempt(): Promise<Result> {
    try {
      const input = await this.#input()
      const output = await this.#handler.run(input as never, this.#context())
      if (!this.#handler.output) return { type: 'done', output }
      return { type: 'done', output: await parsed(this.#handler.output, output, 'output') }
    } catch (error) {
      return { type: 'thrown', error }
    }
  }

  #input(): Promise<unknown> | Json {
    const { task } = this
    if (task.input_ref === null && !this.#handler.input) return task.input
    return this.#shop.contents
      .inputOf(task)
      .then((input) => parsed(this.#handler.input, input, 'input'))
  }

  #context(): HandlerContext {
    const controller = () => this.#controller()
    return {
      task: this.task,
      attempt: this.task.attempt,
      get signal() {
        return controller().signal
      },
      progress: (how) => {
        this.progress = how
      },
      extend: (ms) => this.#extend(ms),
    }
  }

  /** Made when somebody asks for it: most handlers do not. */
  #controller(): AbortController {
    this.#abort ??= new AbortController()
    return this.#abort
  }

  async #report(result: Result): Promise<void> {
    const { leaseId } = this
    const ending = this.#ending
    if (ending === 'lost') return
    if (result.type === 'done' && ending !== 'timeout') return this.#complete(result.output)
    if (ending === 'cancelled')
      return this.#finish(
        (nowMs) => ['abandon', { leaseId, nowMs, error: null }],
        'tasks_cancelled',
      )
    if (ending === 'shutdown')
      return this.#finish((nowMs) => ['requeue', { leaseId, nowMs }], 'tasks_requeued')
    const error = ending === 'timeout' ? reasonOf('timeout', this.task) : failureOf(result)
    if (ending === 'timeout') this.#shop.metrics.count('tasks_timed_out', this.task.task_type)
    await this.#fail(error)
  }

  async #complete(given: unknown): Promise<void> {
    const { leaseId } = this
    try {
      const output = checkOutput(given)
      const outputRef = isInline(output)
        ? null
        : await this.#persistently(() => this.#shop.contents.keepOutput(this.task, output))
      const value = outputRef === null ? output.value : null
      await this.#finish(
        (nowMs) => ['complete', { leaseId, nowMs, output: value, outputRef }],
        'tasks_completed',
      )
    } catch (error) {
      await this.#fail(error)
    }
  }

  async #fail(error: unknown): Promise<void> {
    const isPermanent = isPermanentError(error)
    const command = {
      leaseId: this.leaseId,
      error: errorText(error),
      isPermanent,
      random: Math.random(),
    }
    await this.#finish((nowMs) => ['fail', { ...command, nowMs }], 'tasks_failed')
  }

  /** Reports until the store has taken it, or says that the lease is lost. */
  async #finish(
    command: (nowMs: number) => Command,
    counter: 'tasks_completed' | 'tasks_failed' | 'tasks_cancelled' | 'tasks_requeued',
  ): Promise<void> {
    let isDoubtful = false
    const report = async () =>
      this.#shop.repository.changeHeld(this.#held, command(await this.#shop.now()))
    try {
      const { after } = await report().catch((error: unknown) => {
        isDoubtful = isUnknown(error)
        this.#checkPassing(error)
        return this.#persistently(report, () => {
          isDoubtful = true
        })
      })
      this.#shop.finished(this, after, counter)
    } catch (error) {
      if (isDoubtful && error instanceof LostLeaseError && (await this.#isEnded())) {
        // The answer was lost, not the report: nobody else ends this attempt without a word.
        this.#shop.finished(this, null, counter)
        return
      }
      this.#shop.notFinished(this, error)
    }
  }

  /** Whether the task went on from this very attempt, and not by its lease expiring. */
  async #isEnded(): Promise<boolean> {
    const task = await this.#shop.repository.get(this.id).catch(() => null)
    return task !== null && task.attempt === this.task.attempt && task.status !== 'running'
  }

  /** While the store is away there is nothing else to do than to wait for it. */
  async #persistently<T>(call: () => Promise<T>, onDoubt: () => void = () => {}): Promise<T> {
    for (let pauseMs = pauseMsFirst; ; pauseMs = Math.min(pauseMsMax, pauseMs * 2)) {
      try {
        return await call()
      } catch (error) {
        this.#checkPassing(error)
        if (isUnknown(error)) onDoubt()
        await sleep(pauseMs * (0.5 + Math.random()))
      }
    }
  }

  /** Throws what waiting would not help. */
  #checkPassing(error: unknown): void {
    if (!isPassing(error) || this.#shop.isGivenUp) throw error
    this.#shop.away(error)
  }

  /** Shortly before the limit: at the limit itself the lease expires, and others may take the task. */
  #prolongAhead(now: number): Promise<void> {
    this.#aheadAt = Number.POSITIVE_INFINITY
    return this.#prolong(this.limitAt - now + this.endMs + aheadMs)
  }

  /** The lease must last for so long from now on. */
  async #prolong(ms: number): Promise<void> {
    try {
      const untilMs = (await this.#shop.now()) + ms + reportMs
      await this.#change(['renew', { leaseId: this.leaseId, untilMs }])
    } catch (error) {
      if (isLoss(error)) this.#lose()
      else this.#shop.away(error)
    }
  }

  async #extend(ms: number): Promise<void> {
    if (!(Number.isFinite(ms) && ms > 0)) throw new RangeError(`extend(${ms}): give milliseconds.`)
    try {
      await this.#change(['extend', { leaseId: this.leaseId, ms }])
    } catch (error) {
      if (isLoss(error)) this.#lose()
      throw error
    }
    this.#raise(ms)
    this.#shop.guard?.raise(this, ms)
  }

  async #renew(): Promise<void> {
    const leaseMs = this.#shop.settings.leaseMs as number
    const now = performance.now()
    this.nextRenewalAt = now + leaseMs / renewalsPerLease
    const nowMs = await this.#shop.now()
    const untilMs = nowMs + Math.min(leaseMs, this.limitAt - now)
    await this.#change(['renew', { leaseId: this.leaseId, untilMs }])
  }

  /** Others may have cancelled it, taken it away, or given it more time. */
  async #look(): Promise<void> {
    this.nextLookAt = performance.now() + this.#shop.lookMs
    const held = await this.#shop.repository.tasks.hold(this.id)
    const task = held?.value.task
    if (!task || task.lease_id !== this.leaseId) return this.#lose()
    if (held.revision === this.#held.revision) return
    await this.#noteExtension(task)
    this.#held = { ...held, marks: this.#held.marks }
    if (task.cancel_requested) void this.end('cancelled')
  }

  /** Somebody may have given it more time: the limit is never before the end of the lease. */
  async #noteExtension({ lease_expires_at }: Task): Promise<void> {
    if (lease_expires_at === null) return
    const leftMs = msOf(lease_expires_at) - (await this.#shop.now())
    const more = performance.now() + leftMs - this.limitAt
    if (more < extensionMsMin) return
    this.#raise(more)
    this.#shop.guard?.raise(this, more)
  }

  #raise(ms: number): void {
    this.limitAt += ms
    this.#aheadAt = this.#aheadOf(this.limitAt)
  }

  /** A thread that watches over leases does it by itself. */
  #aheadOf(limitAt: number): number {
    return this.#shop.guard ? Number.POSITIVE_INFINITY : limitAt - aheadMs
  }

  #lose(): void {
    if (this.#ending === null) void this.end('lost')
    else if (this.#ending !== 'lost') {
      this.#ending = 'lost'
      this.#shop.lost(this)
    }
  }

  async #change(command: Command): Promise<void> {
    const { held } = await this.#shop.repository.changeHeld(this.#held, command)
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
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      this.#giveUp = resolve
      timer = setTimeout(resolve, ms)
    })
    clearTimeout(timer)
  }
}

/** How long before its limit the lease of a handler is extended. */
const aheadMs = 700
/** How long the report at the end may take. */
const reportMs = 5_000
/** Less is what two looks at a clock differ by. */
const extensionMsMin = 500

/** A lease is renewed so many times before it would expire. */
const renewalsPerLease = 3

const isLoss = (error: unknown): boolean =>
  error instanceof LostLeaseError || error instanceof TaskNotFoundError

const isPassing = (error: unknown): error is StoreError =>
  error instanceof StoreError && (error.code === 'unavailable' || error.code === 'unknown_outcome')

const isUnknown = (error: unknown): boolean =>
  error instanceof StoreError && error.code === 'unknown_outcome'

const failureOf = (result: Result): unknown =>
  result.type === 'thrown' ? result.error : new Error('The handler ended.')

/** Modules may have loaded the class from somewhere else. */
const isPermanentError = (error: unknown): boolean =>
  error instanceof PermanentError || (error instanceof Error && error.name === 'PermanentError')

function reasonOf(why: Ending, { timeout_seconds }: Task): Error {
  const words: Readonly<Record<Ending, string>> = {
    timeout: `The task timed out after ${timeout_seconds} s.`,
    cancelled: 'The task was cancelled.',
    shutdown: 'The worker is shutting down.',
    lost: 'The lease was lost.',
  }
  // Who is asked to stop may want to know why.
  const error = new Error(words[why], { cause: why })
  error.name = why === 'timeout' ? 'TimeoutError' : 'AbortError'
  return error
}
