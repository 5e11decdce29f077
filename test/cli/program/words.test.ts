import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { displayWidths } from '../../../src/cli/program/display-width.ts'
import { didYouMean } from '../../../src/cli/program/text.ts'

describe('displayWidths', () => {
  test('counts columns, not characters', async () => {
    assert.deepEqual(await displayWidths(['abc', '✓ x…']), [3, 4])
    assert.deepEqual(await displayWidths(['買う', 'e\u0301', '👩‍👩‍👧', 'abc']), [4, 1, 2, 3])
  })
})

describe('didYouMean', () => {
  const known = ['add', 'ls', 'rm', 'rebuild-index', '--limit']
  const meant: Readonly<Record<string, string>> = {
    ad: 'add',
    dad: 'add',
    lst: 'ls',
    LS: 'ls',
    rebuild: 'rebuild-index',
    'rebuild-indx': 'rebuild-index',
    '--limti': '--limit',
    '-limit': '--limit',
  }
  for (const [typed, word] of Object.entries(meant))
    test(`${typed}: ${word}`, () =>
      assert.equal(didYouMean(typed, known), `Did you mean ${word}? `))
  for (const typed of ['', '-', 'zzz', 'x', 'something else', 'a'.repeat(1000)])
    test(`nothing for ${typed.slice(0, 20)}`, () => assert.equal(didYouMean(typed, known), ''))
})
