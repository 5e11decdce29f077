import { setTimeout as sleep } from 'node:timers/promises'
import { Cable } from '../proxy/cable.ts'
import { type NatsOptions, NatsServer } from './nats.ts'
import { freePorts } from './port.ts'

const readyMsMax = 60_000
const pollMs = 100

interface MetaState {
  readonly leader?: string
  readonly replicas?: readonly { readonly name: string; readonly current: boolean }[]
}

interface ClusterOptions extends NatsOptions {
  /** Nodes reach each other by cables of ours, so that one can be cut off from the others; from clients it never is. */
  readonly cables?: boolean
}

/** From one node, by its place among them, to another. */
interface Route {
  readonly from: number
  readonly to: number
  readonly port: number
  readonly cable?: Cable
}

/** NATS servers that keep JetStream together; each can be killed and restarted alone. */
export class NatsCluster implements AsyncDisposable {
  readonly nodes: readonly NatsServer[]
  /** All nodes in one URL. */
  readonly url: string
  readonly #routes: readonly Route[]

  constructor(nodes: readonly NatsServer[], routes: readonly Route[]) {
    this.nodes = nodes
    this.#routes = routes
    this.url = `nats://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`
  }

  /** Cuts a node off from the others, in both directions. */
  cutOff(node: NatsServer, how: { silent: boolean }): void {
    const at = this.nodes.indexOf(node)
    for (const { from, to, cable } of this.#routes) if (from === at || to === at) cable?.cut(how)
  }

  mend(): void {
    for (const { cable } of this.#routes) cable?.mend()
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
    await Promise.all(this.#routes.map(({ cable }) => cable?.[Symbol.asyncDispose]()))
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

export async function startNatsCluster(
  size = 3,
  { cables = false, ...options }: ClusterOptions = {},
): Promise<NatsCluster> {
  const ports = await freePorts(3 * size)
  const routePorts = ports.slice(2 * size)
  const routes = await routesBetween(routePorts, cables)
  const nodes = routePorts.map((port, index) => {
    const own = routes.filter(({ from }) => from === index)
    const cluster = {
      name: 'test',
      listen: `127.0.0.1:${port}`,
      routes: own.map((route) => `nats://127.0.0.1:${route.port}`),
      // Nodes tell each other of further ways to each; by these nobody gets around a cable.
      ...(cables ? { advertise: '127.0.0.1:1' } : {}),
    }
    const config = { ...options.config, cluster }
    const [client, monitor] = ports.slice(2 * index) as [number, number]
    return new NatsServer({ ...options, config }, { client, monitor })
  })
  const cluster = new NatsCluster(nodes, routes)
  try {
    await Promise.all(nodes.map((node) => node.restart()))
    await cluster.ready()
    return cluster
  } catch (error) {
    await cluster[Symbol.asyncDispose]()
    throw error
  }
}

/** From each node to each, to itself as well, where there are no cables. */
async function routesBetween(ports: readonly number[], cables: boolean): Promise<Route[]> {
  const all = ports.flatMap((_, from) => ports.map((port, to) => ({ from, to, port })))
  if (!cables) return all
  return Promise.all(all.filter(({ from, to }) => from !== to).map(cabled))
}

async function cabled({ from, to, port }: Route): Promise<Route> {
  const cable = await Cable.to(port)
  return { from, to, port: cable.port, cable }
}
