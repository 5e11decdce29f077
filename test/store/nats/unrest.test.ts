import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { create, openStore, type Store, StoreError } from '../../../src/store/index.ts'
import { eventually } from '../../eventually.ts'
import { recorded } from '../../record.ts'
import type { NatsServer } from '../../servers/nats.ts'
import { type NatsCluster, startNatsCluster } from '../../servers/nats-cluster.ts'
import { sized } from '../../size.ts'
import { natsGround } from './ground.ts'

const inFlight = sized(6, 48)
/** How long they write at full speed before and after something happens to a node. */
const rushMs = sized(200, 500)
const restMsMax = sized(300, 2_500)
/** Between rushes they write only now and then. */
const pauseMs = 100
/** How long reads may be older than what was acknowledged, once all nodes say that they are well. */
const oldReadsMsMax = 60_000

interface Unrest {
  readonly what: string
  readonly rounds: number
  readonly isKill?: boolean
  begin(node: NatsServer, round: number): Promise<unknown> | unknown
  end(node: NatsServer): Promise<unknown> | unknown
}

let cluster: NatsCluster
beforeAll(async () => {
  cluster = await startNatsCluster(3, { oneProcessor: true, cables: true })
})
afterAll(() => cluster[Symbol.asyncDispose]())

interface Found {
  readonly documents: ReadonlySet<string>
  readonly indexed: ReadonlySet<string>
  readonly lost: readonly string[]
}

/** A node that has lost the lead and not heard of it may answer with what was; what is lost stays so. */
async function currentOf(store: Store, acknowledged: readonly string[]): Promise<Found> {
  for (const until = performance.now() + oldReadsMsMax; ; await sleep(1_000)) {
    const documents = await namesBelow(store, 'ns/document')
    const indexed = await namesBelow(store, 'ns/index')
    const lost = acknowledged.filter((id) => !documents.has(id))
    const isWhole = documents.size === indexed.size && [...documents].every((id) => indexed.has(id))
    if ((lost.length === 0 && isWhole) || performance.now() > until)
      return { documents, indexed, lost }
    process.stdout.write(`an old read, in which ${lost.length} commits are missing\n`)
  }
}

const routesOf = async (node: NatsServer): Promise<number> =>
  (await node.monitor<{ num_routes: number }>('routez')).num_routes

const unrests: readonly Unrest[] = [
  {
    what: 'killed and restarted',
    rounds: sized(2, 20, 9),
    isKill: true,
    begin: (node) => node.kill(),
    end: (node) => node.restart(),
  },
  {
    what: 'paused (SIGSTOP)',
    rounds: sized(1, 20, 9),
    begin: (node) => node.signal('SIGSTOP'),
    end: (node) => node.signal('SIGCONT'),
  },
  {
    what: 'cut off from the others',
    rounds: sized(1, 20, 9),
    begin: async (node, round) => {
      const silent = round % 2 === 1
      cluster.cutOff(node, { silent })
      // Where connections stand, only the nodes know.
      if (!silent) await eventually(async () => assert.equal(await routesOf(node), 0))
    },
    end: () => cluster.mend(),
  },
]

/** Commits of two keys each, as fast as it goes or only now and then, and what came of each. */
class Writing {
  readonly acknowledged: string[] = []
  /** Of these the store said that nothing happened. */
  readonly unavailable: string[] = []
  isPaced = false
  #isOver = false
  #next = 0
  readonly #lanes: Promise<void>[]

  constructor(stores: readonly Store[]) {
    const laneOf = (_: unknown, at: number) => this.#work(stores[at % stores.length] as Store)
    this.#lanes = Array.from({ length: inFlight }, laneOf)
  }

  async end(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#lanes)
  }

  async #work(store: Store): Promise<void> {
    while (!this.#isOver) {
      if (this.isPaced) await sleep(pauseMs)
      const id = String(this.#next++)
      const keys = [`ns/document/${id}`, `ns/index/${id}`]
      try {
        const { ok } = await store.commit(keys.map((key) => create(key, new Uint8Array(100))))
        if (ok) this.acknowledged.push(id)
      } catch (error) {
        assert.ok(error instanceof StoreError, String(error))
        if (error.code === 'unavailable') this.unavailable.push(id)
      }
    }
  }
}

async function namesBelow(store: Store, prefix: string): Promise<Set<string>> {
  const ids = new Set<string>()
  for await (const { key } of store.list(prefix)) ids.add(key.split('/').at(-1) as string)
  return ids
}

describe('commits to three nodes of NATS, each connected to another one', () => {
  for (const { what, rounds, isKill = false, begin, end } of unrests)
    test(`${rounds} times a node is ${what}: each acknowledged commit is there, none is half there`, async () => {
      await using ground = await natsGround(cluster.url, '?replicas=3')
      // Before and after the unrest nothing is to fail, however long it takes.
      await using patient = await ground.open()
      await patient.commit([create('ns/first', new Uint8Array())])
      const urls = cluster.nodes.map(({ url }) => `${url}?replicas=3`)
      const stores = await Promise.all(urls.map((url) => openStore(url)))
      const record = recorded({
        what: `commits: a node ${what}`,
        store: 'NATS, 3 nodes',
        promises: ['durable', 'whole', 'honest'],
      })
      const writing = new Writing(stores)
      for (let round = 0; round < rounds; round++) {
        const node = cluster.nodes[round % cluster.nodes.length] as NatsServer
        await sleep(rushMs * Math.random())
        await begin(node, round)
        await sleep(rushMs)
        writing.isPaced = true
        await sleep(restMsMax * Math.random())
        await end(node)
        await cluster.ready()
        writing.isPaced = false
      }
      await sleep(rushMs)
      await writing.end()
      for (const store of stores) await store[Symbol.asyncDispose]()
      const { acknowledged, unavailable } = writing
      const { documents, indexed, lost } = await currentOf(patient, acknowledged)
      const killRounds = isKill ? rounds : 0
      const operations = acknowledged.length
      record({ killRounds, faults: rounds, operations, lost: lost.length })
      assert.deepEqual(lost, [])
      assert.deepEqual([...documents].sort(), [...indexed].sort())
      assert.deepEqual(
        unavailable.filter((id) => documents.has(id)),
        [],
        'of these the store said that nothing happened',
      )
      assert.ok(operations > inFlight * rounds, `only ${operations} were acknowledged`)
    })
})
