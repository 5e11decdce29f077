import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import type { Ground } from '../../../src/store/conformance/index.ts'
import { openStore } from '../../../src/store/index.ts'
import { startNatsProxy } from '../../proxy/nats-proxy.ts'

/** Where its failing is not what is tested, an answer may take long on a machine with too much to do. */
const patientMs = 30_000

/** An answer is missed after a third of this; what is left is for finding out, on a machine that may stand still. */
const losingMsMax = 6_000

/** A server without a single stream; its tests run one after another. */
export async function natsGround(url: string, parameters = ''): Promise<Ground> {
  await removeStreams(url)
  const proxies: AsyncDisposable[] = []
  const separator = parameters ? '&' : '?'
  return {
    open: () => openStore(`${url}${parameters}${separator}timeout_ms=${patientMs}`),
    openLosingAnswer: async () => {
      const [first = ''] = url.split(',')
      const proxy = await startNatsProxy(first)
      proxies.push(proxy)
      const store = await openStore(
        `${proxy.url}${parameters}${separator}timeout_ms=${losingMsMax}`,
      )
      proxy.faults.next('drop-answer', ({ subject }) => subject.startsWith('$KV.'))
      return store
    },
    [Symbol.asyncDispose]: async () => {
      for (const proxy of proxies) await proxy[Symbol.asyncDispose]()
    },
  }
}

async function removeStreams(url: string): Promise<void> {
  const manager = await managerAt(url)
  for await (const { config } of manager.streams.list()) {
    // A stream that is made again at once under the same name sometimes brings old messages back.
    await manager.streams.purge(config.name)
    await manager.streams.delete(config.name)
  }
}

/** One connection to a server for all of its tests; it ends with the server. */
const connections = new Map<string, NatsConnection>()

async function managerAt(url: string): Promise<JetStreamManager> {
  const known = connections.get(url)
  const nats = known?.isClosed() === false ? known : await connectTo(url)
  connections.set(url, nats)
  return jetstreamManager(nats, { checkAPI: false })
}

const connectTo = (url: string): Promise<NatsConnection> =>
  connect({ servers: url.replace('nats://', '').split(','), reconnect: false })
