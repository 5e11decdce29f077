import { eventLoopTurn } from '../store/internal.ts'

/** Runs a step for each item, and lets others have the event loop where there are very many. */
export async function inTurns<T>(items: Iterable<T>, step: (item: T) => void): Promise<void> {
  for (const item of items) {
    const turn = eventLoopTurn()
    if (turn) await turn
    step(item)
  }
}

/** So few are sorted at once. */
const runLength = 500

/** The same items in order, those that are equal as they came; lets others have the event loop where there are very many. */
export async function sortedInTurns<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
): Promise<T[]> {
  let runs: T[][] = []
  for (let at = 0; at < items.length; at += runLength) {
    const turn = eventLoopTurn()
    if (turn) await turn
    runs.push(items.slice(at, at + runLength).sort(compare))
  }
  while (runs.length > 1) {
    const merged: T[][] = []
    for (let at = 0; at < runs.length; at += 2)
      merged.push(await mergedOf(runs[at] as T[], runs[at + 1] ?? [], compare))
    runs = merged
  }
  return runs[0] ?? []
}

async function mergedOf<T>(
  left: readonly T[],
  right: readonly T[],
  compare: (a: T, b: T) => number,
): Promise<T[]> {
  const merged: T[] = []
  let at = 0
  await inTurns(left, (item) => {
    while (at < right.length && compare(right[at] as T, item) < 0) merged.push(right[at++] as T)
    merged.push(item)
  })
  await inTurns(right.slice(at), (item) => merged.push(item))
  return merged
}
