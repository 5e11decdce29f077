import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { storeConformance } from '../../src/store/conformance/index.ts'
import {
  counted,
  create,
  flaky,
  openStore,
  prefixed,
  type Store,
  StoreError,
  update,
} from '../../src/store/index.ts'
import { memoryGround } from './ground.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

async function keysOf(store: Store, prefix = ''): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of store.list(prefix)) keys.push(key)
  return keys
}

/** What became of each of so many commits in a row: ok, or the code of the failure. */
async function outcomes(store: Store, count: number): Promise<string[]> {
  const words: string[] = []
  for (let id = 1; id <= count; id++)
    words.push(
      await store.commit([create(`ns/${id}`, bytes('1'))]).then(
        () => 'ok',
        (error: StoreError) => error.code,
      ),
    )
  return words
}

storeConformance({ describe, test }, 'counted(memory)', () => memoryGround(counted))
storeConformance({ describe, test }, 'flaky(memory) with delays alone', () =>
  memoryGround((store) => flaky(store, { delayMsMax: 1 })),
)

describe('prefixed', () => {
  test('is a part of the whole, under keys of its own', async () => {
    await using whole = await openStore('memory:')
    const part = prefixed(whole, 'ns/part')
    await part.commit([create('a/1', bytes('1')), create('b/2', bytes('2'))])
    await whole.commit([create('ns/other', bytes('3'))])
    assert.deepEqual(await keysOf(part), ['a/1', 'b/2'])
    assert.deepEqual(await keysOf(part, 'b'), ['b/2'])
    assert.deepEqual(await keysOf(whole), ['ns/other', 'ns/part/a/1', 'ns/part/b/2'])
    const entry = await part.get('a/1')
    assert.equal((await part.commit([update(entry!, bytes('4'))])).ok, true)
    for await (const { key } of part.scan('', { after: 'a/1', before: 'b/3' }))
      assert.equal(key, 'b/2')
  })

  test('tells its own keys to a watch', async () => {
    await using whole = await openStore('memory:')
    const part = prefixed(whole, 'ns/part')
    const events = part.watch('')[Symbol.asyncIterator]()
    await events.next()
    await whole.commit([create('ns/other', bytes('1'))])
    await part.commit([create('a/1', bytes('1'))])
    assert.deepEqual((await events.next()).value, { type: 'key', key: 'a/1' })
  })

  test('refuses a bad prefix, and keys that are bad in the part', async () => {
    await using whole = await openStore('memory:')
    assert.throws(() => prefixed(whole, 'ns/'), StoreError)
    await assert.rejects(prefixed(whole, 'ns').get('one-segment'), { reason: 'bad_key' })
  })
})

describe('counted', () => {
  test('counts what was asked and given', async () => {
    await using store = counted(await openStore('memory:'))
    await store.commit([create('ns/a', bytes('1')), create('ns/b', bytes('2'))])
    await store.commit([create('ns/a', bytes('1'))])
    await store.get('ns/a')
    await keysOf(store)
    const expected = { get: 1, list: 1, scan: 0, entries: 2, commit: 2, writes: 3, conflicts: 1 }
    assert.deepEqual(store.counts, { ...expected, watch: 0 })
    assert.deepEqual(store.reset(), { ...expected, watch: 0 })
    assert.equal(store.counts.get, 0)
  })
})

describe('flaky', () => {
  test('fails before the n-th commit: nothing of it is there, the next goes through', async () => {
    await using inner = await openStore('memory:')
    const store = flaky(inner, { failBefore: 2 })
    assert.deepEqual(await outcomes(store, 3), ['ok', 'unavailable', 'ok'])
    assert.deepEqual(await keysOf(inner), ['ns/1', 'ns/3'])
  })

  test('fails after the n-th commit: it is there, but nobody was told', async () => {
    await using inner = await openStore('memory:')
    const store = flaky(inner, { failAfter: 2 })
    assert.deepEqual(await outcomes(store, 3), ['ok', 'unknown_outcome', 'ok'])
    assert.deepEqual(await keysOf(inner), ['ns/1', 'ns/2', 'ns/3'])
  })

  test('crashes: from the n-th commit on every call fails', async () => {
    await using inner = await openStore('memory:')
    const store = flaky(inner, { failBefore: 2, crash: true })
    assert.deepEqual(await outcomes(store, 3), ['ok', 'unavailable', 'unavailable'])
    await assert.rejects(store.get('ns/1'), { code: 'unavailable' })
    await assert.rejects(keysOf(store), { code: 'unavailable' })
    assert.deepEqual(await keysOf(inner), ['ns/1'])
  })

  test('loses requests and answers by a seed: the same one, the same faults', async () => {
    const run = async (seed: number) => {
      await using inner = await openStore('memory:')
      const faults = { loseRequests: 0.2, loseAnswers: 0.2, delayMsMax: 0.1, seed }
      const words = await outcomes(flaky(inner, faults), 100)
      const there = await keysOf(inner)
      words.forEach((word, index) => {
        assert.equal(there.includes(`ns/${index + 1}`), word !== 'unavailable')
      })
      return words
    }
    const first = await run(1)
    assert.deepEqual(await run(1), first)
    assert.notDeepEqual(await run(2), first)
    const count = (word: string) => first.filter((other) => other === word).length
    assert.ok(count('unavailable') > 5 && count('unknown_outcome') > 5 && count('ok') > 30)
  })
})
