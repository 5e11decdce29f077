/** How long a look at a clock serves; a millisecond or two decide nothing. */
const freshMs = 5

/**
 * A clock that is asked for by many at once, and looked at once for all of them. It never goes back, as the estimate of a
 * server's clock may by a little: what happens in a row has times in that order.
 */
export class Clock {
  readonly #source: () => number | Promise<number>
  #ms = 0
  #at = Number.NEGATIVE_INFINITY
  #looking: Promise<number> | null = null

  constructor(source: () => number | Promise<number>) {
    this.#source = source
  }

  /** Milliseconds since the epoch; without a promise where it is known. */
  readonly now = (): number | Promise<number> => {
    const since = performance.now() - this.#at
    if (since < freshMs) return this.#ms
    this.#looking ??= this.#look()
    return this.#looking
  }

  async #look(): Promise<number> {
    try {
      const ms = Math.floor(await this.#source())
      this.#ms = Math.max(ms, this.#ms)
      this.#at = performance.now()
      return this.#ms
    } finally {
      this.#looking = null
    }
  }
}
