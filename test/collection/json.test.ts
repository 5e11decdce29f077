import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import { jsonOf } from '../../src/collection/index.ts'

const levels = 20_000

/** A value that is so deep that JSON.stringify can't write it, around another. */
function deepAround(inner: unknown): { deep: unknown; before: string; after: string } {
  let deep: unknown = inner
  for (let level = 0; level < levels; level++) deep = level % 2 === 0 ? [deep] : { a: deep }
  const [before, after] = ['{"a":['.repeat(levels / 2), ']}'.repeat(levels / 2)]
  return { deep, before, after }
}

test('a value that is too deep for the stack is written as JSON.stringify would', () => {
  fc.assert(
    fc.property(fc.object({ withDate: true, maxDepth: 4 }), (inner) => {
      const { deep, before, after } = deepAround({ ...inner, none: undefined, list: [undefined] })
      assert.throws(() => JSON.stringify(deep), RangeError)
      const text = JSON.stringify({ ...inner, none: undefined, list: [undefined] })
      assert.equal(jsonOf(deep), `${before}${text}${after}`)
    }),
    { numRuns: 20 },
  )
})

test('any other value is written by JSON.stringify', () => {
  for (const value of [null, 1, 'x', [1, { a: undefined }], new Date(0)])
    assert.equal(jsonOf(value), JSON.stringify(value))
})
