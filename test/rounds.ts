import assert from 'node:assert/strict'

/** A virtual machine may be busy with something else for a moment. What is fast enough once is fast enough. */
const roundsMax = 5

/** For a test that takes time as a whole: again from its start, where it took too long. */
export const inSomeRound = { retry: roundsMax - 1 }

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

/** The one in the middle. */
export const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] as number

/** What this process has had of the processor: unlike time, it does not pass while others have it. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
