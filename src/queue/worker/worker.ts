import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Store, StoreError } from '../../store/index.ts'
import { Clock } from '../clock.ts'
import { Contents } from '../content.ts'
import { Metrics } from '../metrics.ts'
import { Monitor } from '../monitor.ts'
import { Repository } from '../repository.ts'
import { Bell } from './bell.ts'
import { Claimer } from './claimer.ts'
import type { Execution } from './execution.ts'
import { type Candidate, Finder } from './finder.ts'
import { Heartbeat } from './heartbeat.ts'
import { LeaseGuard } from './lease-guard.ts'
import { News } from './news.ts'
import { type Settings, type StopOptions, settingsOf, type WorkerOptions } from './options.ts'
import { Tracing } from './tracing.ts'
import { isCostlyToWatch, Waker } from './waker.ts'
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

/**
 * Claims tasks of the types that it has handlers for, runs several at once, and reports how they went. It goes on by
 * itself after any outage of the store, and nothing that a task does ends it.
 */
export class Worker implements AsyncDisposable {
  /** Its name, which no other worker has. */
  readonly id: string
  /** What it has done so far, for Prometheus. */
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
  readonly #news: News
  readonly #now: () => number | Promise<number>
  readonly #running = new Set<Execution>()
  readonly #inHand = new Set<string>()
  /** Claimed ahead, oldest first. */
  readonly #prefetched: Execution[] = []
  /** How many are being claimed, and reported on. */
  #claiming = 0
  #reports = 0
  readonly #bell = new Bell()
  #ticker: NodeJS.Timeout | undefined
  #loop: Promise<void> | undefined
  #stopping: Promise<void> | undefined
  #isStarted = false
  #isStopping = false
  #isGivenUp = false
  #lastNowMs = 0
  #tracing: Tracing | null = null

  constructor(store: Store, options: WorkerOptions) {
    const { onWarning = () => {}, now = () => store.now(), monitor } = options
    this.#settings = settingsOf(options)
    this.id = this.#settings.id
    this.#store = store
    this.#now = new Clock(now).now
    this.metrics = new Metrics(store)
    this.#news = new News(this.metrics, onWarning, options.onEvent)
    const repository = new Repository(store, onWarning)
    const { url } = this.#settings
    this.#guard = url === undefined ? null : new LeaseGuard(url, onWarning)
    this.#shop = this.#workshop(repository)
    this.#finder = new Finder(store, this.#settings, (id) => this.#inHand.has(id))
    this.#claimer = new Claimer(this.#shop, this.#finder)
    this.#waker = new Waker(store, (key) => this.#hear(key))
    this.#heartbeat = new Heartbeat(store, this.#shop, this.#running)
    this.#monitor =
      monitor === false
        ? null
        : new Monitor(store, { ...monitor, onWarning, now, metrics: this.metrics })
  }

  /** Registers and begins. Returns when it is registered, or has tried to. */
  async start(): Promise<void> {
    if (this.#isStarted || this.#isStopping) return
    this.#isStarted = true
    ;[this.#tracing] = await Promise.all([Tracing.load(), this.#guard?.ready])
    if (this.#isStopping) return
    this.#loop = this.#run()
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

  /** How many tasks it runs at this moment. */
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
      if (free <= 0 || (this.#claiming > 0 && this.#finder.isExhausted)) {
        await this.#bell.wait()
        continue
      }
      const candidates = await this.#candidates(free)
      for (const candidate of candidates) void this.#claim(candidate)
      if (candidates.length > 0) {
        idleMs = idleMsMin
        this.#waker.rest()
      } else if (!(await this.#waker.start())) {
        const rounds = this.#finder.isNarrow ? this.#settings.shards.length : 1
        const isWoken = await this.#bell.wait(Math.min(idleMs / rounds, this.#claimer.nextDueMs()))
        idleMs = isWoken ? idleMsMin : Math.min(this.#settings.idleMsMax, idleMs * 2)
      }
    }
  }

  #free(): number {
    const { concurrency, prefetch } = this.#settings
    const reportsMax = Math.max(reportsMin, 2 * concurrency)
    if (this.#reports >= reportsMax) return 0
    return concurrency + prefetch - this.#running.size - this.#prefetched.length - this.#claiming
  }

  async #candidates(wanted: number): Promise<Candidate[]> {
    try {
      this.#lastNowMs = await this.#now()
      const candidates = await this.#finder.next(wanted, this.#lastNowMs)
      this.#news.back()
      return candidates
    } catch (error) {
      this.#shop.away(error)
      return []
    }
  }

  async #claim(candidate: Candidate): Promise<void> {
    const { id } = candidate
    this.#claiming++
    this.#inHand.add(id)
    const execution = await this.#claimer.claim(candidate)
    this.#claiming--
    if (execution === null) this.#inHand.delete(id)
    else if (this.#running.size < this.#settings.concurrency) this.#begin(execution)
    else this.#prefetched.push(execution)
    if (execution !== null) this.#ticker ??= setInterval(() => this.#tick(), tickMs)
    this.#bell.ring()
  }

  #begin(execution: Execution): void {
    if (this.#isStopping) {
      this.#follow(execution.giveBack())
      return
    }
    this.#running.add(execution)
    this.#news.started(execution)
    if (this.#guard) {
      this.#guard.add(execution, this.#settings.leaseMs)
      this.#guard.flush()
    }
    this.#follow(execution.run())
  }

  #follow(report: Promise<void>): void {
    this.#reports++
    void report.then(() => {
      this.#reports--
      this.#bell.ring()
    })
  }

  /** Only while there is something in hand: an idle worker is to cost nothing. */
  #tick(): void {
    if (this.#running.size === 0 && this.#prefetched.length === 0) {
      clearInterval(this.#ticker)
      this.#ticker = undefined
    }
    const now = performance.now()
    for (const execution of this.#running) execution.tick(now)
    for (const execution of this.#prefetched) execution.tick(now)
  }

  /** A watch has named a key of the index. */
  #hear(key: string | null): void {
    // Where a look costs little, it finds the entry in the state that it is in.
    if (key !== null && this.#store.limits.listCost === 'prefix')
      this.#finder.offer(key, this.#lastNowMs)
    this.#bell.ring()
  }

  async #stop(deadlineMs: number): Promise<void> {
    this.#isStopping = true
    this.#bell.ring()
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
    while (this.#claiming > 0 || this.#running.size > 0 || this.#reports > 0) {
      if (performance.now() >= until) return
      await this.#bell.wait(tickMs)
    }
  }

  #workshop(repository: Repository): Workshop {
    const worker = this
    return {
      settings: this.#settings,
      repository,
      contents: new Contents(this.#store),
      metrics: this.metrics,
      guard: this.#guard,
      lookMs: isCostlyToWatch(this.#store) ? costlyLookMs : lookMs,
      get tracing() {
        return worker.#tracing
      },
      get isGivenUp() {
        return worker.#isGivenUp
      },
      now: this.#now,
      warn: (warning) => this.#news.warn(warning),
      away: (error) => this.#tellAway(error),
      released: (execution) => this.#release(execution),
      finished: (attempt, ...outcome) => this.#letGo(attempt).finished(attempt, ...outcome),
      notFinished: (attempt, error) => this.#letGo(attempt).notFinished(attempt, error),
      lost: (attempt) => this.#letGo(attempt).lost(attempt),
    }
  }

  /** It is in our hands no more; what there is to tell of it is told next. */
  #letGo({ id }: { readonly id: string }) {
    this.#inHand.delete(id)
    return this.#news
  }

  #tellAway(error: unknown): void {
    if (error instanceof StoreError && error.code === 'closed') {
      this.#isStopping = true
      this.#isGivenUp = true
      this.#bell.ring()
    }
    this.#news.away(error)
  }

  #release(execution: Execution): void {
    this.#running.delete(execution)
    const ahead = this.#prefetched.indexOf(execution)
    if (ahead >= 0) this.#prefetched.splice(ahead, 1)
    this.#guard?.drop(execution)
    const next = this.#isStopping ? undefined : this.#prefetched.shift()
    if (next) this.#begin(next)
    this.#bell.ring()
  }
}
