import assert from 'node:assert/strict'

/** A virtual machine may be busy with something else for a moment. What is fast enough once is fast enough. */
const roundsMax = 5

/** Measures until it is good; fails with all that was seen where it never was. */
export async function measured<T>(
  measure: (round: number) => T | Promise<T>,
  isGood: (seen: T) => boolean,
): Promise<T> {
  const seen: T[] = []
  for (let round = 0; round < roundsMax; round++) {
    const now = await measure(round)
    if (isGood(now)) return now
    seen.push(now)
  }
  assert.fail(
    `in none of ${roundsMax} rounds: ${seen.map((each) => JSON.stringify(each)).join('; ')}`,
  )
}

/** Measures how long one call of a round takes. */
type Timed = <T>(call: () => T | PromiseLike<T>) => Promise<T>

/** Does a round again where only what it timed took too long; whatever else is wrong fails at once. */
export async function within(
  msMax: number,
  round: (timed: Timed) => void | Promise<void>,
): Promise<void> {
  await measured(
    async () => {
      let ms = Number.NaN
      await round(async (call) => {
        const start = performance.now()
        const answer = await call()
        ms = performance.now() - start
        return answer
      })
      return ms
    },
    (ms) => ms < msMax,
  )
}

/** The one in the middle. */
export const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] as number

/** What this process has had of the processor: unlike time, it does not pass while others have it. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
