import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { InvalidResultError, InvalidTaskError, TaskManager } from '../../src/jobs/index.ts'
import { openStore } from '../../src/store/index.ts'
import { sized } from '../size.ts'
import { schemaOf } from './kit.ts'

const anything = schemaOf<unknown>(() => null)
const typed = async () =>
  new TaskManager(await openStore('memory:'), { payload: anything, result: anything })

class Money {
  readonly cents = 7
}

class Names extends Array<string> {}

/** What JSON would change or lose, and how the message says where that is. */
const losses: readonly (readonly [value: unknown, told: RegExp])[] = [
  [{ order: { when: new Date(0) } }, /payload\.order\.when is a Date/],
  [{ tags: new Set(['a']) }, /payload\.tags is a Set/],
  [{ prices: new Map([['a', 1]]) }, /payload\.prices is a Map/],
  [new Date(0), /The payload is a Date/],
  [[1, [Number.NaN]], /payload\[1\]\[0\] is NaN/],
  [{ rate: Number.POSITIVE_INFINITY }, /payload\.rate is Infinity/],
  [{ count: 7n }, /payload\.count is a bigint/],
  [{ items: [1, undefined] }, /payload\.items\[1\] is undefined/],
  [{ items: new Array(2) }, /payload\.items\[0\] is undefined/],
  [{ 'a b': { run: () => {} } }, /payload\["a b"\]\.run is a function/],
  [{ name: Symbol('s') }, /payload\.name is a symbol/],
  [{ [Symbol('s')]: 1 }, /payload has the key Symbol\(s\)/],
  [{ price: new Money() }, /payload\.price is a Money/],
  [{ at: new URL('https://example.org') }, /payload\.at is a URL/],
  [{ raw: new Uint8Array(2) }, /payload\.raw is a Uint8Array/],
  [{ raw: Buffer.from('x') }, /payload\.raw is a Buffer/],
  [{ error: new Error('x') }, /payload\.error is an Error/],
  [{ word: new String('x') }, /payload\.word is a String/],
  [{ self: { toJSON: () => 1 } }, /payload\.self has a toJSON method/],
  [{ list: Object.assign([1], { total: 1 }) }, /payload\.list has the key "total"/],
  [{ names: new Names('a', 'b') }, /payload\.names is a Names/],
]

describe('what JSON would change is refused, and the message says where it is', () => {
  for (const [value, told] of losses)
    test(String(told), async () => {
      const manager = await typed()
      await assert.rejects(manager.submit({ payload: value }), (error) => {
        assert.ok(error instanceof InvalidTaskError)
        assert.match(error.message, told)
        return true
      })
      const id = await manager.submit({ payload: 1 })
      await manager.claim(id, 'worker-a')
      const inResult = new RegExp(told.source.replace('payload', 'result'))
      await assert.rejects(manager.complete(id, value), (error) => {
        assert.ok(error instanceof InvalidResultError)
        assert.match(error.message, inResult)
        return true
      })
      assert.equal((await manager.get(id)).status, 'claimed')
    })

  test('a value that contains itself, or is too deep, is refused', async () => {
    const manager = await typed()
    const circular: Record<string, unknown> = {}
    circular['self'] = circular
    let deep: unknown = null
    for (let level = 0; level < 200_000; level++) deep = [deep]
    for (const payload of [circular, { list: [circular] }, deep])
      await assert.rejects(manager.submit({ payload }), InvalidTaskError)
  })
})

/** As it is after JSON: without properties that are undefined, prototypes of null, and the sign of zero. */
function plain(value: unknown): unknown {
  if (Object.is(value, -0)) return 0
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, each]) => each !== undefined)
  return Object.fromEntries(entries.map(([name, each]) => [name, plain(each)]))
}

test('whatever is given either comes back the same, or is refused', async () => {
  const manager = await typed()
  let stored = 0
  const value = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withNullPrototype: true,
    withSparseArray: true,
    withTypedArray: true,
    withBoxedValues: true,
    withUnicodeString: true,
  })
  await fc.assert(
    fc.asyncProperty(value, async (payload) => {
      const id = await manager.submit({ payload }).catch((error: unknown) => {
        assert.ok(error instanceof InvalidTaskError, String(error))
        return null
      })
      if (id === null) return
      stored++
      const found = (await manager.get(id)).payload
      assert.ok(isDeepStrictEqual(found, plain(payload)), JSON.stringify(found))
    }),
    { numRuns: sized(2_000, 20_000) },
  )
  assert.ok(stored > 100)
})
