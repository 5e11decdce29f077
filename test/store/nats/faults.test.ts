import assert from 'node:assert/strict'
import { test } from 'vitest'
import { create, openStore } from '../../../src/store/index.ts'
import { startNatsProxy } from '../../proxy/nats-proxy.ts'
import { recorded } from '../../record.ts'
import { startNats } from '../../servers/nats.ts'
import { sized } from '../../size.ts'
import { assertSums, incrementAll, missed, patiently } from '../sums.ts'

const clients = 8
const increments = sized(60, 500, 200)
/** How often each fault happens to a commit. */
const rounds = sized(4, 10)
/** Long enough for an answer that only is slow, for an answer is missed after a third of it. */
const timeoutMs = 3_000
/** Where a commit must be settled in the end, there is time for a machine that stands still. */
const settlingMs = 6_000

for (const atomic of [true, false])
  test.concurrent(`${clients} clients, ${increments} increments each, 10 % of requests faulted, atomic batches ${atomic ? 'on' : 'off'}: the sums are exact`, async () => {
    await using server = await startNats()
    const record = recorded({
      what: `increments behind a proxy, 10 % of requests fail, batches ${atomic ? 'on' : 'off'}`,
      store: 'NATS',
      promises: ['durable', 'exact', 'honest'],
    })
    await using proxy = await startNatsProxy(server.url, { share: 0.1, seed: 1, delayMsMax: 20 })
    const parameters = `?timeout_ms=${timeoutMs}&atomic=${atomic}`
    const work = async (_: unknown, index: number) => {
      await using store = await patiently(() => openStore(`${proxy.url}${parameters}`))
      await incrementAll(store, `client${index}`, increments)
    }
    await Promise.all(Array.from({ length: clients }, work))
    await using store = await openStore(server.url)
    const operations = clients * increments
    const faults = Object.values(proxy.faults.counts).reduce((sum, count) => sum + count)
    record({ faults, operations, ...(await missed(store, operations)) })
    await assertSums(store, operations)
    for (const [kind, count] of Object.entries(proxy.faults.counts))
      assert.ok(count > 10, `only ${count} times ${kind}`)
  })

for (const fault of [
  'drop-answer',
  'cut-answer',
  'drop-request',
  'cut-request',
  'duplicate',
] as const)
  test.concurrent(`a commit of several writes that meets with ${fault} is settled, with its revisions`, async () => {
    await using server = await startNats()
    await using proxy = await startNatsProxy(server.url)
    await using store = await openStore(`${proxy.url}?timeout_ms=${settlingMs}`)
    await store.commit([create('ns/first', new Uint8Array())])
    for (let round = 0; round < rounds; round++) {
      proxy.faults.next(fault, ({ subject }) => subject.startsWith('$KV.'))
      const keys = ['a', 'b', 'c'].map((name) => `ns/${round}/${name}`)
      const result = await store.commit(keys.map((key) => create(key, new Uint8Array([round]))))
      assert.ok(result.ok)
      for (const [index, key] of keys.entries())
        assert.equal((await store.get(key))?.revision, result.revisions[index])
    }
    assert.equal(proxy.faults.counts[fault], rounds)
  })
