import { setTimeout as sleep } from 'node:timers/promises'
import type { Plans, SessionReader } from '../plan/internal.ts'
import { Dirty } from './dirty.ts'
import { awayBy, problemOf } from './failure.ts'
import { SessionReading } from './session-reading.ts'
import type { Action, Range } from './state.ts'

/** How long hints are gathered: one change of a plan touches several keys. */
const gatherMs = 10
/** How often to look whether the store still answers, when nothing else is read. */
const heartbeatMs = 2_000
/** How long to wait for that before it is called away. */
const patienceMs = 1_500
/** How soon a store that is away is asked again; news from it are not waited for. */
const retryMs = 1_000

/**
 * Follows one session: reads it all once, then again what the watch hints at, and tells of it. A store that
 * goes away is asked again until it answers, and then read as at the start.
 */
export class SessionFeed {
  readonly #sid: string
  readonly #reader: SessionReader
  readonly #reading: SessionReading
  readonly #tell: (action: Action) => void
  readonly #end = new AbortController()
  #dirty = new Dirty()
  /** The older events that were asked for and have not been read yet. */
  #asked: Range | null = null
  #isHinted = false
  #isAway = false
  #wake: (() => void) | undefined

  constructor(plans: Plans, sid: string, tell: (action: Action) => void) {
    this.#sid = sid
    this.#reader = plans.reader(sid)
    this.#reading = new SessionReading(this.#reader, sid)
    this.#tell = (action) => {
      if (!this.#end.signal.aborted) tell(action)
    }
  }

  start(): void {
    void this.#watch()
    void this.#work()
  }

  /** Older events have come into view. Asking for the same again while they are being read is fine. */
  want(range: Range): void {
    if (this.#asked?.first === range.first && this.#asked.last === range.last) return
    this.#asked = range
    this.#dirty.range = range
    this.#hint()
  }

  /** Nothing is told from now on; what is being read is left to itself. */
  stop(): void {
    this.#end.abort()
    this.#wake?.()
  }

  get #hasEnded(): boolean {
    return this.#end.signal.aborted
  }

  #hint(): void {
    this.#isHinted = true
    this.#wake?.()
  }

  async #watch(): Promise<void> {
    while (!this.#hasEnded) {
      try {
        for await (const change of this.#reader.changes(this.#end.signal)) {
          this.#dirty.add(change)
          this.#hint()
        }
      } catch (error) {
        this.#fail(error, Date.now())
      }
      await this.#pause(retryMs)
    }
  }

  async #work(): Promise<void> {
    while (!this.#hasEnded) {
      if (!this.#isHinted) await this.#hintOr(this.#isAway ? retryMs : heartbeatMs)
      await this.#pause(gatherMs)
      this.#isHinted = false
      const dirty = this.#dirty
      this.#dirty = new Dirty()
      if (!this.#hasEnded) await this.#read(dirty)
    }
  }

  async #read(dirty: Dirty): Promise<void> {
    const began = Date.now()
    const impatience = setTimeout(
      () => this.#fail(new Error('It does not answer.'), began),
      patienceMs,
    )
    try {
      const news = await this.#reading.news(dirty, () => clearTimeout(impatience))
      this.#isAway = false
      this.#asked = null
      this.#tell({ type: 'news', sid: this.#sid, news })
    } catch (error) {
      this.#fail(error, began)
      this.#asked = null
      // Nobody knows what was missed.
      this.#dirty.isAll = true
    } finally {
      clearTimeout(impatience)
    }
  }

  #fail(error: unknown, since: number): void {
    const problem = problemOf(error)
    if (problem !== null) {
      this.#tell({ type: 'news', sid: this.#sid, news: { session: null, problem } })
      return
    }
    this.#isAway = true
    this.#tell({ type: 'away', away: awayBy(error, since) })
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#end.signal }).catch(() => {})
  }

  /** Until a hint comes, or the time is over. */
  async #hintOr(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#wake = undefined
  }
}
