import assert from 'node:assert/strict'
import { type JetStreamClient, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type NatsServer, startNats } from '../servers/nats.ts'
import { Frames } from './nats-frames.ts'
import { type NatsFault, type NatsProxy, startNatsProxy } from './nats-proxy.ts'

const timeout = 400

describe('a fault proxy before NATS', () => {
  let server: NatsServer
  let proxy: NatsProxy
  let connection: NatsConnection
  let direct: NatsConnection
  let client: JetStreamClient
  let subjects = 0

  beforeAll(async () => {
    server = await startNats()
    proxy = await startNatsProxy(server.url)
    direct = await connect({ servers: server.url })
    const manager = await jetstreamManager(direct)
    await manager.streams.add({ name: 's', subjects: ['s.>'], max_msgs_per_subject: 10 })
    connection = await connect({ servers: proxy.url, reconnectTimeWait: 20 })
    client = jetstream(connection)
  })
  afterAll(async () => {
    for (const open of [connection, direct]) await open.close()
    await proxy[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  })

  /** Publishes to a new subject while the fault happens: whether it was acknowledged, and how often it arrived. */
  async function publish(fault: NatsFault) {
    const subject = `s.${++subjects}`
    proxy.faults.next(fault, (request) => request.subject === subject)
    const options = { timeout, retries: 0, expect: { lastSubjectSequence: 0 } }
    const isAcknowledged = await client.publish(subject, 'x'.repeat(1000), options).then(
      () => true,
      () => false,
    )
    const manager = await jetstreamManager(direct)
    const info = await manager.streams.info('s', { subjects_filter: subject })
    return { isAcknowledged, messages: info.state.subjects?.[subject] ?? 0 }
  }

  test.each<[NatsFault, boolean, number]>([
    ['drop-request', false, 0],
    ['cut-request', false, 0],
    ['drop-answer', false, 1],
    ['cut-answer', false, 1],
    ['delay', true, 1],
    // The second one is refused: its expectation no longer holds.
    ['duplicate', true, 1],
  ])('%s: acknowledged %s, stored %d times', async (fault, isAcknowledged, messages) => {
    const countBefore = proxy.faults.counts[fault]
    assert.deepEqual(await publish(fault), { isAcknowledged, messages })
    assert.equal(proxy.faults.counts[fault], countBefore + 1)
  })

  test('the client comes back through the proxy after a cut', async () => {
    for (let round = 0; round < 3; round++) {
      const reconnected = nextReconnect(connection)
      proxy.cutAll()
      await reconnected
      await client.publish('s.after', 'x')
    }
  })

  test('passes large messages both ways', async () => {
    const { seq } = await client.publish('s.large', new Uint8Array(900_000).fill(7))
    const manager = await jetstreamManager(connection)
    const message = await manager.streams.getMessage('s', { seq })
    assert.deepEqual(message?.data, new Uint8Array(900_000).fill(7))
  })
})

async function nextReconnect(connection: NatsConnection): Promise<void> {
  for await (const { type } of connection.status()) if (type === 'reconnect') return
}

test('frames come out the same however the bytes arrive', () => {
  const stream = Buffer.from(
    'INFO {}\r\nPUB a 3\r\nx\r\n\r\nHPUB b r 2 5\r\n\r\nabc\r\nMSG c 1 0\r\n\r\nHMSG d 2 q 0 1\r\nz\r\nPING\r\n',
  )
  const whole = new Frames().push(stream)
  assert.deepEqual(
    whole.map(({ verb, subject, reply }) => [verb, subject, reply]),
    [
      ['INFO', undefined, undefined],
      ['PUB', 'a', undefined],
      ['HPUB', 'b', 'r'],
      ['MSG', 'c', undefined],
      ['HMSG', 'd', 'q'],
      ['PING', undefined, undefined],
    ],
  )
  for (let size = 1; size < stream.length; size++) {
    const frames = new Frames()
    const parts: Buffer[] = []
    for (let at = 0; at < stream.length; at += size) parts.push(stream.subarray(at, at + size))
    assert.deepEqual(
      parts.flatMap((part) => frames.push(part)),
      whole,
    )
  }
})
