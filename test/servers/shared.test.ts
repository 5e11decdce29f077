import assert from 'node:assert/strict'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { test } from 'vitest'
import { sharedMinio, sharedMinistack, sharedNats, sharedNatsCluster } from './shared.ts'

test('all who ask get the same NATS server', async () => {
  const [one, two] = await Promise.all([sharedNats(), sharedNats()])
  assert.deepEqual(one, two)
  const connection = await connect({ servers: one.url })
  await jetstreamManager(connection)
  await connection.close()
})

test('a shared cluster has three nodes', async () => {
  const hosts = (await sharedNatsCluster()).url.replace('nats://', '').split(',')
  assert.equal(hosts.length, 3)
  const connection = await connect({ servers: hosts })
  const manager = await jetstreamManager(connection)
  const stream = { name: 'shared_test', subjects: ['shared_test'], num_replicas: 3 }
  const { config } = await manager.streams.add(stream)
  assert.equal(config.num_replicas, 3)
  await manager.streams.delete('shared_test')
  await connection.close()
})

test.each([sharedMinio, sharedMinistack])(
  'buckets of a shared S3 server are apart',
  async (share) => {
    const account = await share()
    const [one, two] = [await account.createBucket(), await account.createBucket()]
    assert.equal((await account.request(`/${one}/key`, { method: 'PUT', body: 'x' })).status, 200)
    assert.equal((await account.request(`/${two}/key`)).status, 404)
  },
)
