import { afterAll, beforeAll, describe, test } from 'vitest'
import { storeConformance } from '../../../src/store/conformance/index.ts'
import { type NatsCluster, startNatsCluster } from '../../servers/nats-cluster.ts'
import { natsGround } from './ground.ts'

let cluster: NatsCluster
beforeAll(async () => {
  cluster = await startNatsCluster(3, { oneProcessor: true })
})
afterAll(() => cluster[Symbol.asyncDispose]())

storeConformance({ describe, test }, 'nats on three nodes', () =>
  natsGround(cluster.url, '?replicas=3'),
)
