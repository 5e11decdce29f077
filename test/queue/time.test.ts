import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { msOf, parseTime, timeOf } from '../../src/queue/time.ts'

const times = [
  '2026-11-15T22:39:00.000Z',
  '2026-11-15T22:39:59.999Z',
  '2026-11-15T22:44:07.123Z',
  '2026-11-15T22:40:00.000Z',
  '1970-01-01T00:00:00.000Z',
  '9999-12-31T23:59:59.999Z',
]

/** As long as ours, within a minute that is known by then, and none of them. */
const flawed = [
  '2026-11-15T22:39:60.000Z',
  '2026-11-15T22:39:0a.000Z',
  '2026-11-15T22:39:00.0-1Z',
  '2026-11-15T22:39:00,000Z',
  '2026-11-15T22:39:00.000X',
]

describe('times', () => {
  // Twice over, and in turns: some are known from the last look by then.
  for (const round of [1, 2])
    test(`say what the engine says, round ${round}`, () => {
      for (const time of [...times, ...times.toReversed()]) {
        const ms = Date.parse(time)
        assert.equal(msOf(time), ms)
        assert.equal(parseTime(time), ms)
        assert.equal(timeOf(ms), time)
      }
    })

  test('that only look like known ones are refused', () => {
    msOf(times[0] as string)
    for (const time of flawed) {
      assert.equal(parseTime(time), null, time)
      assert.ok(Number.isNaN(msOf(time)), time)
    }
  })

  test('with another offset, or fewer digits, are times as well', () => {
    msOf(times[0] as string)
    assert.equal(parseTime('2026-11-15T23:39:00.5+01:00'), Date.parse(times[0] as string) + 500)
    assert.equal(parseTime('2026-11-15T22:39:01Z'), Date.parse(times[0] as string) + 1000)
  })
})
