import assert from 'node:assert/strict'
import { test } from 'vitest'
import { openStore } from '../../../src/store/index.ts'
import { startNatsProxy } from '../../proxy/nats-proxy.ts'
import { startNats } from '../../servers/nats.ts'
import { assertSums, incrementAll } from '../sums.ts'

const clients = 8
const increments = 500

for (const atomic of [true, false])
  test.concurrent(`${clients} clients, ${increments} increments each, 10 % of requests faulted, atomic batches ${atomic ? 'on' : 'off'}: the sums are exact`, {
    timeout: 180_000,
  }, async () => {
    await using server = await startNats()
    await using proxy = await startNatsProxy(server.url, { share: 0.1, seed: 1, delayMsMax: 20 })
    const parameters = `?timeout_ms=1000&atomic=${atomic}`
    const work = async (_: unknown, index: number) => {
      await using store = await openStore(`${proxy.url}${parameters}`)
      await incrementAll(store, `client${index}`, increments)
    }
    await Promise.all(Array.from({ length: clients }, work))
    await using store = await openStore(server.url)
    await assertSums(store, clients * increments)
    for (const [kind, count] of Object.entries(proxy.faults.counts))
      assert.ok(count > 10, `only ${count} times ${kind}`)
  })
