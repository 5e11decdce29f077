import { type SetBack, SteadyTime } from '../collection/index.ts'

/** How long a look at a clock serves; a millisecond or two decide nothing. */
const freshMs = 5

/**
 * A clock that is asked for by many at once, and looked at once for all of them. What happens in a row has times
 * in that order, unless the clock was set back.
 */
export class Clock {
  readonly #source: () => number | Promise<number>
  readonly #steady: SteadyTime
  #ms = 0
  #at = Number.NEGATIVE_INFINITY
  #looking: Promise<number> | null = null

  constructor(source: () => number | Promise<number>, onSetBack?: (setBack: SetBack) => void) {
    this.#source = source
    this.#steady = new SteadyTime(onSetBack)
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
      this.#ms = this.#steady.next(Math.floor(await this.#source()))
      this.#at = performance.now()
      return this.#ms
    } finally {
      this.#looking = null
    }
  }
}
