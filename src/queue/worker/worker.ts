import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Store, StoreError } from '../../store/index.ts'
import { Contents } from '../content.ts'
import { LostLeaseError } from '../error.ts'
import { Metrics } from '../metrics.ts'
import { Monitor } from '../monitor.ts'
import type { RunningTask } from '../registry.ts'
import { Repository } from '../repository.ts'
import type { Task } from '../task.ts'
import { Claimer } from './claimer.ts'
import type { Execution } from './execution.ts'
import { type Candidate, Finder } from './finder.ts'
import { Heartbeat } from './heartbeat.ts'
import { LeaseGuard } from './lease-guard.ts'
import { type Settings, settingsOf, type WorkerOptions } from './options.ts'
import { Waker } from './waker.ts'
import type { Workshop } from './workshop.ts'

const tickMs = 100
const idleMsMin = 100
/** How often to look whether somebody wants a task to end, where looking costs little and where it costs a request. */
const lookMs = 1_000
const costlyLookMs = 8_000
/** How many reports may be under way beside what runs. */
const reportsMin = 64
/** What a handler that is aborted at the end of a shutdown may take: a command is killed 5 s after it was asked to end. */
const shutdownEndMs = 7_500
const runningToldMax = 100

/** What each end of an attempt is called. */
const eventTypes = {
  tasks_completed: 'completed',
  tasks_retried: 'retried',
  tasks_failed: 'failed',
  tasks_cancelled: 'cancelled',
  tasks_requeued: 'requeued',
} as const

/** A worker that has been told to end. */
export interface StopOptions {
  /** How long to wait for what runs, where not as its options say. */
  readonly deadlineMs?: number | undefined
}

/**
 * Claims tasks of the types that it has handlers for, runs several at once, and reports how they went. It goes on by
 * itself after any outage of the store, and nothing that a task does ends it.
 */
export class Worker implements AsyncDisposable {
  readonly id: string
  readonly metrics: Metrics
  readonly #settings: Settings
  readonly #store: Store
  readonly #shop: Workshop
  readonly #finder: Finder
  readonly #claimer: Claimer
  readonly #heartbeat: Heartbeat
  readonly #waker: Waker
  readonly #monitor: Monitor | null
  readonly #guard: LeaseGuard | null
  readonly #onWarning: (warning: string) => void
  readonly #onEvent: WorkerOptions['onEvent']
  readonly #now: () => number | Promise<number>
  /** Ids that are being claimed. */
  readonly #claiming = new Set<string>()
  readonly #running = new Set<Execution>()
  readonly #inHand = new Set<string>()
  /** Claimed ahead, oldest first. */
  readonly #prefetched: Execution[] = []
  readonly #reports = new Set<Promise<void>>()
  #ticker: NodeJS.Timeout | undefined
  #loop: Promise<void> | undefined
  #stopping: Promise<void> | undefined
  #isStopping = false
  #isGivenUp = false
  #isAway = false
  #wake: (() => void) | null = null
  #isNotified = false
  #lastNowMs = 0

  constructor(store: Store, options: WorkerOptions) {
    const { onWarning = () => {}, now = () => store.now(), monitor } = options
    this.#settings = settingsOf(options)
    this.id = this.#settings.id
    this.#store = store
    this.#onWarning = onWarning
    this.#onEvent = options.onEvent
    this.#now = now
    this.metrics = new Metrics(store)
    const repository = new Repository(store, onWarning)
    const { url } = this.#settings
    this.#guard = url === undefined ? null : new LeaseGuard(url, onWarning)
    this.#shop = this.#workshop(repository)
    this.#finder = new Finder(store, this.#settings, (id) => this.#inHand.has(id))
    this.#claimer = new Claimer(this.#shop, this.#finder)
    this.#waker = new Waker(store, (key) => this.#hear(key))
    this.#heartbeat = new Heartbeat(store, this.#shop, () => this.#runningTasks())
    this.#monitor =
      monitor === false
        ? null
        : new Monitor(store, { ...monitor, onWarning, now, metrics: this.metrics })
  }

  /** Registers and begins. Returns when it is registered, or has tried to. */
  async start(): Promise<void> {
    if (this.#loop || this.#isStopping) return
    this.#loop = this.#run()
    this.#ticker = setInterval(() => this.#tick(), tickMs)
    this.#monitor?.start()
    await this.#heartbeat.start()
  }

  /**
   * Claims no more, waits for what runs up to a deadline, then aborts it and gives it back without a charge. Returns when
   * nothing runs any more.
   */
  stop({ deadlineMs }: StopOptions = {}): Promise<void> {
    this.#stopping ??= this.#stop(deadlineMs ?? this.#settings.shutdownDeadlineMs)
    return this.#stopping
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  /** How many tasks run. */
  get runningCount(): number {
    return this.#running.size
  }

  /** What Prometheus reads. */
  renderMetrics(): string {
    return this.metrics.render({
      tasks_running: this.#running.size,
      concurrency: this.#settings.concurrency,
    })
  }

  /** Once a turn at most: what becomes free or known in one turn is claimed together, and goes into one commit. */
  async #run(): Promise<void> {
    let idleMs = idleMsMin
    for (; !this.#isStopping; await nextTurn()) {
      const free = this.#free()
      if (free <= 0) {
        await this.#untilWoken()
        continue
      }
      const candidates = await this.#candidates(free)
      for (const candidate of candidates) void this.#claim(candidate)
      if (candidates.length > 0) {
        idleMs = idleMsMin
        this.#waker.rest()
      } else if (!(await this.#waker.start())) {
        const isWoken = await this.#untilWoken(Math.min(idleMs, this.#claimer.nextDueMs()))
        idleMs = isWoken ? idleMsMin : Math.min(this.#settings.idleMsMax, idleMs * 2)
      }
    }
  }

  #free(): number {
    const { concurrency, prefetch } = this.#settings
    const reportsMax = Math.max(reportsMin, 2 * concurrency)
    if (this.#reports.size >= reportsMax) return 0
    return (
      concurrency + prefetch - this.#running.size - this.#prefetched.length - this.#claiming.size
    )
  }

  async #candidates(wanted: number): Promise<Candidate[]> {
    try {
      this.#lastNowMs = await this.#now()
      const candidates = await this.#finder.next(wanted, this.#lastNowMs)
      this.#isAway = false
      return candidates
    } catch (error) {
      this.#shop.away(error)
      return []
    }
  }

  async #claim(candidate: Candidate): Promise<void> {
    const { id } = candidate
    this.#claiming.add(id)
    this.#inHand.add(id)
    const execution = await this.#claimer.claim(candidate)
    this.#claiming.delete(id)
    if (execution === null) this.#inHand.delete(id)
    else if (this.#running.size < this.#settings.concurrency) this.#begin(execution)
    else this.#prefetched.push(execution)
    this.#notify()
  }

  #begin(execution: Execution): void {
    if (this.#isStopping) {
      this.#follow(execution.giveBack())
      return
    }
    this.#running.add(execution)
    this.#onEvent?.({ type: 'started', task: execution.task, runMs: 0 })
    if (this.#guard) {
      this.#guard.add(execution, this.#settings.leaseMs)
      this.#guard.flush()
    }
    this.#follow(execution.run())
  }

  #follow(report: Promise<void>): void {
    this.#reports.add(report)
    void report.then(() => {
      this.#reports.delete(report)
      this.#notify()
    })
  }

  #tick(): void {
    const now = performance.now()
    for (const execution of this.#running) execution.tick(now)
    for (const execution of this.#prefetched) execution.tick(now)
  }

  /** A watch has named a key of the index. */
  #hear(key: string | null): void {
    // Where a look costs little, it finds the entry in the state that it is in.
    if (key !== null && this.#store.limits.listCost === 'prefix')
      this.#finder.offer(key, this.#lastNowMs)
    this.#notify()
  }

  #notify(): void {
    this.#isNotified = true
    this.#wake?.()
  }

  /** Returns at once if there was news since the last time; false where there was none for so long. */
  async #untilWoken(ms?: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined
    if (!this.#isNotified)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
        if (ms !== undefined) timer = setTimeout(resolve, ms)
      })
    clearTimeout(timer)
    this.#wake = null
    const isWoken = this.#isNotified
    this.#isNotified = false
    return isWoken
  }

  async #stop(deadlineMs: number): Promise<void> {
    this.#isStopping = true
    this.#notify()
    this.#waker.stop()
    await this.#loop
    for (const execution of this.#prefetched.splice(0)) this.#follow(execution.giveBack())
    await this.#idle(deadlineMs)
    for (const execution of this.#running)
      void execution.end('shutdown', Math.min(execution.endMs, shutdownEndMs))
    await this.#idle(2 * shutdownEndMs)
    this.#isGivenUp = true
    await this.#monitor?.stop()
    await this.#heartbeat.stop()
    clearInterval(this.#ticker)
    await this.#guard?.stop()
  }

  /** Until nothing runs, is claimed or is reported, but no longer than this. */
  async #idle(ms: number): Promise<void> {
    const until = performance.now() + ms
    while (this.#claiming.size > 0 || this.#running.size > 0 || this.#reports.size > 0) {
      if (performance.now() >= until) return
      await this.#untilWoken(tickMs)
    }
  }

  #runningTasks(): RunningTask[] {
    const tasks: RunningTask[] = []
    for (const { id, task, progress } of this.#running) {
      if (tasks.length === runningToldMax) break
      tasks.push({ id, task_type: task.task_type, attempt: task.attempt, progress })
    }
    return tasks
  }

  #workshop(repository: Repository): Workshop {
    const worker = this
    return {
      settings: this.#settings,
      repository,
      contents: new Contents(this.#store),
      metrics: this.metrics,
      guard: this.#guard,
      lookMs:
        this.#store.limits.commitWritesMax === 1 && this.#store.versions ? costlyLookMs : lookMs,
      get isGivenUp() {
        return worker.#isGivenUp
      },
      now: this.#now,
      warn: this.#onWarning,
      away: (error) => this.#tellAway(error),
      released: (execution) => this.#release(execution),
      finished: (execution, task, counter) => this.#count(execution, task, counter),
      notFinished: (execution, error) => this.#tellNotFinished(execution, error),
      lost: (execution) => this.#tellLost(execution),
    }
  }

  #release(execution: Execution): void {
    this.#running.delete(execution)
    this.#guard?.drop(execution)
    const next = this.#isStopping ? undefined : this.#prefetched.shift()
    if (next) this.#begin(next)
    this.#notify()
  }

  #count(
    { id, task, startedAt }: Execution,
    after: Task | null,
    reported: 'tasks_completed' | 'tasks_failed' | 'tasks_cancelled' | 'tasks_requeued',
  ): void {
    this.#inHand.delete(id)
    const isRetried = reported === 'tasks_failed' && after?.status === 'pending'
    const isCancelled = after?.status === 'cancelled'
    const counter = isCancelled ? 'tasks_cancelled' : isRetried ? 'tasks_retried' : reported
    this.metrics.count(counter, task.task_type)
    this.#isAway = false
    const runMs = performance.now() - startedAt
    this.#onEvent?.({ type: eventTypes[counter], task: after ?? task, runMs })
  }

  #tellNotFinished(execution: Execution, error: unknown): void {
    this.#inHand.delete(execution.id)
    if (error instanceof LostLeaseError) this.#tellLost(execution)
    else {
      const why = error instanceof Error ? error.message : String(error)
      this.#onWarning(`The end of task ${execution.id} could not be reported: ${why}`)
    }
  }

  #tellLost({ id, task }: Execution): void {
    this.#inHand.delete(id)
    this.metrics.count('leases_lost', task.task_type)
    this.#onWarning(
      `The lease on task ${id}, attempt ${task.attempt}, is lost; its outcome is dropped.`,
    )
  }

  /** Told once for each time that the store goes away. */
  #tellAway(error: unknown): void {
    if (error instanceof StoreError && error.code === 'closed') {
      this.#isStopping = true
      this.#isGivenUp = true
      this.#notify()
    }
    if (this.#isAway) return
    this.#isAway = true
    const why = error instanceof Error ? error.message : String(error)
    this.#onWarning(`The store can't be used for now, and is tried again: ${why}`)
  }
}
