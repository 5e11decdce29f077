import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { openS3 } from '../../../src/store/drivers/s3/driver.ts'
import { create, type Store, StoreError } from '../../../src/store/index.ts'
import { recorded } from '../../record.ts'
import { type MinioServer, startMinio } from '../../servers/s3.ts'
import { sized } from '../../size.ts'
import { assertFails } from '../failures.ts'
import { s3Bucket } from './ground.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const commits = sized(200, 10_000, 8_000)
const clients = 48
const kills = sized(1, 4, 20)

describe('MinIO killed with kill -9', () => {
  let server: MinioServer
  beforeAll(async () => {
    server = await startMinio()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  test('the store says that it is down, in time, and goes on when it is back', async () => {
    const { url } = await s3Bucket(Promise.resolve(server.account))
    await using store = await openS3(url(''))
    await store.commit([create('ns/a', bytes('1'))])
    const events = store.watch('ns')[Symbol.asyncIterator]()
    assert.deepEqual((await events.next()).value, { type: 'resync' })
    await server.kill()
    // A connection that was open may have carried the request: this commit need not know.
    await store.commit([create('ns/doubtful', bytes('1'))]).catch(() => {})
    const down = (call: (store: Store) => Promise<unknown>) =>
      assertFails(() => call(store), 'down')
    await Promise.all([
      assertFails(() => openS3(url('')), 'down'),
      down((own) => own.get('ns/a')),
      down((own) => own.list('ns')[Symbol.asyncIterator]().next()),
      down((own) => own.commit([create('ns/b', bytes('1'))])),
      down((own) => own.watch('os')[Symbol.asyncIterator]().next()),
    ])
    await server.restart()
    assert.equal((await store.get('ns/a'))?.value.byteLength, 1)
    assert.deepEqual((await events.next()).value, { type: 'resync' })
    assert.equal((await store.commit([create('ns/b', bytes('1'))])).ok, true)
    assert.deepEqual((await events.next()).value, { type: 'key', key: 'ns/b' })
  })

  test(`${commits} commits, the server killed ${kills} times: each acknowledged one is there`, async () => {
    const { url } = await s3Bucket(Promise.resolve(server.account))
    await using store = await openS3(url(''))
    await store.commit([create('ns/first', bytes('1'))])
    const acknowledged = new Set<string>()
    const record = recorded({
      what: 'commits of 48 clients: the server killed',
      store: 'MinIO',
      promises: ['durable', 'honest'],
    })
    let next = 0
    const work = async () => {
      while (next < commits) {
        const key = `ns/k/${String(next++).padStart(5, '0')}`
        if (await isCommitted(store, key)) acknowledged.add(key)
      }
    }
    const killing = (async () => {
      for (let count = 1; count <= kills; count++) {
        while (next < (commits / (kills + 1)) * count) await sleep(5)
        await server.kill()
        await server.restart()
      }
    })()
    await Promise.all([...Array.from({ length: clients }, work), killing])
    const there = new Set<string>()
    for await (const { key } of store.list('ns/k')) there.add(key)
    const missing = [...acknowledged].filter((key) => !there.has(key))
    const operations = acknowledged.size
    record({ killRounds: kills, faults: kills, operations, lost: missing.length })
    assert.deepEqual(missing, [])
    assert.equal(there.size, commits)
  })
})

/** Tries until it is known to be there; true where a commit said so. */
async function isCommitted(store: Store, key: string): Promise<boolean> {
  let isDoubtful = false
  for (;;)
    try {
      const { ok } = await store.commit([create(key, bytes(key))])
      assert.ok(ok || isDoubtful, `a conflict on ${key}, which nobody else writes`)
      return ok
    } catch (error) {
      assert.ok(error instanceof StoreError, String(error))
      isDoubtful ||= error.code === 'unknown_outcome'
    }
}
