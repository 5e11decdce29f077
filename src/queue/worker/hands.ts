import type { Bell } from './bell.ts'
import type { Execution } from './execution.ts'
import type { LeaseGuard } from './lease-guard.ts'
import type { News } from './news.ts'
import type { Settings } from './options.ts'
import type { Attempt } from './report.ts'

const tickMs = 100
/** How many reports may be under way beside what runs. */
const reportsMin = 64

interface Tools {
  readonly settings: Settings
  readonly guard: LeaseGuard | null
  readonly news: News
  /** Rung whenever something has become free. */
  readonly bell: Bell
}

/** What a worker has in hand: tasks that it claims, that wait for their turn, that run, and that are reported on. */
export class Hands {
  readonly running = new Set<Execution>()
  readonly #tools: Tools
  /** Claimed ahead, oldest first. */
  readonly #prefetched: Execution[] = []
  readonly #ids = new Set<string>()
  #claiming = 0
  /** Attempts that are over, and whose ends the store is being told. */
  readonly #reports = new Set<Execution>()
  /** Those of which the worker has said that the store could not be told. */
  readonly #givenUp = new WeakSet<Attempt>()
  /** Renewals of leases, and looks at them, that are under way. */
  #upkeep = 0
  #isClosed = false
  #ticker: NodeJS.Timeout | undefined

  constructor(tools: Tools) {
    this.#tools = tools
  }

  holds(id: string): boolean {
    return this.#ids.has(id)
  }

  get isClaiming(): boolean {
    return this.#claiming > 0
  }

  /** How many more may be claimed. */
  free(): number {
    const { concurrency, prefetch } = this.#tools.settings
    const running = this.running.size
    if (this.#reports.size + running >= Math.max(reportsMin, 2 * concurrency)) return 0
    return concurrency + prefetch - running - this.#prefetched.length - this.#claiming
  }

  /** A task is being claimed; if that succeeds it is begun, or waits for its turn. */
  async take(id: string, claim: () => Promise<Execution | null>): Promise<void> {
    // Two looks may find the same task. If both claimed it, the one that fails would release the task of the other.
    if (this.#ids.has(id)) return
    this.#claiming++
    this.#ids.add(id)
    const execution = await claim()
    this.#claiming--
    if (execution === null) this.#ids.delete(id)
    else if (this.#isClosed) execution.giveBack()
    else if (this.running.size < this.#tools.settings.concurrency) this.#begin(execution)
    else this.#hold(execution)
    if (execution !== null) this.#ticker ??= setInterval(() => this.#tick(), tickMs)
    this.#tools.bell.ring()
  }

  /** The thread must know of it before the handler may block this one. */
  begun(execution: Execution): void {
    const { news, guard } = this.#tools
    news.started(execution)
    guard?.add(execution.lease)
    guard?.flush()
  }

  released(execution: Execution, report: Promise<void>): void {
    this.running.delete(execution)
    const ahead = this.#prefetched.indexOf(execution)
    if (ahead >= 0) this.#prefetched.splice(ahead, 1)
    this.#tools.guard?.drop(execution.lease)
    if (execution.isLost) this.#ids.delete(execution.id)
    this.#reports.add(execution)
    void report.then(() => {
      this.#reports.delete(execution)
      this.#tools.bell.ring()
    })
    const isFree = !this.#isClosed && this.running.size < this.#tools.settings.concurrency
    const next = isFree ? this.#prefetched.shift() : undefined
    if (next) this.#begin(next)
    this.#tools.bell.ring()
  }

  async keep(upkeep: Promise<unknown>): Promise<void> {
    this.#upkeep++
    await upkeep
    this.#upkeep--
  }

  /** Releases an attempt, unless its handler still runs, and returns where to report it; null if it was given up before. */
  letGo(attempt: Attempt): News | null {
    if (this.#givenUp.has(attempt)) return null
    if (!this.running.has(attempt as Execution)) this.#ids.delete(attempt.id)
    return this.#tools.news
  }

  /** Begins nothing any more, and gives back what waits for its turn. */
  close(): void {
    this.#isClosed = true
    for (const execution of [...this.#prefetched]) execution.giveBack()
  }

  /** Asks all handlers to stop; answers with how long they have for that before the process exits. */
  endAll(): number {
    const running = [...this.running]
    for (const execution of running) void execution.end('shutdown')
    return Math.max(0, ...running.map(({ graceMs }) => graceMs))
  }

  /** Until nothing runs, is claimed, kept or reported, but no longer than this. */
  idle(ms: number): Promise<void> {
    return this.#until(() => this.running.size === 0 && this.#isReported, ms)
  }

  /** Until no handler runs. */
  ended(ms: number): Promise<void> {
    return this.#until(() => this.running.size === 0, ms)
  }

  /** Until nothing is claimed or reported; leases may still be renewed. */
  told(ms: number): Promise<void> {
    return this.#until(() => this.#isTold, ms)
  }

  /** Until nothing is claimed, kept or reported. */
  reported(ms: number): Promise<void> {
    return this.#until(() => this.#isReported, ms)
  }

  /** The worker ends, whether or not the store has answered; gives what still runs. */
  leave(): readonly Execution[] {
    for (const execution of this.#reports) {
      this.#tools.news.notFinished(execution, new Error('the store has not answered in time.'))
      this.#givenUp.add(execution)
    }
    return [...this.running]
  }

  /** Nothing is looked after any more. */
  drop(): void {
    clearInterval(this.#ticker)
  }

  get #isReported(): boolean {
    return this.#isTold && this.#upkeep === 0
  }

  get #isTold(): boolean {
    return this.#claiming === 0 && this.#reports.size === 0
  }

  async #until(isSo: () => boolean, ms: number): Promise<void> {
    const until = performance.now() + ms
    while (!isSo() && performance.now() < until) await this.#tools.bell.wait(tickMs)
  }

  #begin(execution: Execution): void {
    this.running.add(execution)
    void execution.run()
  }

  /** Claimed ahead: its lease is kept until it is its turn. */
  #hold(execution: Execution): void {
    this.#prefetched.push(execution)
    this.#tools.guard?.add(execution.lease)
    this.#tools.guard?.flush()
  }

  /** Only while there is something in hand: an idle worker is to cost nothing. */
  #tick(): void {
    if (this.running.size === 0 && this.#prefetched.length === 0) {
      clearInterval(this.#ticker)
      this.#ticker = undefined
    }
    const now = performance.now()
    for (const execution of [...this.running, ...this.#prefetched]) execution.tick(now)
  }
}
