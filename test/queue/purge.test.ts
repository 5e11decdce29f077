import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { Monitor, Queue, Worker } from '../../src/queue/index.ts'
import { openStore, type Store } from '../../src/store/index.ts'
import { sharedMinio } from '../servers/shared.ts'
import { s3Bucket } from '../store/s3/ground.ts'
import { assertLayout } from './layout.ts'

const bucket = s3Bucket(sharedMinio())

/** The names of all objects of the indexes that were ever there and have not been purged, with empty ones. */
async function remains(prefix: string): Promise<string[]> {
  const { account, bucket: name } = await bucket
  const found: string[] = []
  for (const index of ['ready', 'leases']) {
    const path = `/${name}?versions&prefix=${prefix}/${index}/`
    const text = await (await account.request(path)).text()
    found.push(...[...text.matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, key]) => key as string))
  }
  return [...new Set(found)]
}

/** Runs some tasks to their end, and leaves one that is delayed and one that waits. */
async function used(store: Store): Promise<void> {
  const queue = new Queue(store)
  const done = await queue.submitMany(Array.from({ length: 5 }, () => ({ type: 'x' })))
  await queue.submit({ type: 'x', delayMs: 3_600_000 })
  await queue.submit({ type: 'other' })
  await using worker = new Worker(store, {
    handlers: { x: () => 1 },
    monitor: false,
    idleMsMax: 100,
  })
  await worker.start()
  await Promise.all(done.map(({ id }) => queue.wait(id)))
  await worker.stop()
  await queue.close()
}

describe('the monitor on MinIO', () => {
  test('purges what removed index entries have left, and nothing that is there', async () => {
    const { url } = await bucket
    await using store = await openStore(url('purge'))
    await used(store)
    assert.ok((await remains('purge')).length >= 12)
    const monitor = new Monitor(store, { graceMs: 0 })
    const { purged } = await monitor.sweep()
    assert.ok(purged >= 10, String(purged))
    assert.equal((await remains('purge')).length, 2)
    await assertLayout(store)
    assert.equal((await monitor.sweep()).purged, 0)
  })

  test('leaves what was removed a moment ago', async () => {
    const { url } = await bucket
    await using store = await openStore(url('young'))
    await used(store)
    assert.equal((await new Monitor(store).sweep()).purged, 0)
    assert.ok((await remains('young')).length >= 12)
  })
})
