import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { storeNow } from './clock.ts'
import { useConnected } from './context.ts'
import { type Failure, failureOf, isAborted } from './source/failure.ts'
import type { Model } from './source/source.ts'

/** What a view shows: a value, since when, and what is wrong if it could not be read again. */
export interface Reading<T> {
  readonly value: T | null
  /** When the value was read, by the store's clock. */
  readonly asOfMs: number | null
  readonly failure: Failure | null
  /** Whether something may have changed since, and is not read because it was to be held. */
  readonly isBehind: boolean
  /** Reads again, at once. */
  readonly again: () => Promise<void>
  /** Takes more than was read at first, as of the same time. */
  readonly set: (value: T) => void
}

interface State<T> {
  readonly key: string
  readonly value: T | null
  readonly asOfMs: number | null
  readonly failure: Failure | null
  readonly isBehind: boolean
}

interface ReadingOptions {
  /** However much happens, it is read at most so often. */
  readonly pauseMs?: number
  /** How often it is read without being told; as the source says where it is left out. */
  readonly pollMs?: number
  /** While this says so, it is not renewed. */
  readonly isHeld?: () => boolean
}

const pauseMsDefault = 1_000
const retryMsMin = 2_000

const nothing = { value: null, asOfMs: null, failure: null, isBehind: false }
const never = () => false

/**
 * Reads something, and again whenever it may have changed: told by the source, by time, or when the tab is seen again.
 * Hidden tabs read nothing. A value that could not be renewed stays, with its time and the failure: it is never shown as
 * new. What belongs to another key is never shown at all.
 */
export function useReading<T>(
  key: string,
  model: Model,
  read: (signal: AbortSignal) => Promise<T>,
  { pauseMs = pauseMsDefault, pollMs, isHeld = never }: ReadingOptions = {},
): Reading<T> {
  const { source, onHint } = useConnected()
  const pace = Math.min(pollMs ?? source.pollMs, source.pollMs)
  const [state, setState] = useState<State<T>>({ key, ...nothing })
  const latest = useRef({ read, isHeld })
  latest.current = { read, isHeld }
  const current = useRef<Reader<T> | null>(null)
  useEffect(() => {
    const reader = new Reader<T>(key, pace, pauseMs, setState)
    reader.read = (signal) => latest.current.read(signal)
    reader.isHeld = () => latest.current.isHeld()
    current.current = reader
    const stopHints = onHint((hint) => {
      if (hint.model === null || hint.model === model) reader.soon()
    })
    const onVisible = () => (document.hidden ? reader.sleep() : reader.soon())
    document.addEventListener('visibilitychange', onVisible)
    void reader.now()
    return () => {
      stopHints()
      document.removeEventListener('visibilitychange', onVisible)
      reader.end()
    }
  }, [key, model, onHint, pauseMs, pace])
  const again = useCallback(async () => current.current?.now(), [])
  const set = useCallback((value: T) => current.current?.take(value), [])
  const shown = state.key === key ? state : { key, ...nothing }
  return { ...shown, again, set }
}

/** One thing that is read over and over, one request at a time. */
class Reader<T> {
  readonly #key: string
  readonly #pollMs: number
  readonly #pauseMs: number
  readonly #tell: (state: State<T>) => void
  read: (signal: AbortSignal) => Promise<T> = () => Promise.reject(new Error('nothing to read'))
  isHeld: () => boolean = never
  #state: State<T>
  #timer: ReturnType<typeof setTimeout> | undefined
  #dueMs = Number.POSITIVE_INFINITY
  #lastMs = 0
  #failures = 0
  #ending = new AbortController()
  #running: Promise<void> | null = null

  constructor(key: string, pollMs: number, pauseMs: number, tell: (state: State<T>) => void) {
    this.#key = key
    this.#pollMs = pollMs
    this.#pauseMs = pauseMs
    this.#tell = tell
    this.#state = { key, ...nothing }
  }

  /** As soon as the last time is long enough ago. */
  soon(): void {
    if (document.hidden) return
    if (this.isHeld()) this.#fallBehind()
    else this.#at(Math.max(Date.now(), this.#lastMs + this.#pauseMs))
  }

  sleep(): void {
    clearTimeout(this.#timer)
    this.#dueMs = Number.POSITIVE_INFINITY
  }

  end(): void {
    this.sleep()
    this.#ending.abort()
  }

  /** More of the same, as of the same time. */
  take(value: T): void {
    const { asOfMs, isBehind } = this.#state
    this.#state = { key: this.#key, value, asOfMs, failure: null, isBehind }
    this.#tell(this.#state)
  }

  async now(): Promise<void> {
    // One that is under way may have read what was there before.
    await this.#running
    this.#running = this.#run()
    await this.#running
    this.#running = null
  }

  #at(ms: number): void {
    if (ms >= this.#dueMs || this.#ending.signal.aborted) return
    clearTimeout(this.#timer)
    this.#dueMs = ms
    const look = () => (this.isHeld() ? this.#fallBehind() : void this.now())
    this.#timer = setTimeout(look, Math.max(0, ms - Date.now()))
  }

  #fallBehind(): void {
    this.sleep()
    if (this.#state.isBehind) return
    this.#state = { ...this.#state, isBehind: true }
    this.#tell(this.#state)
  }

  async #run(): Promise<void> {
    if (this.#ending.signal.aborted) return
    this.sleep()
    this.#lastMs = Date.now()
    try {
      const asOfMs = storeNow()
      const value = await this.read(this.#ending.signal)
      this.#failures = 0
      this.#state = { key: this.#key, value, asOfMs, failure: null, isBehind: false }
    } catch (error) {
      if (isAborted(error) && this.#ending.signal.aborted) return
      this.#failures++
      this.#state = { ...this.#state, failure: failureOf(error) }
    }
    if (this.#ending.signal.aborted) return
    this.#tell(this.#state)
    const retryMs = Math.min(retryMsMin * 2 ** (this.#failures - 1), this.#pollMs)
    if (!document.hidden) this.#at(Date.now() + (this.#failures > 0 ? retryMs : this.#pollMs))
  }
}
