import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { test } from 'vitest'
import { create, openStore, remove, type Store, update } from '../../../src/store/index.ts'
import { eventually } from '../../eventually.ts'
import { startNatsProxy } from '../../proxy/nats-proxy.ts'
import { within } from '../../rounds.ts'
import { startNats } from '../../servers/nats.ts'

const bytes = (number: number) => new Uint8Array([number])
const isWrite = ({ subject }: { subject: string }) => subject.startsWith('$KV.')

async function rawManager(url: string) {
  const nats = await connect({ servers: url.slice('nats://'.length) })
  return { manager: await jetstreamManager(nats), [Symbol.asyncDispose]: () => nats.close() }
}

async function createdHead(store: Store, key: string) {
  const result = await store.commit([create(key, bytes(1))])
  assert.ok(result.ok)
  return { key, revision: result.revisions[0] as string }
}

for (const [history, ttl] of [
  [1, '1h'],
  [5, ''],
] as const)
  test(`the mark of a removal expires only where nothing older lies below it: history ${history}`, async () => {
    await using server = await startNats()
    await using store = await openStore(`${server.url}?history=${history}`)
    const head = await createdHead(store, 'ns/a')
    assert.ok((await store.commit([remove(head)])).ok)
    await using raw = await rawManager(server.url)
    const last = await raw.manager.streams.getMessage('KV_ns', { last_by_subj: '$KV.ns.a' })
    assert.equal(last?.header.get('Nats-TTL'), ttl)
  })

test('a commit that was applied, overwritten and then forgotten by a restart is no conflict', async () => {
  await using server = await startNats()
  await using proxy = await startNatsProxy(server.url)
  await using store = await openStore(proxy.url)
  await using other = await openStore(server.url)
  const head = await createdHead(store, 'ns/a')
  proxy.faults.next('drop-answer', isWrite)
  const commit = store.commit([update(head, bytes(2))])
  const failure = commit.then(
    ({ ok }) => `ok: ${ok}`,
    (error: { code: string }) => error.code,
  )
  for (;;) {
    const entry = await other.get('ns/a')
    if (entry?.value[0] === 2 && (await other.commit([update(entry, bytes(3))])).ok) break
    await sleep(10)
  }
  await server.restart()
  assert.equal(await failure, 'unknown_outcome')
})

test('a batch that was applied is no failure that changed nothing, where its revisions can not be read', async () => {
  await using server = await startNats()
  await using proxy = await startNatsProxy(server.url)
  await using store = await openStore(`${proxy.url}?timeout_ms=1500`)
  await using other = await openStore(server.url)
  await createdHead(store, 'ns/first')
  proxy.faults.next('drop-answer', isWrite)
  for (let times = 0; times < 100; times++)
    proxy.faults.next('drop-request', ({ subject }) => subject.includes('.MSG.GET.'))
  const commit = store.commit([create('ns/a', bytes(1)), create('ns/b', bytes(1))])
  await assert.rejects(commit, { code: 'unknown_outcome' })
  assert.ok(await other.get('ns/a'))
  assert.ok(proxy.faults.counts['drop-request'] > 0)
})

test('a watch leaves nothing on the server', async () => {
  await using server = await startNats()
  await using store = await openStore(server.url)
  await createdHead(store, 'ns/a')
  for (let round = 0; round < 5; round++) {
    const abort = new AbortController()
    for await (const _ of store.watch('ns', abort.signal)) abort.abort()
  }
  await using raw = await rawManager(server.url)
  const left = async () => (await raw.manager.streams.info('KV_ns')).state.consumer_count
  await eventually(async () => assert.equal(await left(), 0))
})

test('commits that wait for each other fail together, not one after another', () =>
  within(2_500, async (timed) => {
    await using server = await startNats()
    await using proxy = await startNatsProxy(server.url)
    await using store = await openStore(`${proxy.url}?timeout_ms=1000`)
    await createdHead(store, 'ns/first')
    for (let count = 0; count < 40; count++) proxy.faults.next('drop-request', isWrite)
    const ended = await timed(() => {
      const commits = Array.from({ length: 5 }, (_, id) =>
        store.commit([create('ns/shared', bytes(1)), create(`ns/${id}`, bytes(1))]),
      )
      return Promise.allSettled(commits)
    })
    for (const { status } of ended) assert.equal(status, 'rejected')
  }))

test('several silent hosts take no longer than one', () =>
  within(5_500, async (timed) => {
    const silent: Server[] = []
    const ports: number[] = []
    for (let count = 0; count < 3; count++) {
      const server = createServer(() => {})
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      silent.push(server)
      ports.push((server.address() as { port: number }).port)
    }
    const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',')
    await timed(() => assert.rejects(openStore(`nats://${hosts}`), { code: 'unavailable' }))
    for (const server of silent) server.close()
  }))

test('a bucket of another tool becomes one of ours with the first write, and is found like them', async () => {
  await using server = await startNats()
  await using raw = await rawManager(server.url)
  const settings = { name: 'KV_zz', subjects: ['$KV.zz.>'], max_msgs_per_subject: 1 }
  await raw.manager.streams.add({ ...settings, discard: 'new' as never })
  await using store = await openStore(server.url)
  await createdHead(store, 'zz/x')
  const keys: string[] = []
  for await (const { key } of store.list('')) keys.push(key)
  assert.deepEqual(keys, ['zz/x'])
})

test('a value that the bucket does not take is too_large, at once', async () => {
  await using server = await startNats()
  await using raw = await rawManager(server.url)
  const settings = { name: 'KV_ns', subjects: ['$KV.ns.>'], max_msg_size: 1000 }
  await raw.manager.streams.add({ ...settings, discard: 'new' as never })
  await using store = await openStore(server.url)
  const refused = () =>
    assert.rejects(store.commit([create('ns/a', new Uint8Array(2000))]), { reason: 'too_large' })
  await within(1_000, (timed) => timed(refused))
})
