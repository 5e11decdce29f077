import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { displayWidths } from '../../../src/cli/program/display-width.ts'
import { oneLine, printable } from '../../../src/cli/program/printable.ts'
import { didYouMean } from '../../../src/cli/program/suggestion.ts'

describe('printable', () => {
  const shown: Readonly<Record<string, string>> = {
    'plain text': 'plain text',
    'Käse ☕ 買う': 'Käse ☕ 買う',
    '\u001b]0;title\u0007': '\\x1b]0;title\\x07',
    '\u009b31m': '\\x9b31m',
    'a\u0000b\u007f': 'a\\x00b\\x7f',
    'a\rb': 'a\\x0db',
    'a\u2028b': 'a\\u2028b',
    'pay\u202ecod.exe\u202c': 'pay\\u202ecod.exe\\u202c',
    'a\u2066b\u2069': 'a\\u2066b\\u2069',
    'half \ud800': 'half \ufffd',
  }
  for (const [text, expected] of Object.entries(shown))
    test(JSON.stringify(text), () => assert.equal(printable(text), expected))

  test('newlines and tabs become spaces in one line', () =>
    assert.equal(oneLine('a\n  b\tc'), 'a b c'))
})

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
