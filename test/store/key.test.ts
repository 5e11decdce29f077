import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import {
  checkKey,
  compareKeys,
  escapeSegment,
  joinKey,
  StoreError,
  unescapeSegment,
} from '../../src/store/index.ts'
import { keyRange } from '../../src/store/key.ts'
import { anyCharacter } from '../characters.ts'

const anyText = fc.string({ unit: anyCharacter, maxLength: 40 })

describe('escapeSegment', () => {
  const rows: readonly [string, string][] = [
    ['plain', 'plain'],
    ['with space, dots. and ünïcödé', 'with space, dots. and ünïcödé'],
    ['a/b', 'a%2Fb'],
    ['100%', '100%25'],
    ['line\nbreak', 'line%0Abreak'],
    ['\u0085', '%C2%85'],
    ['.', '%2E'],
    ['..', '%2E%2E'],
    ['...', '...'],
    ['', '%'],
    ['%', '%25'],
  ]
  for (const [text, segment] of rows)
    test(`${JSON.stringify(text)} becomes ${segment} and comes back`, () => {
      assert.equal(escapeSegment(text), segment)
      assert.equal(unescapeSegment(segment), text)
    })

  test('any text makes a legal segment and comes back', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        checkKey(`ns/${escapeSegment(text)}`)
        assert.equal(unescapeSegment(escapeSegment(text)), text)
      }),
    )
  })

  test('different texts make different segments', () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        assert.equal(escapeSegment(a) === escapeSegment(b), a === b)
      }),
    )
  })

  test('what it did not make is refused', () => {
    assert.throws(() => unescapeSegment('%zz'), StoreError)
  })

  test('text that is no Unicode is refused', () => {
    assert.throws(() => escapeSegment('\ud800'), StoreError)
  })
})

describe('compareKeys', () => {
  test('orders as the UTF-8 bytes do', () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        const expected = Buffer.compare(Buffer.from(a), Buffer.from(b))
        assert.equal(Math.sign(compareKeys(a, b)), expected)
      }),
    )
  })
})

describe('joinKey', () => {
  test('joins segments', () => {
    assert.equal(joinKey('ns', 'a', escapeSegment('b/c')), 'ns/a/b%2Fc')
  })
  test('refuses a segment that would become two', () => {
    assert.throws(() => joinKey('ns', 'a/b'), /escapeSegment/)
  })
})

describe('a bad key is refused with what is wrong', () => {
  const rows: readonly [unknown, RegExp][] = [
    ['', /it is empty/],
    ['ns', /one segment/],
    ['ns//a', /empty segment/],
    ['ns/../a', /"\." or "\.\."/],
    ['ns/a\tb', /control character/],
    ['ns/\udc00', /surrogate/],
    ['Ns/a', /namespace "Ns"/],
    [`ns/${'x'.repeat(510)}`, /513 bytes, the limit is 512/],
    [7, /it is number, not a string/],
  ]
  for (const [key, message] of rows)
    test(String(message), () => {
      assert.throws(() => checkKey(key as string), message)
    })
})

test('keyRange never widens a prefix', () => {
  assert.deepEqual(keyRange('a/b', { after: 'a/a', before: 'z/z' }), { from: 'a/b/', to: 'a/b0' })
  assert.deepEqual(keyRange('a/b', { after: 'a/b/1', before: 'a/b/9' }), {
    from: 'a/b/1',
    to: 'a/b/9',
  })
})
