import { setMaxListeners } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setBackWarning } from '../../collection/index.ts'
import { checkedOptions, type Store, StoreError } from '../../store/internal.ts'
import { Clock } from '../clock.ts'
import { Contents } from '../content.ts'
import { Metrics } from '../metrics.ts'
import { Monitor } from '../monitor.ts'
import { Repository } from '../repository.ts'
import { SetAside } from '../set-aside.ts'
import { isCostlyToWatch } from '../signal.ts'
import { Bell } from './bell.ts'
import { Claimer } from './claimer.ts'
import { Finder } from './finder.ts'
import { handOver } from './handover.ts'
import { Hands } from './hands.ts'
import { Heartbeat } from './heartbeat.ts'
import { LeaseGuard } from './lease-guard.ts'
import { News } from './news.ts'
import { type Settings, type StopOptions, settingsOf, type WorkerOptions } from './options.ts'
import type { Candidate } from './sieve.ts'
import { Tracing } from './tracing.ts'
import { Waker } from './waker.ts'
import type { Workshop } from './workshop.ts'

const idleMsMin = 100
/** Rather too early a look than one too late, where the clock of the store is only known from the last one. */
const clockMarginMs = 1_000
/** How often to look whether somebody wants a task to end, where looking costs little and where it costs a request. */
const lookMs = 1_000
const costlyLookMs = 8_000
/** How long the last reports may take, where the store is away. */
const reportsMsMax = 15_000
/** How long to wait then for answers that are on their way, each of which has a limit of its own. */
const answersMsMax = 60_000
const answersMsMaxAtExit = 5_000

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
  readonly #aside: SetAside
  readonly #now: () => number | Promise<number>
  readonly #bell = new Bell()
  readonly #hands: Hands
  #loop: Promise<void> | undefined
  #stopping: Promise<void> | undefined
  #isStarted = false
  #isStopping = false
  readonly #givenUp = new AbortController()
  /** What the store's clock is ahead of `performance.now()`. */
  #clockMs = 0
  #tracing: Tracing | null = null

  constructor(store: Store, options: WorkerOptions) {
    const {
      onWarning = () => {},
      now = () => store.now(),
      monitor,
    } = checkedOptions(store, options)
    this.#settings = settingsOf(options)
    // Each report that waits for the store listens to it.
    setMaxListeners(0, this.#givenUp.signal)
    this.id = this.#settings.id
    this.#store = store
    this.#now = new Clock(now, setBackWarning(store, onWarning)).now
    this.metrics = new Metrics(store)
    this.#news = new News(this.metrics, onWarning, options.onEvent)
    this.#aside = new SetAside(onWarning)
    const { url } = this.#settings
    this.#guard = url === undefined ? null : new LeaseGuard(url, onWarning)
    const [settings, guard, news, bell] = [this.#settings, this.#guard, this.#news, this.#bell]
    this.#hands = new Hands({ settings, guard, news, bell })
    this.#shop = this.#workshop(new Repository(store, this.#aside))
    this.#finder = new Finder(store, settings, (id) => this.#hands.holds(id))
    this.#claimer = new Claimer(this.#shop, this.#finder)
    this.#waker = new Waker(store, (key) => this.#hear(key))
    this.#heartbeat = new Heartbeat(store, this.#shop, this.#hands.running)
    this.#monitor =
      monitor === false
        ? null
        : new Monitor(store, { ...monitor, onWarning, now, metrics: this.metrics }, this.#aside)
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
   * Claims no more, waits for what runs up to a deadline, aborts it then, and gives it back without a charge as soon as its handler
   * has ended. Returns when nothing runs any more: a handler that takes no notice of being aborted is waited for up to the
   * limit of its task, and keeps its lease, so that nothing runs twice while a worker lives.
   *
   * With `beforeExit` it does not wait for such handlers: it gives their tasks back as its very last act. Exit at once then.
   */
  stop({ deadlineMs, beforeExit = false }: StopOptions = {}): Promise<void> {
    this.#stopping ??= this.#stop(deadlineMs ?? this.#settings.shutdownDeadlineMs, beforeExit)
    return this.#stopping
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  /** How many tasks it runs at this moment. */
  get runningCount(): number {
    return this.#hands.running.size
  }

  /** What Prometheus reads. */
  renderMetrics(): string {
    return this.metrics.render({
      tasks_running: this.#hands.running.size,
      concurrency: this.#settings.concurrency,
    })
  }

  /** Once a turn at most: what becomes free or known in one turn is claimed together, and goes into one commit. */
  async #run(): Promise<void> {
    let idleMs = idleMsMin
    // From the start, for the first look may take long.
    if (this.#isSlowToLook) void this.#listen()
    for (; !this.#isStopping; await nextTurn()) {
      const free = this.#hands.free()
      if (free <= 0 || (this.#hands.isClaiming && this.#finder.isExhausted)) {
        await this.#bell.wait()
        continue
      }
      const candidates = await this.#candidates(free)
      if (this.#isStopping) break
      for (const candidate of candidates)
        void this.#hands.take(candidate.id, () => this.#claimer.claim(candidate))
      if (candidates.length > 0) {
        idleMs = idleMsMin
        if (candidates.length < free && this.#isSlowToLook) void this.#listen()
        else this.#waker.rest()
      } else if (!(await this.#listen())) {
        const pauseMs = this.#finder.pauseMs(idleMs)
        const isWoken = await this.#bell.wait(Math.min(pauseMs, this.#claimer.nextDueMs()))
        idleMs = isWoken ? idleMsMin : Math.min(this.#settings.idleMsMax, idleMs * 2)
      }
    }
  }

  /** Whether looks take so long that the worker should listen during them, so that new tasks need not wait. */
  get #isSlowToLook(): boolean {
    const { watch, listCost } = this.#store.limits
    return watch === 'push' && listCost === 'prefix'
  }

  /** True where it has just begun to, and what came before may have been missed. */
  async #listen(): Promise<boolean> {
    const hasBegun = await this.#waker.start()
    if (hasBegun) this.#finder.noteMissed()
    else if (this.#waker.isListening) this.#finder.noteHeard(performance.now() + this.#clockMs)
    return hasBegun
  }

  async #candidates(wanted: number): Promise<Candidate[]> {
    try {
      const nowMs = await this.#now()
      this.#clockMs = nowMs - performance.now()
      const candidates = await this.#finder.next(wanted, nowMs)
      this.#news.back()
      return candidates
    } catch (error) {
      this.#shop.away(error)
      return []
    }
  }

  /** A watch has named a key of the index. */
  #hear(key: string | null): void {
    const nowMs = performance.now() + this.#clockMs + clockMarginMs
    if (key === null) this.#finder.noteMissed()
    if (key === null || this.#finder.offer(key, nowMs)) this.#bell.ring()
  }

  /** Nothing comes before the deadline whose length is not known: a handler that blocks delays every answer of the store. */
  async #stop(deadlineMs: number, beforeExit: boolean): Promise<void> {
    this.#isStopping = true
    this.#bell.ring()
    const deaf = this.#waker.close()
    this.#hands.close()
    await this.#hands.idle(deadlineMs)
    const silent = this.#monitor?.stop()
    const graceMs = this.#hands.endAll()
    await this.#hands.ended(beforeExit ? graceMs : Number.POSITIVE_INFINITY)
    if (this.#guard && (await this.#isLeftTo(this.#guard))) return
    await this.#loop
    await this.#finder.settled()
    await this.#hands.reported(reportsMsMax)
    this.#givenUp.abort()
    await Promise.all([silent, deaf, this.#heartbeat.stop()])
    // What was sent already still has its answer to come.
    await this.#hands.reported(beforeExit ? answersMsMaxAtExit : answersMsMax)
    this.#hands.drop()
    if (this.#hands.running.size > 0) await handOver(this.#shop, () => this.#hands.leave())
    else {
      this.#hands.leave()
      await this.#guard?.stop()
    }
  }

  /**
   * Has the thread end the worker if handlers still run. Only ends of other attempts are waited for, for their answers come
   * here; all else the thread can do, and what is under way here loses to it. False where it can't, or need not.
   */
  async #isLeftTo(guard: LeaseGuard): Promise<boolean> {
    if (this.#hands.running.size === 0 || !guard.canTell) return false
    await this.#hands.told(reportsMsMax)
    this.#givenUp.abort()
    await this.#hands.told(answersMsMaxAtExit)
    if (this.#hands.running.size === 0) return false
    this.#heartbeat.end()
    this.#hands.drop()
    await handOver(this.#shop, () => this.#hands.leave())
    return true
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
      givenUp: this.#givenUp.signal,
      now: this.#now,
      warn: (warning) => this.#news.warn(warning),
      aside: this.#aside,
      away: (error) => this.#tellAway(error),
      begun: (execution) => this.#hands.begun(execution),
      kept: (upkeep) => void this.#hands.keep(upkeep),
      released: (execution, report) => this.#hands.released(execution, report),
      finished: (attempt, after, counter) => {
        if (after?.status === 'pending') this.#finder.noteRetry(after)
        this.#hands.letGo(attempt)?.finished(attempt, after, counter)
      },
      notFinished: (attempt, error) => this.#hands.letGo(attempt)?.notFinished(attempt, error),
      lost: (attempt) => this.#hands.letGo(attempt)?.lost(attempt),
    }
  }

  #tellAway(error: unknown): void {
    if (error instanceof StoreError && error.code === 'closed') {
      this.#isStopping = true
      this.#givenUp.abort()
      this.#hands.close()
      this.#bell.ring()
    }
    this.#news.away(error)
  }
}
