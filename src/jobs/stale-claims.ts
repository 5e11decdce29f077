import { StoreClosedError } from './error.ts'

/** Claims are looked at so many times in the time that they may last. */
const looksPerTtl = 4
/** Timers can't wait for longer. */
const timerMsMax = 2 ** 31 - 1

/** Looks for claims that have expired, again and again, where claims expire at all. */
export class StaleClaims {
  /** Null where they last for ever. */
  readonly ttlMs: number | null
  readonly #timer: NodeJS.Timeout | undefined
  #isLooking = false

  constructor(options: {
    ttlMs: number | undefined
    release: (ttlMs: number) => Promise<number>
    onWarning: (warning: string) => void
  }) {
    const { ttlMs, release, onWarning } = options
    this.ttlMs = ttlMs ?? null
    if (ttlMs === undefined) return
    if (!(Number.isFinite(ttlMs) && ttlMs > 0))
      throw new RangeError(
        `A claimTtlMs of ${ttlMs} is not possible. Give milliseconds, or leave it out.`,
      )
    const everyMs = Math.min(timerMsMax, Math.max(1, ttlMs / looksPerTtl))
    this.#timer = setInterval(() => void this.#look(release, ttlMs, onWarning), everyMs)
    // A program that has nothing else to do may end.
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async #look(
    release: (ttlMs: number) => Promise<number>,
    ttlMs: number,
    onWarning: (warning: string) => void,
  ): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    try {
      await release(ttlMs)
    } catch (error) {
      if (error instanceof StoreClosedError) return
      const why = error instanceof Error ? error.message : String(error)
      onWarning(`Looking for expired claims failed: ${why}`)
    } finally {
      this.#isLooking = false
    }
  }
}
