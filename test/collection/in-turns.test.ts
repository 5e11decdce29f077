import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import { sortedInTurns } from '../../src/collection/index.ts'
import { leastHeldMs } from '../event-loop.ts'

interface Item {
  readonly rank: number
  readonly at: number
}

const byRank = (a: Item, b: Item) => a.rank - b.rank

test('items are sorted as by toSorted, however many', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(3_000),
      fc.integer({ min: 1, max: 5_000 }),
      fc.integer(),
      async (count, ranks, seed) => {
        const items = Array.from({ length: count }, (_, at) => ({
          rank: Math.abs((at * 7_919 + seed) % ranks),
          at,
        }))
        assert.deepEqual(await sortedInTurns(items, byRank), items.toSorted(byRank))
      },
    ),
    { numRuns: 30 },
  )
})

test('sorting 100,000 of them leaves the event loop to others', async () => {
  const items = Array.from({ length: 100_000 }, (_, at) => ({ rank: (at * 7_919) % 104_729, at }))
  const ms = await leastHeldMs(() => sortedInTurns(items, byRank))
  assert.ok(ms <= 50, `held for ${ms.toFixed(0)} ms`)
})
