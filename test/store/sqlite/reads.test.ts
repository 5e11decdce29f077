import assert from 'node:assert/strict'
import { test } from 'vitest'
import { loadEngine } from '../../../src/store/drivers/sqlite/engine.ts'
import { create, type Entry, openStore, type Store, update } from '../../../src/store/index.ts'
import { temporaryFolder } from '../ground.ts'

const bytes = (number: number): Uint8Array => new Uint8Array([number])

const numbersIn = async (entries: readonly Promise<Entry | null>[]): Promise<unknown[]> =>
  (await Promise.all(entries)).map((entry) => entry?.value[0])

const getsOf = (store: Store, count: number): Promise<Entry | null>[] =>
  Array.from({ length: count }, () => store.get('ns/key'))

test('gets that are asked for in one go share a moment, and whoever has waited sees what came since', async () => {
  await using folder = await temporaryFolder()
  const path = folder.path('store.db')
  await using store = await openStore(`sqlite:${path}`)
  await store.commit([create('ns/key', bytes(1))])
  const other = loadEngine().open(path, { readOnly: false })
  try {
    const write = other.prepare("UPDATE entry SET value = ? WHERE key = 'ns/key'")
    const before = getsOf(store, 2)
    // Nothing but what blocks the whole thread can come between.
    write.run(bytes(2))
    assert.deepEqual(await numbersIn([...before, ...getsOf(store, 2)]), [1, 1, 1, 1])
    assert.deepEqual(await numbersIn(getsOf(store, 3)), [2, 2, 2])
    const lone = store.get('ns/key')
    write.run(bytes(3))
    assert.equal((await lone)?.value[0], 2)
    assert.equal((await store.get('ns/key'))?.value[0], 3)
  } finally {
    other.close()
  }
})

test('gets in one go and the commits of two stores on one file never hinder each other', async () => {
  await using folder = await temporaryFolder()
  const url = `sqlite:${folder.path('store.db')}`
  await using first = await openStore(url)
  await using second = await openStore(url)
  await first.commit([create('ns/key', bytes(0))])
  for (let round = 1; round <= 50; round++) {
    const store = round % 2 === 0 ? first : second
    const head = (await store.get('ns/key')) as Entry
    const [result, ...numbers] = await Promise.all([
      store.commit([update(head, bytes(round))]),
      ...getsOf(store, 5).map(async (entry) => {
        const number = (await entry)?.value[0]
        // One that waits for a get, and then reads or writes at once.
        await store.commit([create(`ns/${round}-${Math.random()}`, bytes(1))])
        return number
      }),
    ])
    assert.equal(result.ok, true)
    assert.deepEqual(numbers, Array(5).fill(round - 1))
    assert.deepEqual(await numbersIn(getsOf(first, 3)), Array(3).fill(round))
    assert.deepEqual(await numbersIn(getsOf(second, 3)), Array(3).fill(round))
  }
})

test('a store that is copied, held at a moment or closed right after gets in one go still answers them', async () => {
  await using folder = await temporaryFolder()
  const store = await openStore(`sqlite:${folder.path('store.db')}`)
  await store.commit([create('ns/key', bytes(7))])
  const beforeCopy = getsOf(store, 3)
  await store.backup?.()
  assert.deepEqual(await numbersIn(beforeCopy), [7, 7, 7])
  const beforeSnapshot = getsOf(store, 3)
  const snapshot = (await store.snapshot?.()) as Store
  assert.deepEqual(await numbersIn([...beforeSnapshot, ...getsOf(snapshot, 3)]), Array(6).fill(7))
  await snapshot[Symbol.asyncDispose]()
  const beforeEnd = getsOf(store, 3)
  await store[Symbol.asyncDispose]()
  assert.deepEqual(await numbersIn(beforeEnd), [7, 7, 7])
})
