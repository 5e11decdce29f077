import assert from 'node:assert/strict'
import { test } from 'vitest'
import { StateCache } from '../../src/collection/index.ts'
import { create, type Head, openStore, type Store, update } from '../../src/store/index.ts'
import { altered } from '../store/altered.ts'

const one = new Uint8Array([1])

/** Documents as they were written, with their states. */
async function written(store: Store, ...names: string[]): Promise<Head[]> {
  const keys = names.map((name) => `ns/${name}`)
  const result = await store.commit(keys.map((key) => create(key, one)))
  assert.ok(result.ok)
  return keys.map((key, at) => ({ key, revision: result.revisions[at] as string }))
}

test('a value is given again until any document that it was made of changes', async () => {
  await using store = await openStore('memory:')
  const [a, b] = (await written(store, 'a', 'b')) as [Head, Head]
  const cache = new StateCache<string>(store, 10)
  cache.set('both', 'of a and b', [a, b])
  cache.set('one', 'of a', [a])
  assert.equal(cache.get('both'), 'of a and b')
  assert.equal(cache.get('none'), null)
  assert.ok((await store.commit([update(b, one)])).ok)
  assert.equal(cache.get('both'), null)
  assert.equal(cache.get('one'), 'of a')
})

test('what nobody has asked for the longest makes way', async () => {
  await using store = await openStore('memory:')
  const heads = await written(store, 'a')
  const cache = new StateCache<number>(store, 2)
  cache.set('first', 1, heads)
  cache.set('second', 2, heads)
  assert.equal(cache.get('first'), 1)
  cache.set('third', 3, heads)
  assert.deepEqual(
    ['first', 'second', 'third'].map((name) => cache.get(name)),
    [1, null, 3],
  )
})

test('nothing is kept on a store that can’t say at once whether it still holds', async () => {
  await using inner = await openStore('memory:')
  const store = altered(inner, { isStill: undefined })
  const cache = new StateCache<number>(store, 2)
  cache.set('first', 1, await written(inner, 'a'))
  assert.equal(cache.get('first'), null)
})
