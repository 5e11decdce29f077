import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { eventLoopTurn } from '../../src/store/internal.ts'
import { leastHeldMs } from '../event-loop.ts'

function busy(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end) {}
}

/** Takes steps that cost some time each, as a read of a store at hand does; answers with how many it took. */
async function reads(steps: number, msEach: number, isOver = () => false): Promise<number> {
  for (let step = 0; step < steps; step++) {
    if (isOver()) return step
    const turn = eventLoopTurn()
    if (turn) await turn
    busy(msEach)
  }
  return steps
}

describe('turns of the event loop', () => {
  test('a read gets its turn beside readers who never stop', async () => {
    let isOver = false
    const greedy = [1, 2, 3].map(() => reads(2_000, 3, () => isOver))
    assert.equal(await reads(40, 0.5), 40)
    isOver = true
    for (const steps of await Promise.all(greedy)) assert.ok(steps < 2_000, 'it was starved')
  })

  test('many who wait for the same turn do not all run in it', async () => {
    const held = await leastHeldMs(() =>
      Promise.all(Array.from({ length: 100 }, () => reads(3, 1))),
    )
    assert.ok(held < 50, `${held} ms`)
  })

  test('many who have little to do share turns', async () => {
    let turns = 0
    let isOver = false
    const count = () => {
      turns++
      if (!isOver) setImmediate(count)
    }
    const all = Array.from({ length: 10_000 }, () => reads(2, 0))
    busy(20)
    count()
    await Promise.all([...all, ...Array.from({ length: 10_000 }, () => reads(2, 0))])
    isOver = true
    assert.ok(turns < 500, `${turns} turns`)
  })
})
