import { monotonicFactory } from 'ulid'
import { randomFraction } from '../random/index.ts'
import { type SetBack, SteadyTime } from './steady-time.ts'

/** Makes ids that sort by time, and those of one millisecond in the order in which they were made. */
export function ulidMaker(onSetBack?: (setBack: SetBack) => void): (timeMs: number) => string {
  let next = monotonicFactory(randomFraction)
  const steady = new SteadyTime((setBack) => {
    next = monotonicFactory(randomFraction)
    onSetBack?.(setBack)
  })
  return (timeMs) => {
    // First of all, for it may begin anew.
    const ms = steady.next(timeMs)
    return next(ms)
  }
}
