import { SteadyTime, setBackWarning, shown } from '../collection/index.ts'
import type { Store } from '../store/internal.ts'
import { InvalidTaskError } from './error.ts'
import { isTimeMs } from './task.ts'

/** Milliseconds since the epoch, or a date. */
export type ClockSource = () => number | Date | Promise<number | Date>

/** What time it is for a manager: by the store's clock, which is the same for all, or by one that was given. */
export class Clock {
  readonly #source: ClockSource
  readonly #isGiven: boolean
  readonly #steady: SteadyTime

  constructor(
    store: Store,
    { now: source, onWarning }: { now: ClockSource | undefined; onWarning: (text: string) => void },
  ) {
    this.#source = source ?? (() => store.now())
    this.#isGiven = source !== undefined
    this.#steady = new SteadyTime(setBackWarning(store, onWarning))
  }

  /** As RFC 3339. */
  async now(): Promise<string> {
    return new Date(await this.#ms()).toISOString()
  }

  /** For new tasks. The estimate of a server's clock may go back a little; what is submitted in a row does not. */
  async creationMs(): Promise<number> {
    const ms = await this.#ms()
    return this.#isGiven ? ms : this.#steady.next(ms)
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
