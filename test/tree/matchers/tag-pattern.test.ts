import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { BadGlobError, compileTagPattern } from '../../../src/tree/matchers/index.ts'

const filters: readonly (readonly [string, readonly string[], boolean])[] = [
  ['auth*', ['authentication'], true],
  ['auth*', ['docs', 'auth'], true],
  ['auth*', ['docs'], false],
  ['auth*', [], false],
  ['**', [], false],
  ['docs,auth*', ['auth-service'], true],
  ['docs,auth*', ['docs'], true],
  ['docs, auth* ', ['auth'], true],
  ['docs,auth*', ['security'], false],
  // A comma in braces belongs to the brace.
  ['{docs,auth*}', ['auth-x'], true],
  ['{docs,auth*}', ['{docs'], false],
  ['{a,b}/x,c', ['b/x'], true],
  ['{a,b}/x,c', ['c'], true],
  ['{a,b}/x,c', ['a'], false],
  ['{a,{b,c}}d,e', ['cd'], true],
  ['{a,{b,c}}d,e', ['e'], true],
  ['[a,b],c', ['b'], true],
  ['[a,b],c', ['c'], true],
  ['area/**,!x', ['!x'], true],
  ['[\\],]x', [',x'], true],
  ['Docs', ['docs'], false],
]

const bad = [
  '',
  ',',
  'a,',
  ',a',
  'a,,b',
  '[',
  'a,[b',
  '{a,b',
  'a,{b',
  '{a}},b',
  'a}',
  '{a,b}}',
  'a\\',
]

describe('the filter tag_pattern', () => {
  for (const [text, tags, expected] of filters)
    test(`${text} on ${JSON.stringify(tags)}: ${expected}`, () => {
      const isMatch = compileTagPattern(text)
      assert.equal(isMatch(tags), expected)
      assert.equal(isMatch(tags), expected, 'the second time, too')
    })

  for (const text of bad)
    test(`"${text}" is bad`, () => {
      assert.throws(() => compileTagPattern(text), BadGlobError)
    })
})
