import { setTimeout as sleep } from 'node:timers/promises'
import { type NatsOptions, NatsServer } from './nats.ts'
import { freePorts } from './port.ts'

const readyMsMax = 60_000
const pollMs = 100

interface MetaState {
  readonly leader?: string
  readonly replicas?: readonly { readonly name: string; readonly current: boolean }[]
}

/** NATS servers that keep JetStream together; each can be killed and restarted alone. */
export class NatsCluster implements AsyncDisposable {
  readonly nodes: readonly NatsServer[]
  /** All nodes in one URL. */
  readonly url: string

  constructor(nodes: readonly NatsServer[]) {
    this.nodes = nodes
    this.url = `nats://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`
  }

  /** Waits until all nodes that run know one of them as the leader, and have caught up with it. */
  async ready(): Promise<void> {
    const deadline = Date.now() + readyMsMax
    while (Date.now() < deadline) {
      if (await this.#isReady().catch(() => false)) return
      await sleep(pollMs)
    }
    const logs = this.nodes.map((node) => node.log()).join('\n')
    throw new Error(`The NATS cluster was not ready within ${readyMsMax} ms:\n${logs}`)
  }

  /** The node that leads JetStream's metadata now. */
  async leader(): Promise<NatsServer> {
    await this.ready()
    return (await this.#leader())!.node
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.nodes.map((node) => node[Symbol.asyncDispose]()))
  }

  async #isReady(): Promise<boolean> {
    const leader = await this.#leader()
    // Only the leader knows how far the others are.
    const replicas = new Map(leader?.state.replicas?.map((replica) => [replica.name, replica]))
    const isCurrent = (node: NatsServer) =>
      node === leader?.node || replicas.get(node.name)?.current
    if (!leader || !this.#running.every(isCurrent)) return false
    // Says no while a stream is still behind.
    const health = this.#running.map((node) => node.monitor<{ status: string }>('healthz'))
    return (await Promise.all(health)).every(({ status }) => status === 'ok')
  }

  /** The leader of whom all nodes know that run, or undefined. */
  async #leader(): Promise<{ node: NatsServer; state: MetaState } | undefined> {
    const asked = this.#running.map((node) => node.monitor<{ meta_cluster: MetaState }>('jsz'))
    const states = (await Promise.all(asked)).map(({ meta_cluster }) => meta_cluster)
    const index = this.#running.findIndex(({ name }) =>
      states.every(({ leader }) => leader === name),
    )
    return index === -1 ? undefined : { node: this.#running[index]!, state: states[index]! }
  }

  get #running(): NatsServer[] {
    return this.nodes.filter(({ processId }) => processId !== undefined)
  }
}

export async function startNatsCluster(size = 3, options: NatsOptions = {}): Promise<NatsCluster> {
  const ports = await freePorts(3 * size)
  const routePorts = ports.slice(2 * size)
  const routes = routePorts.map((port) => `nats://127.0.0.1:${port}`)
  const nodes = routePorts.map((port, index) => {
    const cluster = { name: 'test', listen: `127.0.0.1:${port}`, routes }
    const config = { ...options.config, cluster }
    const [client, monitor] = ports.slice(2 * index) as [number, number]
    return new NatsServer({ ...options, config }, { client, monitor })
  })
  const cluster = new NatsCluster(nodes)
  try {
    await Promise.all(nodes.map((node) => node.restart()))
    await cluster.ready()
    return cluster
  } catch (error) {
    await cluster[Symbol.asyncDispose]()
    throw error
  }
}
