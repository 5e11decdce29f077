import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { parseDuration } from '../../../src/cli/program/option-value.ts'

describe('a duration', () => {
  const good: readonly [string, number][] = [
    ['500ms', 500],
    ['90s', 90_000],
    ['90', 90_000],
    ['5m', 300_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    ['1.5h', 5_400_000],
    ['1h30m', 5_400_000],
    ['1d12h', 129_600_000],
    ['1h0.5s', 3_600_500],
    ['1d2h3m4s5ms', 93_784_005],
    ['1m500ms', 60_500],
    [' 0 ', 0],
  ]
  for (const [text, ms] of good)
    test(`${text} is ${ms} ms`, () => assert.equal(parseDuration(text), ms))

  for (const text of [
    '',
    'm',
    '-1s',
    '5 m',
    '1h30',
    '30m1h',
    '1h1h',
    '1h 30m',
    '1h-5m',
    '1s500',
    '1e3',
    '5M',
    '٣s',
    '1.s',
    '9'.repeat(20),
  ])
    test(`${JSON.stringify(text)} is none`, () => assert.equal(parseDuration(text), null))
})
