import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { compete, lost, pauseCeilingMs } from '../../src/store/compete.ts'
import { type Ceiling, fight } from './fight.ts'

describe('the longest pause after so many losses', () => {
  test.each([
    // An attempt that costs nothing: 2 ms, 4 ms, … 100 ms.
    [1, 0, 2],
    [2, 0, 4],
    [6, 0, 64],
    [7, 0, 100],
    [63, 0, 100],
    [1, 1, 2],
    // One that takes long: from half of it to eight times as much.
    [1, 400, 200],
    [2, 400, 400],
    [5, 400, 3_200],
    [6, 400, 3_200],
    [63, 400, 3_200],
    // One that takes very long: five seconds.
    [63, 10_000, 5_000],
    [1, 20_000, 5_000],
  ])('%d of attempts that take %d ms: %d ms', (losses, costMs, ceilingMs) => {
    assert.equal(pauseCeilingMs(losses, costMs), ceilingMs)
  })
})

test('how long an attempt took decides how long the next one waits', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(1)
  try {
    const startedAt = performance.now()
    const attempt = async (nth: number) => {
      await sleep(30)
      return nth < 4 ? lost : 'won'
    }
    assert.equal(await compete('it', attempt), 'won')
    // Four times 30 ms, and 15, 30 and 60 between. Without the cost it would be 2, 4 and 8.
    expect(performance.now() - startedAt).toBeGreaterThan(215)
  } finally {
    vi.restoreAllMocks()
  }
})

/** What the ceiling was before it followed what an attempt costs. */
const blind: Ceiling = (losses) => Math.min(100, 2 ** losses)
const seeds = Array.from({ length: 10 }, (_, at) => at + 1)

describe('12 writers of one document on a server that answers one request after another', () => {
  const slow = { writers: 12, requestMs: 10 }

  test('all get through, and none loses more than 20 times', async () => {
    for (const seed of seeds) {
      const { gaveUp, lossesMost } = await fight({ ...slow, ceiling: pauseCeilingMs, seed })
      assert.equal(gaveUp, 0, `seed ${seed}`)
      assert.ok(lossesMost <= 20, `seed ${seed}: ${lossesMost}`)
    }
  })

  test('with pauses that know nothing of the cost some would never', async () => {
    for (const seed of seeds) {
      const { gaveUp } = await fight({ ...slow, ceiling: blind, seed })
      assert.ok(gaveUp > 0, `seed ${seed}`)
    }
  })

  test('where requests cost nothing it is as fast as ever', async () => {
    for (const seed of seeds) {
      const fast = { writers: 12, requestMs: 0.05, seed }
      const { ms } = await fight({ ...fast, ceiling: pauseCeilingMs })
      const before = await fight({ ...fast, ceiling: blind })
      assert.ok(ms <= before.ms * 1.5, `seed ${seed}: ${ms} ms, and ${before.ms} ms before`)
    }
  })
})
