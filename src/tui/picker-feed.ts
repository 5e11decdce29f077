import type { Plans } from '../plan/internal.ts'
import { awayBy } from './failure.ts'
import type { Action, Range } from './state.ts'

/** How soon a store that is away is asked again. */
const retryMs = 1_000

/** Reads pages of the list of sessions, each once, when they come into view. */
export class PickerFeed {
  readonly #plans: Plans
  readonly #tell: (action: Action) => void
  #wanted: Range | null = null
  #isReading = false
  #timer: NodeJS.Timeout | undefined

  constructor(plans: Plans, tell: (action: Action) => void) {
    this.#plans = plans
    this.#tell = tell
  }

  /** Null for nothing more. */
  want(range: Range | null): void {
    this.#wanted = range
    if (range && !this.#isReading && this.#timer === undefined) void this.#read(range)
  }

  stop(): void {
    this.#wanted = null
    clearTimeout(this.#timer)
  }

  async #read(range: Range): Promise<void> {
    const began = Date.now()
    this.#isReading = true
    try {
      const page = await this.#plans.list(range.last - range.first + 1, range.first)
      this.#isReading = false
      // Telling may well lead to another wish.
      if (this.#wanted) this.#tell({ type: 'sessions', range, ...page })
    } catch (error) {
      this.#isReading = false
      if (!this.#wanted) return
      this.#tell({ type: 'away', away: awayBy(error, began) })
      this.#timer = setTimeout(() => this.#again(), retryMs)
    }
  }

  #again(): void {
    this.#timer = undefined
    this.want(this.#wanted)
  }
}
