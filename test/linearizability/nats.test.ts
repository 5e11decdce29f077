import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'vitest'
import { openStore, type Store } from '../../src/store/index.ts'
import { type NatsProxy, startNatsProxy } from '../proxy/nats-proxy.ts'
import { type NatsServer, startNats } from '../servers/nats.ts'
import { type NatsCluster, startNatsCluster } from '../servers/nats-cluster.ts'
import { Random } from '../sim/random.ts'
import { sized } from '../size.ts'
import { type Ground, groundOf } from './client.ts'
import { historyOf, type Note } from './history.ts'
import { microsecondsBefore } from './recorder.ts'
import { recordEnd, recordRound } from './round.ts'
import { seed, Tally } from './tally.ts'

const aloneHistories = sized(12, 400, 30)
const disturbances = sized(4, 120, 6)
const [clients, calls, keys] = [6, 12, 3]
const timeoutMs = 1_500
/** How long clients work at full speed before something happens to them. */
const rushMsMax = sized(600, 1_500)
/** Nodes choose another leader after 4 to 9 seconds of silence. */
const pauseMsMax = sized(1_500, 12_000)
const downMsMax = 600
/** How often it happens to the node that leads the stream, which matters most. */
const leaderShare = 0.6
/** Seldom enough that most commits go through. */
const faultShare = 0.015

test(`one NATS server is linearizable: requests and answers lost, late and twice, ${aloneHistories} histories`, {
  timeout: 3_600_000,
}, async () => {
  await using server = await startNats({ oneProcessor: true })
  await using proxy = await startNatsProxy(server.url, { share: faultShare * 2, seed })
  await using patient = await openStore(server.url)
  const tally = new Tally('one NATS server')
  await using one = await openStore(`${proxy.url}?timeout_ms=${timeoutMs}`)
  await using other = await openStore(`${proxy.url}?timeout_ms=${timeoutMs}`)
  for (let round = 0; round < aloneHistories; round++) {
    const ground = groundOf('nats', round, keys)
    const options = { stores: [one, other], clients, calls, ground, seed: seed + round }
    const notes = await recordRound(options)
    tally.add(historyOf([...notes, ...(await recordEnd(patient, ground))]))
  }
  tally.settle()
})

/**
 * The leader of a stream answers gets without asking the other nodes, so a read may show the past. Two cases: a leader
 * refuses a commit because of another one that is on its way to the other nodes, and still shows the state before;
 * and a leader that was stopped does not know yet that another was chosen.
 */
test(`three NATS nodes are linearizable but for old reads: nodes killed and stopped, connections cut, ${disturbances} times`, {
  timeout: 3_600_000,
}, async () => {
  await using cluster = await startNatsCluster(3, { oneProcessor: true })
  await using proxies = new Proxies()
  const random = new Random(seed)
  await proxies.start(cluster)
  await using clientsOf = new Clients()
  for (const url of proxies.urls) await clientsOf.open(url)
  const rounds: { ground: Ground; notes: Note[] }[] = []
  let isCalm = false
  const work = async () => {
    while (!isCalm) {
      const ground = groundOf('cluster', rounds.length, keys)
      const { stores } = clientsOf
      const options = { stores, clients, calls, ground, seed: seed + rounds.length }
      rounds.push({ ground, notes: await recordRound(options) })
    }
  }
  const unrest = async () => {
    for (let count = 0; count < disturbances; count++) {
      await sleep(random.next() * rushMsMax)
      await disturb(cluster, proxies, random)
    }
    isCalm = true
  }
  await Promise.all([work(), unrest()])
  await cluster.ready()
  const calmAt = microsecondsBefore()
  await using patient = await openStore(`${cluster.url}?timeout_ms=30000`)
  const tally = new Tally('three NATS nodes', { reads: 'past' })
  for (const { ground, notes } of rounds)
    tally.add(historyOf([...notes, ...(await recordEnd(patient, ground))]), { calmAt })
  tally.settle()
})

/** One proxy before each node. */
class Proxies implements AsyncDisposable {
  readonly #proxies: NatsProxy[] = []

  async start({ nodes }: NatsCluster): Promise<void> {
    for (const [index, { url }] of nodes.entries())
      this.#proxies.push(
        await startNatsProxy(url, { share: faultShare, seed: seed + index, delayMsMax: 50 }),
      )
  }

  /** For each proxy a URL that begins with it. */
  get urls(): string[] {
    const hosts = this.#proxies.map(({ url }) => url.slice('nats://'.length))
    return hosts.map((_, index) => {
      const rotated = [...hosts.slice(index), ...hosts.slice(0, index)]
      return `nats://${rotated.join()}?replicas=3&timeout_ms=${timeoutMs}`
    })
  }

  cut(): void {
    for (const proxy of this.#proxies) proxy.cutAll()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const proxy of this.#proxies) await proxy[Symbol.asyncDispose]()
  }
}

class Clients implements AsyncDisposable {
  readonly stores: Store[] = []

  async open(url: string): Promise<void> {
    this.stores.push(await openStore(url))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const store of this.stores) await store[Symbol.asyncDispose]()
  }
}

interface Streams {
  readonly account_details?: readonly {
    readonly stream_detail?: readonly { readonly cluster?: { readonly leader?: string } }[]
  }[]
}

/** The node that leads the stream of our keys, as far as any of them knows. */
async function leaderOf({ nodes }: NatsCluster, random: Random): Promise<NatsServer | undefined> {
  const { account_details: accounts } = await random
    .pick(nodes)
    .monitor<Streams>('jsz?accounts=true&streams=true')
  const names = accounts?.flatMap(({ stream_detail: streams }) =>
    (streams ?? []).map(({ cluster }) => cluster?.leader),
  )
  return nodes.find(({ name }) => names?.includes(name))
}

async function disturb(cluster: NatsCluster, proxies: Proxies, random: Random): Promise<void> {
  const leader = random.chance(leaderShare) ? await leaderOf(cluster, random) : undefined
  const node = leader ?? random.pick(cluster.nodes)
  switch (random.weighted({ kill: 3, stop: 4, cut: 2 })) {
    case 'kill':
      await node.kill()
      await sleep(random.next() * downMsMax)
      await node.restart()
      return cluster.ready()
    case 'stop':
      process.kill(node.processId!, 'SIGSTOP')
      await sleep(random.next() * pauseMsMax)
      process.kill(node.processId!, 'SIGCONT')
      return
    case 'cut':
      proxies.cut()
  }
}
