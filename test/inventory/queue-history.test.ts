import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { checkedExport, imported } from '../../src/inventory/index.ts'
import { Queue, stateOf } from '../../src/queue/index.ts'
import { Repository } from '../../src/queue/repository.ts'
import type { Ground } from '../../src/store/conformance/index.ts'
import { create, limited, type Store, update } from '../../src/store/index.ts'
import { startNats } from '../servers/nats.ts'
import { sharedMinio } from '../servers/shared.ts'
import { memoryGround, sqliteGround } from '../store/ground.ts'
import { natsGround } from '../store/nats/ground.ts'
import { s3Bucket, s3Ground } from '../store/s3/ground.ts'
import { chunksOf, exportOf } from './filled.ts'

const leaseId = '11111111-1111-4111-8111-111111111111'
const ids = {
  fresh: 'a47ac10b-58cc-4372-a567-0e02b2c3d470',
  changed: 'b47ac10b-58cc-4372-a567-0e02b2c3d471',
  long: 'c47ac10b-58cc-4372-a567-0e02b2c3d472',
}

const supplies: AsyncDisposable[] = []
const plainBucket = s3Bucket(sharedMinio(), { versioned: false })
const versionedBucket = s3Bucket(sharedMinio())

type Role = 'source' | 'target' | 'return'
/** Of one server all stores are the same. */
const servers = new Map<Role, ReturnType<typeof startNats>>()

const grounds: Readonly<Record<string, (role: Role) => Promise<Ground>>> = {
  sqlite: sqliteGround,
  'limited(memory, 1)': () => memoryGround((store) => limited(store, 1)),
  nats: async (role) => {
    const server = servers.get(role) ?? startNats({ oneProcessor: true })
    servers.set(role, server)
    return natsGround((await server).url)
  },
  'an unversioned bucket': () => s3Ground(plainBucket),
  'a versioned bucket': () => s3Ground(versionedBucket),
}
const kinds = Object.keys(grounds)

afterAll(async () => {
  for (const each of supplies.reverse()) await each[Symbol.asyncDispose]()
  for (const server of servers.values()) await (await server)[Symbol.asyncDispose]()
})

/** An empty store of a kind; on NATS in place of the last one in its role. */
async function emptyStore(kind: string, role: Role): Promise<Store> {
  const ground = await grounds[kind]!(role)
  const store = await ground.open()
  supplies.push(ground, store)
  return store
}

/** Claims a task, lets it fail for good, and replays it: three changes. */
async function cycle(store: Store, id: string, error = 'no luck'): Promise<void> {
  const repository = new Repository(store, () => {})
  // The clocks of stores differ.
  const { available_at } = await repository.get(id)
  const nowMs = Math.max(await store.now(), Date.parse(available_at)) + 1
  await repository.change(id, ['claim', { workerId: 'w', leaseId, nowMs }])
  await repository.change(id, ['renew', { leaseId, untilMs: nowMs + 400_000 }])
  await repository.change(id, ['fail', { leaseId, nowMs, error, isPermanent: true, random: 0 }])
  await repository.change(id, ['replay', { nowMs }])
}

async function fill(store: Store): Promise<void> {
  const queue = new Queue(store)
  for (const id of Object.values(ids)) await queue.submit({ type: 't', input: id, id })
  await cycle(store, ids.changed)
  for (let nth = 0; nth < 6; nth++) await cycle(store, ids.long, `${nth} ${'x'.repeat(2_500)}`)
}

const versionsOf = async (store: Store, id: string) =>
  (await new Queue(store).history(id)).map(({ version, task }) => ({
    version,
    state: stateOf(task),
    lease: task.lease_expires_at,
  }))

async function historiesOf(store: Store) {
  const entries = Object.values(ids).map(async (id) => [id, await versionsOf(store, id)] as const)
  return Object.fromEntries(await Promise.all(entries))
}

async function copied(from: Store, to: Store): Promise<void> {
  const text = await exportOf(from)
  const contents = await checkedExport(chunksOf(text))
  await imported(to, contents, chunksOf(text), { merge: false })
}

/** Each task is changed three times more, and its history is what it was, and these. */
async function assertGoesOn(store: Store, before: Awaited<ReturnType<typeof historiesOf>>) {
  for (const id of Object.values(ids)) await cycle(store, id)
  const after = await historiesOf(store)
  for (const id of Object.values(ids)) {
    const [was, is] = [before[id] ?? [], after[id] ?? []]
    assert.equal(is.length, was.length + 3)
    assert.deepEqual(is.slice(0, was.length), was)
    assert.equal(new Set(is.map(({ state }) => state)).size, is.length, 'each state once')
  }
  return after
}

for (const source of kinds)
  describe(`the history of tasks that come from ${source}`, () => {
    let store: Store
    beforeAll(async () => {
      store = await emptyStore(source, 'source')
      await fill(store)
    })

    for (const target of kinds)
      test(`is whole on ${target}, and after each change there`, async () => {
        const before = await historiesOf(store)
        assert.deepEqual(
          Object.values(ids).map((id) => before[id]?.length),
          [1, 4, 19],
        )
        const moved = await emptyStore(target, 'target')
        await copied(store, moved)
        assert.deepEqual(await historiesOf(moved), before)
        const after = await assertGoesOn(moved, before)
        const back = await emptyStore(source, 'return')
        await copied(moved, back)
        assert.deepEqual(await historiesOf(back), after)
        await assertGoesOn(back, after)
      })
  })

describe('the history of tasks in a bucket', () => {
  test('is whole when its versioning is turned on, suspended and turned on again', async () => {
    const { account, bucket, open } = await s3Bucket(sharedMinio(), { versioned: false })
    const opened: Store[] = []
    const reopened = async () => {
      const store = await open('switched')
      opened.push(store)
      return store
    }
    let store = await reopened()
    await fill(store)
    let before = await historiesOf(store)
    await account.keepVersions(bucket)
    // Who opened the bucket before does not know that it keeps versions.
    before = await assertGoesOn(store, before)
    store = await reopened()
    assert.deepEqual(await historiesOf(store), before)
    before = await assertGoesOn(store, before)
    await account.suspendVersions(bucket)
    before = await assertGoesOn(store, before)
    store = await reopened()
    before = await assertGoesOn(store, before)
    await account.keepVersions(bucket)
    store = await reopened()
    assert.deepEqual(await historiesOf(store), before)
    before = await assertGoesOn(store, before)
    const moved = await emptyStore('sqlite', 'target')
    await copied(store, moved)
    assert.deepEqual(await historiesOf(moved), before)
    for (const each of opened) await each[Symbol.asyncDispose]()
  })

  test('has what other tools wrote between our changes, and takes it along', async () => {
    const store = await emptyStore('a versioned bucket', 'source')
    const key = `qo/tasks/a/${ids.fresh}.json`
    const write = async (change: Record<string, unknown>) => {
      const entry = await store.get(key)
      const { _history: _, ...task } = entry
        ? JSON.parse(new TextDecoder().decode(entry.value))
        : { id: ids.fresh, task_type: 't', status: 'pending', created_at: at(0) }
      const bytes = new TextEncoder().encode(JSON.stringify({ ...task, ...change }))
      assert.ok((await store.commit([entry ? update(entry, bytes) : create(key, bytes)])).ok)
    }
    const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString()
    await write({ updated_at: at(0) })
    await write({ status: 'running', attempt: 1, worker_id: 'rust', updated_at: at(1) })
    await write({ status: 'failed', worker_id: null, updated_at: at(2) })
    await cycle(store, ids.fresh).catch(() => {})
    const queue = new Queue(store)
    await queue.replay(ids.fresh)
    await write({ status: 'running', attempt: 2, worker_id: 'rust', updated_at: at(3) })
    await write({ status: 'failed', worker_id: null, last_error: 'again', updated_at: at(4) })
    await queue.archive(ids.fresh)
    const statuses = async (of: Store) =>
      (await new Queue(of).history(ids.fresh)).map(({ task }) => task.status)
    const told = 'pending running failed pending running failed archived'.split(' ')
    assert.deepEqual(await statuses(store), told)
    const moved = await emptyStore('sqlite', 'target')
    await copied(store, moved)
    assert.deepEqual(await statuses(moved), told)
    await new Queue(moved).unarchive(ids.fresh)
    assert.deepEqual(await statuses(moved), [...told, 'failed'])
  })

  test('of an earlier release, which left it to the versions alone, goes along as well', async () => {
    const store = await emptyStore('a versioned bucket', 'source')
    await fill(store)
    const before = await historiesOf(store)
    for (const id of Object.values(ids)) {
      const versions: Uint8Array[] = []
      const key = `qo/tasks/${id.charAt(0)}/${id}.json`
      for await (const { value } of store.versions!(key)) versions.unshift(value as Uint8Array)
      const old = `qo/tasks/d/${`d${id.slice(1)}`}.json`
      for (const value of versions) {
        const { _history: _, ...task } = JSON.parse(new TextDecoder().decode(value))
        const bytes = new TextEncoder().encode(JSON.stringify({ ...task, id: `d${id.slice(1)}` }))
        const entry = await store.get(old)
        assert.ok((await store.commit([entry ? update(entry, bytes) : create(old, bytes)])).ok)
      }
    }
    const moved = await emptyStore('nats', 'target')
    await copied(store, moved)
    for (const id of Object.values(ids)) {
      const there = await versionsOf(moved, `d${id.slice(1)}`)
      assert.deepEqual(there, before[id])
    }
  })
})
