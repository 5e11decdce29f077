import { eventLoopTurn } from '../store/index.ts'

/** Runs a step for each item, and lets others have the event loop where there are very many. */
export async function inTurns<T>(items: Iterable<T>, step: (item: T) => void): Promise<void> {
  for (const item of items) {
    const turn = eventLoopTurn()
    if (turn) await turn
    step(item)
  }
}
