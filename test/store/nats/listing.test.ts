import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'vitest'
import { create, mutate, openStore, remove, update } from '../../../src/store/index.ts'
import { until } from '../../eventually.ts'
import { startNatsProxy } from '../../proxy/nats-proxy.ts'
import { startNats } from '../../servers/nats.ts'
import { sized } from '../../size.ts'

const thousands = sized(3, 10)
const rounds = sized(4, 10)

test('a list or scan whose connection breaks in the middle is whole all the same', async () => {
  await using server = await startNats()
  await using proxy = await startNatsProxy(server.url)
  await using direct = await openStore(server.url)
  await using store = await openStore(proxy.url)
  const value = new Uint8Array(200)
  const batches = Array.from({ length: thousands }, (_, batch) =>
    Array.from({ length: 1000 }, (_, id) => create(`ns/${batch}/${id}`, value)),
  )
  for (const writes of batches) assert.ok((await direct.commit(writes)).ok)
  for (let round = 0; round < rounds; round++) {
    const unrest = sleep(20 + Math.random() * 12 * thousands).then(() => proxy.cutAll())
    const seen = new Set<string>()
    const items = round % 2 ? store.list('ns') : store.scan('ns')
    for await (const { key } of items) seen.add(key)
    assert.equal(seen.size, 1_000 * thousands, `round ${round}`)
    await unrest
  }
})

test('keys that are updated again and again are in every list', async () => {
  await using server = await startNats()
  await using store = await openStore(server.url)
  await using other = await openStore(server.url)
  const keys = Array.from({ length: 500 * thousands }, (_, id) => `ns/${id}`)
  for (let at = 0; at < keys.length; at += 1000)
    await store.commit(keys.slice(at, at + 1000).map((key) => create(key, new Uint8Array())))
  let isListing = true
  const busy = keys.slice(0, 20).map(async (key) => {
    while (isListing) await mutate(other, key, () => new Uint8Array([1]), { attemptsMax: 1000 })
  })
  for (let round = 0; round < rounds; round++) {
    const seen = new Set<string>()
    for await (const { key } of round % 2 ? store.list('ns') : store.scan('ns')) seen.add(key)
    assert.deepEqual(
      keys.filter((key) => !seen.has(key)),
      [],
      `round ${round}`,
    )
  }
  isListing = false
  await Promise.all(busy)
})

test('a key that is updated just before its list is delivered is in it, also where another is new', async () => {
  await using server = await startNats()
  // Asking for the messages of the list takes more than half a second.
  await using proxy = await startNatsProxy(server.url, { seed: 1, delayMsMax: 1_000 })
  await using direct = await openStore(server.url)
  await using store = await openStore(proxy.url)
  const created = await direct.commit([create('ns/old', new Uint8Array())])
  assert.ok(created.ok)
  const head = { key: 'ns/old', revision: created.revisions[0] as string }
  proxy.faults.next('delay', ({ subject }) => subject.startsWith('$JS.API.CONSUMER.MSG.NEXT.'))
  const listing = (async () => {
    const seen: string[] = []
    for await (const { key } of store.list('ns')) seen.push(key)
    return seen
  })()
  await until(() => proxy.faults.counts.delay > 0)
  const writes = [create('ns/new', new Uint8Array()), update(head, new Uint8Array())]
  assert.ok((await direct.commit(writes)).ok)
  assert.deepEqual(await listing, ['ns/new', 'ns/old'])
})

test('removed keys are in no list, and keys made meanwhile do no harm', async () => {
  await using server = await startNats()
  await using store = await openStore(server.url)
  const keys = Array.from({ length: 200 }, (_, id) => `ns/${String(id).padStart(3, '0')}`)
  const result = await store.commit(keys.map((key) => create(key, new Uint8Array())))
  assert.ok(result.ok)
  const heads = keys.map((key, index) => ({ key, revision: result.revisions[index] as string }))
  assert.ok((await store.commit(heads.filter((_, id) => id % 2).map(remove))).ok)
  let isListing = true
  const writing = (async () => {
    for (let id = 0; isListing; id++) await store.commit([create(`ns/new/${id}`, new Uint8Array())])
  })()
  for (let round = 0; round < sized(8, 20); round++) {
    const seen: string[] = []
    for await (const { key } of store.list('ns', { before: 'ns/new' })) seen.push(key)
    assert.deepEqual(
      seen,
      keys.filter((_, id) => id % 2 === 0),
    )
  }
  isListing = false
  await writing
})
