import type { Store } from '../store/internal.ts'

/**
 * A clock that goes back further than this was set. The estimate of a server's clock goes back by at most half the time that
 * an answer took, and a machine's that is kept in step by less. Nothing is dated, or waits, more than this too late.
 */
const backMsMax = 5_000

/** What a clock did when it was set back. */
export interface SetBack {
  readonly byMs: number
  /** When it was read before that, by `performance.now()`. */
  readonly readAt: number
}

/**
 * Times in the order in which a process asks for them: a clock that goes back a little is waited for. A clock that was
 * ahead and has been corrected is not, or all that is made until then would be dated, and put off, to a time that was wrong.
 */
export class SteadyTime {
  readonly #onSetBack: (setBack: SetBack) => void
  #highestMs = Number.NEGATIVE_INFINITY
  #readAt = 0

  constructor(onSetBack: (setBack: SetBack) => void = () => {}) {
    this.#onSetBack = onSetBack
  }

  /** The time to go by, given what the clock says. */
  next(ms: number): number {
    const byMs = this.#highestMs - ms
    if (byMs > 0 && byMs <= backMsMax) return this.#highestMs
    const readAt = this.#readAt
    this.#highestMs = ms
    this.#readAt = performance.now()
    if (byMs > 0) this.#onSetBack({ byMs, readAt })
    return ms
  }
}

/** When users of a store were last told that its clock was set back, by `performance.now()`. */
const toldAt = new WeakMap<Store, number>()

/** Tells that the clock was set back: once for all that work on a store, though each finds out by itself. */
export const setBackWarning =
  (store: Store, onWarning: ((warning: string) => void) | undefined) =>
  ({ byMs, readAt }: SetBack): void => {
    if (!onWarning || readAt < (toldAt.get(store) ?? 0)) return
    toldAt.set(store, performance.now())
    onWarning(
      `The clock was set back by ${shownSpan(byMs)}. What was written while it was ahead keeps its times: such tasks may start late, and such claims end late.`,
    )
  }

function shownSpan(ms: number): string {
  const units = [
    ['day', 86_400_000],
    ['hour', 3_600_000],
    ['minute', 60_000],
  ] as const
  const [unit, unitMs] = units.find(([, each]) => ms >= 2 * each) ?? ['second', 1_000]
  return `${Math.round(ms / unitMs)} ${unit}s`
}
