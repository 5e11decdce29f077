import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { storeConformance } from '../../../src/store/conformance/index.ts'
import { create, openStore, StoreError } from '../../../src/store/index.ts'
import { type NatsCluster, startNatsCluster } from '../../servers/nats-cluster.ts'
import { sized } from '../../size.ts'
import { natsGround } from './ground.ts'

const commits = sized(400, 10_000)
const inFlight = sized(6, 64)
const pauseMs = 100
/** How long they write at full speed before and after each kill. */
const rushMs = sized(200, 500)

let cluster: NatsCluster
beforeAll(async () => {
  cluster = await startNatsCluster(3, { oneProcessor: true })
})
afterAll(() => cluster[Symbol.asyncDispose]())

storeConformance({ describe, test }, 'nats on three nodes', () =>
  natsGround(cluster.url, '?replicas=3'),
)

test(`two of three nodes killed and restarted in turn during ${commits} commits and more: each acknowledged commit is there`, {
  timeout: 180_000,
}, async () => {
  await using ground = await natsGround(cluster.url, '?replicas=3')
  // Before and after the unrest nothing is to fail, however long it takes.
  await using patient = await ground.open()
  await using store = await openStore(`${cluster.url}?replicas=3`)
  await patient.commit([create('ns/first', new Uint8Array())])
  const acknowledged: string[] = []
  let next = 0
  let isCalm = false
  /** Around each kill they write as fast as they can; between, when there are enough, only now and then. */
  let isPaced = false
  const work = async () => {
    while (next < commits || !isCalm) {
      if (isPaced && next >= commits) await sleep(pauseMs)
      const id = String(next++)
      const keys = [`ns/document/${id}`, `ns/index/${id}`]
      try {
        const { ok } = await store.commit(keys.map((key) => create(key, new Uint8Array(100))))
        if (ok) acknowledged.push(id)
      } catch (error) {
        // Not acknowledged: it may be there or not, but never half.
        assert.ok(error instanceof StoreError, String(error))
      }
    }
  }
  const unrest = async () => {
    for (const node of cluster.nodes.slice(0, 2)) {
      isPaced = false
      await sleep(rushMs)
      await node.kill()
      await sleep(rushMs)
      isPaced = true
      await sleep(1000)
      await node.restart()
      await cluster.ready()
    }
    isCalm = true
  }
  await Promise.all([...Array.from({ length: inFlight }, work), unrest()])
  const there = async (prefix: string) => {
    const ids = new Set<string>()
    for await (const { key } of patient.list(prefix)) ids.add(key.split('/').at(-1) as string)
    return ids
  }
  const [documents, indexed] = await Promise.all([there('ns/document'), there('ns/index')])
  assert.deepEqual(
    acknowledged.filter((id) => !documents.has(id)),
    [],
  )
  assert.deepEqual([...documents].sort(), [...indexed].sort())
  assert.ok(acknowledged.length > commits / 2, `only ${acknowledged.length} were acknowledged`)
})
