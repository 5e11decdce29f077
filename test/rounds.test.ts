import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'vitest'
import { measured, median, within } from './rounds.ts'

test('measuring ends with the first good round', async () => {
  const asked: number[] = []
  const measure = (round: number) => {
    asked.push(round)
    return 10 - round
  }
  assert.equal(await measured(measure, (seen) => seen <= 8), 8)
  assert.deepEqual(asked, [0, 1, 2])
})

test('where no round is good it fails, with all that was seen', async () => {
  await assert.rejects(
    measured(
      (round) => 10 - round,
      (seen) => seen <= 5,
    ),
    /in none of 5 rounds: 10; 9; 8; 7; 6/,
  )
})

test('the median is the one in the middle', () => {
  assert.deepEqual([median([3, 1, 2]), median([5]), median([10, 9, 1, 2, 8])], [2, 5, 8])
})

test('what takes too long is done again, and what fails is not', async () => {
  let rounds = 0
  await within(500, async (timed) => {
    const ms = rounds++ === 0 ? 600 : 0
    assert.equal(await timed(() => sleep(ms, 'done')), 'done')
  })
  assert.equal(rounds, 2)
  const failing = within(500, async (timed) => {
    rounds++
    await timed(() => assert.fail('wrong'))
  })
  await assert.rejects(failing, /^AssertionError.*wrong/)
  assert.equal(rounds, 3)
  await assert.rejects(
    within(500, () => {}),
    /in none of 5 rounds/,
  )
})
