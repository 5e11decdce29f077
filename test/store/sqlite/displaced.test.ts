import assert from 'node:assert/strict'
import * as fs from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'vitest'
import { create, openStore, type Store } from '../../../src/store/index.ts'
import { assertFails } from '../failures.ts'
import { temporaryFolder } from '../ground.ts'

const one = new Uint8Array([1])

/** A store with one entry, a path beside it, and a watch that has begun. */
async function watched() {
  const folder = await temporaryFolder()
  const path = folder.path('store.db')
  const store = await openStore(`sqlite:${path}`)
  await store.commit([create('ns/a', one)])
  const events = watchOf(store)
  await events.resync()
  return {
    ...{ path, store, events, other: folder.path('other.db') },
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

function watchOf(store: Store) {
  const end = new AbortController()
  const events = store.watch('ns', end.signal)[Symbol.asyncIterator]()
  return {
    end: () => end.abort(),
    resync: async () => assert.deepEqual((await events.next()).value, { type: 'resync' }),
  }
}

async function scanned(store: Store): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of store.scan('ns')) keys.push(key)
  return keys
}

test('a watched file that is moved away can not be read until it is back', async () => {
  await using place = await watched()
  const { path, store, events, other } = place
  const known = await store.get('ns/a')
  assert.ok(known && store.isStill)
  for (const round of [1, 2]) {
    await fs.rename(path, other)
    await events.resync()
    await assertFails(() => store.get('ns/a'), 'down')
    assert.equal(store.isStill([known]), false)
    await assertFails(() => scanned(store), 'down')
    // Another watch begins as ever, and says no more than that something is to be read.
    const second = watchOf(store)
    await second.resync()
    second.end()
    await assertFails(() => store.commit([create(`ns/${round}`, one)]), 'down')
    await fs.rename(other, path)
    await events.resync()
    assert.deepEqual(await scanned(store), ['ns/a'])
    assert.equal(store.isStill([known]), true)
  }
  assert.equal((await store.commit([create('ns/b', one)])).ok, true)
})

test('a watched file that is deleted, then replaced, has to be opened again', async () => {
  await using place = await watched()
  const { path, store, events } = place
  for (const suffix of ['', '-wal', '-shm']) await fs.rm(`${path}${suffix}`)
  await events.resync()
  await assertFails(() => store.get('ns/a'), 'down')
  await using another = await openStore(`sqlite:${path}`)
  await another.commit([create('ns/z', one)])
  await events.resync()
  await assertFails(() => store.get('ns/a'), 'disposed')
  await assertFails(() => scanned(store), 'disposed')
  await using again = await openStore(`sqlite:${path}`)
  assert.deepEqual(await scanned(again), ['ns/z'])
})

test('a watch that begins when the file is away already keeps it from being read', async () => {
  await using place = await watched()
  const { path, store, events, other } = place
  events.end()
  await fs.rename(path, other)
  // By now nobody looks any more, and what is read is what the file held.
  await sleep(200)
  assert.ok(await store.get('ns/a'))
  const late = watchOf(store)
  await late.resync()
  await assertFails(() => store.get('ns/a'), 'down')
  await fs.rename(other, path)
  await late.resync()
  assert.ok(await store.get('ns/a'))
})
