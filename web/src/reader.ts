import { storeNow } from './clock.ts'
import { type Failure, type Outcome, outcomeOf } from './source/failure.ts'

/** What is known of one query. */
export interface State<T> {
  /** The query that all of this belongs to. */
  readonly key: string
  readonly value: T | null
  /** When the value was read, by the store's clock. */
  readonly asOfMs: number | null
  /** When it was asked for, by this computer's clock that never goes back. */
  readonly askedAt: number | null
  readonly failure: Failure | null
  /** Why the last attempt to read more of it failed. */
  readonly moreFailure: Failure | null
  /** Whether something may have changed since, and is not read because it was to be held. */
  readonly isBehind: boolean
}

/** What a read is given. */
export interface Look {
  /** When to give up. */
  readonly signal: AbortSignal
  /** What the same read answered last, or null. It has no type, for TypeScript could then not tell what a read answers. */
  readonly before: unknown
}

interface ReaderOptions<T> {
  readonly key: string
  readonly pollMs: number
  readonly pauseMs: number
  readonly read: (look: Look) => Promise<T>
  /** While this says so of what is shown, it is not renewed. */
  readonly isHeld: (value: T) => boolean
  readonly tell: (state: State<T>) => void
  readonly isHidden?: () => boolean
}

const retryMsMin = 2_000

export const nothing = {
  value: null,
  asOfMs: null,
  askedAt: null,
  failure: null,
  moreFailure: null,
  isBehind: false,
}

/**
 * One query that is read over and over, one request at a time. Its state changes only by answers to its own requests, in the
 * order they were asked for: the answer to a request that was given up, or of a reader that has ended, is dropped.
 */
export class Reader<T> {
  readonly #options: ReaderOptions<T>
  readonly #isHidden: () => boolean
  #state: State<T>
  #timer: ReturnType<typeof setTimeout> | undefined
  #dueMs = Number.POSITIVE_INFINITY
  #lastMs = 0
  #failures = 0
  #isOver = false
  /** Whether the time to read again came while a request was under way. */
  #isDue = false
  /** The request that is under way, and when it has been dealt with. */
  #turn: AbortController | null = null
  #settled: Promise<void> = Promise.resolve()
  #isExtending = false

  constructor(options: ReaderOptions<T>) {
    this.#options = options
    this.#isHidden = options.isHidden ?? (() => document.hidden)
    this.#state = { key: options.key, ...nothing }
  }

  /** Reads as soon as the last time is long enough ago. */
  soon(): void {
    if (this.#isHidden()) return
    if (this.#isHeld()) this.#fallBehind()
    else this.#at(Math.max(Date.now(), this.#lastMs + this.#options.pauseMs))
  }

  sleep(): void {
    clearTimeout(this.#timer)
    this.#dueMs = Number.POSITIVE_INFINITY
  }

  end(): void {
    this.sleep()
    this.#isOver = true
    this.#turn?.abort()
    this.#turn = null
  }

  /** Reads at once. What is under way may have read what was there before, so it is given up. */
  again(): Promise<void> {
    return this.#look(this.#state.value)
  }

  /** Reads at once, as if nothing had been read before. */
  restart(): Promise<void> {
    return this.#look(null)
  }

  /** Reads more of what is shown, once it is known. Nothing is renewed in between, so the two belong together. */
  async extend(more: (value: T, signal: AbortSignal) => Promise<T>): Promise<void> {
    if (this.#isExtending) return
    this.#isExtending = true
    try {
      while (this.#turn) await this.#settled
      const { value } = this.#state
      if (value === null || this.#isOver) return
      await this.#take(
        (signal) => more(value, signal),
        (outcome) =>
          'failure' in outcome
            ? { moreFailure: outcome.failure }
            : { value: outcome.value, moreFailure: null },
      )
    } finally {
      this.#isExtending = false
    }
  }

  #look(before: T | null): Promise<void> {
    if (this.#isOver) return Promise.resolve()
    this.sleep()
    this.#isDue = false
    this.#lastMs = Date.now()
    const asOfMs = storeNow()
    const askedAt = performance.now()
    return this.#take(
      (signal) => this.#options.read({ signal, before }),
      (outcome) => {
        this.#failures = 'failure' in outcome ? this.#failures + 1 : 0
        return 'failure' in outcome
          ? { failure: outcome.failure }
          : { ...nothing, value: outcome.value, asOfMs, askedAt }
      },
    )
  }

  /** Takes what a request answers, unless it has been given up by then. */
  #take(ask: (signal: AbortSignal) => Promise<T>, part: Taken<T>): Promise<void> {
    this.#turn?.abort()
    const turn = new AbortController()
    this.#turn = turn
    const settled = outcomeOf(() => ask(turn.signal)).then((outcome) => {
      if (this.#turn !== turn) return
      this.#turn = null
      this.#tell(part(outcome))
      this.#plan()
    })
    this.#settled = settled
    return settled
  }

  #tell(part: Partial<State<T>>): void {
    this.#state = { ...this.#state, ...part }
    this.#options.tell(this.#state)
  }

  #plan(): void {
    const { pollMs, pauseMs } = this.#options
    const retryMs = Math.min(retryMsMin * 2 ** (this.#failures - 1), pollMs)
    const nextMs = Date.now() + (this.#failures > 0 ? retryMs : pollMs)
    if (this.#isHidden()) return
    this.#at(this.#isDue ? Math.max(Date.now(), this.#lastMs + pauseMs) : nextMs)
  }

  #at(ms: number): void {
    if (ms >= this.#dueMs || this.#isOver) return
    clearTimeout(this.#timer)
    this.#dueMs = ms
    this.#timer = setTimeout(() => this.#onTime(), Math.max(0, ms - Date.now()))
  }

  #onTime(): void {
    this.sleep()
    if (this.#turn) this.#isDue = true
    else if (this.#isHeld()) this.#fallBehind()
    else void this.again()
  }

  #isHeld(): boolean {
    const { value } = this.#state
    return value !== null && this.#options.isHeld(value)
  }

  #fallBehind(): void {
    this.sleep()
    if (!this.#state.isBehind) this.#tell({ isBehind: true })
  }
}

type Taken<T> = (outcome: Outcome<T>) => Partial<State<T>>
