import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { InvalidTaskError, Monitor, Queue, WorkerNotFoundError } from '../../src/queue/index.ts'
import { Registry } from '../../src/queue/registry.ts'
import type { WorkerInfo } from '../../src/queue/worker-info.ts'
import type { Store } from '../../src/store/index.ts'
import { onEveryStore } from '../models/stores.ts'
import { sharedMinio, sharedMinistack } from '../servers/shared.ts'
import { s3Bucket } from '../store/s3/ground.ts'
import { Bench } from './kit.ts'
import { assertLayout } from './layout.ts'

const dayMs = 86_400_000

const infoOf = (worker_id: string, heardMs: number): WorkerInfo => ({
  ...{ worker_id, started_at: new Date(heardMs).toISOString(), shards: ['0'], current_task: null },
  ...{ tasks_completed: 0, tasks_failed: 0, task_types: ['t'], concurrency: 1, running: [] },
  last_heartbeat: new Date(heardMs).toISOString(),
})

const registryOf = (store: Store) => new Registry(store, (warning) => assert.fail(warning))

onEveryStore('the registry of workers', { check: assertLayout }, (ground) => {
  test('a worker that was killed disappears after 7 days, and comes back when it is heard of', async () => {
    const { store } = ground
    const registry = registryOf(store)
    const startMs = await store.now()
    const held = await registry.put(infoOf('killed', startMs), null)
    await registry.put(infoOf('alive', startMs + 7 * dayMs), null)
    const idsAt = async (ms: number) => {
      const queue = new Queue(store, { now: () => ms })
      return (await queue.workers()).map(({ worker_id }) => worker_id)
    }
    const check = (ms: number) => new Monitor(store, { now: () => ms }).check()
    await check(startMs + 7 * dayMs)
    assert.deepEqual(await idsAt(startMs + 7 * dayMs), ['alive', 'killed'])
    const later = startMs + 7 * dayMs + 10_000
    assert.deepEqual(await idsAt(later), ['alive'], 'also where no monitor runs')
    assert.deepEqual((await check(later)).stale, [])
    assert.equal(await registry.find('killed'), null)
    await registry.put(infoOf('killed', later), held)
    assert.deepEqual(await idsAt(later), ['alive', 'killed'])
  })

  test('a worker that is heard of while it is being forgotten stays', async () => {
    const { store } = ground
    const nowMs = await store.now()
    const held = await registryOf(store).put(infoOf('asleep', nowMs - 8 * dayMs), null)
    let isAwake = false
    // Its heartbeat comes between the look of the monitor and its removal.
    const late: Store = new Proxy(store, {
      get(target, name) {
        const value = Reflect.get(target, name, target)
        if (name !== 'commit') return typeof value === 'function' ? value.bind(target) : value
        return async (writes: Parameters<Store['commit']>[0]) => {
          if (!isAwake) {
            isAwake = true
            await registryOf(store).put(infoOf('asleep', nowMs), held)
          }
          return store.commit(writes)
        }
      },
    })
    assert.deepEqual(await registryOf(late).forget(nowMs), [])
    assert.ok(isAwake)
    assert.notEqual(await registryOf(store).find('asleep'), null)
  })

  test('registrations are removed all or none', async () => {
    await using bench = new Bench(ground.store)
    const { queue, store } = bench
    for (const id of ['a', 'b']) await registryOf(store).put(infoOf(id, await store.now()), null)
    await assert.rejects(queue.removeWorkers(['a', 'nobody']), WorkerNotFoundError)
    await assert.rejects(queue.removeWorkers(['a', '']), InvalidTaskError)
    assert.equal((await queue.workers()).length, 2)
    const removed = await queue.removeWorkers(['b', 'b'])
    assert.deepEqual(
      removed.map(({ worker_id, status }) => [worker_id, status]),
      [['b', 'active']],
    )
    assert.deepEqual(
      (await queue.workers()).map(({ worker_id }) => worker_id),
      ['a'],
    )
  })
})

const servers = { MinIO: sharedMinio, ministack: sharedMinistack }

describe.each(Object.entries(servers))('heartbeats in a versioned bucket of %s', (name, server) => {
  test('leave one version of a worker that lives, and nothing of one that has gone', async () => {
    const bucket = await s3Bucket(server(), { probe: name === 'MinIO' ? 'never' : 'known' })
    const { account, bucket: bucketName } = bucket
    await using store = await bucket.open('beats')
    const versions = async () => {
      const path = `/${bucketName}?versions&prefix=beats/workers/`
      return (await (await account.request(path)).text()).match(/<VersionId>/g)?.length ?? 0
    }
    const registry = registryOf(store)
    const beats = 12
    for (const id of ['lives', 'goes']) {
      let held = null
      for (let beat = 0; beat < beats; beat++)
        held = await registry.put(infoOf(id, await store.now()), held)
    }
    await registry.remove('goes')
    assert.ok((await versions()) >= 2 * beats)
    await new Monitor(store).sweep()
    assert.ok((await versions()) >= 2 * beats, 'what was written a moment ago stays for the grace')
    await new Monitor(store, { graceMs: 0 }).sweep()
    assert.equal(await versions(), 1)
    assert.deepEqual(
      (await new Queue(store).workers()).map((each) => each.worker_id),
      ['lives'],
    )
  })
})
