import type { Random } from './random.ts'

/** How often each thing goes wrong in a run: shares of commits, or of reads. */
export interface FaultRates {
  /** The request is lost: nothing happens, and the client knows it. */
  readonly refuse: number
  /** The answer is lost: the commit was applied. */
  readonly loseAnswer: number
  /** The client gives up; the commit may still be applied later. */
  readonly late: number
  /** Somebody else writes the same bytes again just before. */
  readonly rival: number
  /** A read fails. */
  readonly failRead: number
  /** A request or its answer takes very long, but arrives in time. */
  readonly slow: number
  /** A watch loses events, and says so later; or tells one twice. */
  readonly watchGap: number
  readonly watchRepeat: number
}

export const noFaults: FaultRates = {
  refuse: 0,
  loseAnswer: 0,
  late: 0,
  rival: 0,
  failRead: 0,
  slow: 0,
  watchGap: 0,
  watchRepeat: 0,
}

/** Some runs go well, some have a few faults of one sort, and some have all of them. */
export function drawFaults(random: Random): FaultRates {
  const share = (): number =>
    random.weighted({ none: 3, few: 2, many: 1 }) === 'none' ? 0 : random.logarithmic(0.01, 0.25)
  if (random.chance(0.2)) return noFaults
  return {
    refuse: share(),
    loseAnswer: share(),
    late: share(),
    rival: share(),
    failRead: share() / 2,
    slow: share(),
    watchGap: share(),
    watchRepeat: share(),
  }
}
