import assert from 'node:assert/strict'
import { test } from 'vitest'
import { create, mutate, openStore, type Store, StoreError, update } from '../../src/store/index.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (value: Uint8Array | undefined) => value && new TextDecoder().decode(value)

test('creates, updates, removes, or leaves a key as a function says', async () => {
  await using store = await openStore('memory:')
  const created = await mutate(store, 'ns/a', (entry) => (entry === null ? bytes('1') : undefined))
  assert.deepEqual(created, await store.get('ns/a'))
  const updated = await mutate(store, 'ns/a', () => bytes('2'))
  assert.deepEqual(updated, await store.get('ns/a'))
  assert.deepEqual(await mutate(store, 'ns/a', () => undefined), updated)
  assert.equal(await mutate(store, 'ns/a', () => null), null)
  assert.equal(await store.get('ns/a'), null)
  assert.equal(await mutate(store, 'ns/a', () => null), null)
})

/** Another writer who is always faster: changes the key between our reading and our writing. */
const rival = async (store: Store, lost: { times: number }) => {
  await mutate(store, 'ns/a', (entry) => bytes(`${text(entry?.value)}+`))
  lost.times++
}

test('starts again from what the other writer left', async () => {
  await using store = await openStore('memory:')
  await store.commit([create('ns/a', bytes('0'))])
  const lost = { times: 0 }
  const racing: Store = Object.create(store, {
    get: {
      value: async (key: string) => {
        const entry = await store.get(key)
        if (lost.times < 3) await rival(store, lost)
        return entry
      },
    },
    commit: { value: store.commit.bind(store) },
  })
  const entry = await mutate(racing, 'ns/a', (current) => bytes(`${text(current?.value)}!`))
  assert.equal(text(entry?.value), '0+++!')
})

test('gives up after its limit, and says how many times it lost', async () => {
  await using store = await openStore('memory:')
  await store.commit([create('ns/a', bytes('0'))])
  const losing: Store = Object.create(store, {
    get: { value: store.get.bind(store) },
    commit: { value: async () => ({ ok: false }) },
  })
  await assert.rejects(
    mutate(losing, 'ns/a', () => bytes('1'), { attemptsMax: 3 }),
    (error) => {
      assert.ok(error instanceof StoreError)
      assert.equal(error.code, 'unavailable')
      assert.match(error.message, /3 times/)
      return true
    },
  )
  assert.equal(text((await store.get('ns/a'))?.value), '0')
})

test('stops when its signal is aborted', async () => {
  await using store = await openStore('memory:')
  const reason = new Error('enough')
  await assert.rejects(
    mutate(store, 'ns/a', () => bytes('1'), { signal: AbortSignal.abort(reason) }),
    reason,
  )
})

test('an entry of another store does not pass for one of this', async () => {
  await using store = await openStore('memory:')
  await store.commit([create('ns/a', bytes('0'))])
  const foreign = { key: 'ns/a', revision: 'not ours' }
  assert.deepEqual(await store.commit([update(foreign, bytes('1'))]), { ok: false })
})
