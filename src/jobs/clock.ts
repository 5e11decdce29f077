import { shown } from '../collection/index.ts'
import type { Store } from '../store/internal.ts'
import { InvalidTaskError } from './error.ts'
import { isTimeMs } from './task.ts'

/** Milliseconds since the epoch, or a date. */
export type ClockSource = () => number | Date | Promise<number | Date>

/** What time it is for a manager: by the store's clock, which is the same for all, or by one that was given. */
export class Clock {
  readonly #source: ClockSource
  readonly #isGiven: boolean
  #lastMs = 0

  constructor(store: Store, source: ClockSource | undefined) {
    this.#source = source ?? (() => store.now())
    this.#isGiven = source !== undefined
  }

  /** As RFC 3339. */
  async now(): Promise<string> {
    return new Date(await this.#ms()).toISOString()
  }

  /** For new tasks. The estimate of a server's clock may go back a little; what is submitted in a row does not. */
  async creationMs(): Promise<number> {
    const ms = await this.#ms()
    if (this.#isGiven) return ms
    this.#lastMs = Math.max(this.#lastMs, ms)
    return this.#lastMs
  }

  async #ms(): Promise<number> {
    const ms = Math.floor(Number(await this.#source()))
    if (isTimeMs(ms)) return ms
    throw new InvalidTaskError(
      `The clock says ${shown(String(ms))}.`,
      'Let the option "now" give milliseconds since the epoch.',
    )
  }
}
