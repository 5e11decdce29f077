/** What was found out about one thing that a store must be able to do. */
export interface Check {
  /** What was looked at. */
  readonly name: string
  /** Whether it is as it should be. */
  readonly ok: boolean
  /** What was found, in a sentence. */
  readonly detail: string
  /** Whether there is something to think about, although nothing is broken. */
  readonly isWarning?: true
}

/** A clock that is off by more than this is worth a word. */
const clockOffMsMax = 60_000

/** `aheadMs` is how far the store's clock is ahead of ours. */
export function clockCheck(aheadMs: number, whose: string): Check {
  const seconds = Math.round(Math.abs(aheadMs) / 1000)
  const relation = aheadMs > 0 ? 'behind' : 'ahead of'
  const ok = Math.abs(aheadMs) <= clockOffMsMax
  const detail =
    seconds <= 1
      ? `The clock of this machine agrees with that of ${whose}.`
      : `The clock of this machine is ${seconds} s ${relation} that of ${whose}.`
  const advice = ' Deadlines go by the store; set this one all the same.'
  return { name: 'clock', ok, detail: ok ? detail : detail + advice }
}
