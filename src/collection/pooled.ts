import { eventLoopTurn } from '../store/internal.ts'

/** How many requests of one operation are under way at once. */
const inFlightMax = 32

/**
 * Runs a step for each item, many at a time, and answers in the order of the items. Where one fails no other is
 * begun, and it rejects once those under way have ended: nothing is written behind the back of who was told.
 */
export async function pooled<T, U>(
  items: readonly T[],
  step: (item: T, at: number) => Promise<U>,
): Promise<U[]> {
  const results = new Array<U>(items.length)
  let next = 0
  const work = async () => {
    while (next < items.length) {
      const at = next++
      try {
        const turn = eventLoopTurn()
        if (turn) await turn
        results[at] = await step(items[at] as T, at)
      } catch (error) {
        // Nobody waits for the rest any more.
        next = items.length
        throw error
      }
    }
  }
  const workers = Array.from({ length: Math.min(inFlightMax, items.length) }, work)
  await Promise.allSettled(workers)
  await Promise.all(workers)
  return results
}
