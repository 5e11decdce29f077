import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { TaskManager, TaskNotFoundError } from '../../src/jobs/index.ts'
import { limited, openStore, type Store } from '../../src/store/index.ts'
import { atEveryCrash, copiesOf } from '../models/crashes.ts'
import { Bench, bytes, TestClock } from './kit.ts'
import { assertLayout, assertNoneMissing } from './layout.ts'

const claimTtlMs = 60_000
const clock = new TestClock()

/** One task in each status, each with a key that says which. */
async function plant(empty: Store): Promise<void> {
  const own = new TaskManager(limited(empty, 1), { now: clock.now })
  const submit = (idempotencyKey: string, maxAttempts = 2) =>
    own.submit({ idempotencyKey, payload: bytes('x'), maxAttempts })
  await submit('pending')
  const [claimed, last] = [await submit('claimed'), await submit('last', 1)]
  for (const id of [claimed, last]) await own.claim(id, 'worker-a')
  const [completed, failed] = [await submit('completed'), await submit('failed', 1)]
  for (const id of [completed, failed]) await own.claim(id, 'worker-a')
  await own.complete(completed, bytes('done'))
  await own.fail(failed, 'broken')
}

const planted = copiesOf(plant)
const prepare = async (): Promise<Store> => limited(await planted(), 1)

const idOf = async (manager: TaskManager, key: string) =>
  (await manager.getByIdempotencyKey(key)).id

type Operation = (manager: TaskManager) => Promise<unknown>

const operations: Readonly<Record<string, Operation>> = {
  'submit of a new key': (manager) =>
    manager.submit({ idempotencyKey: 'new', payload: bytes('x') }),
  'submit without a key': (manager) => manager.submit({ payload: bytes('x') }),
  'submit with an id of the caller': (manager) =>
    manager.submit({ id: 'mine', idempotencyKey: 'new', payload: bytes('x') }),
  submitMany: (manager) =>
    manager.submitMany([
      { idempotencyKey: 'new', payload: bytes('x') },
      { idempotencyKey: 'newer', payload: bytes('x') },
      { payload: bytes('x') },
    ]),
  claim: async (manager) => manager.claim(await idOf(manager, 'pending'), 'worker-b'),
  claimNext: (manager) => manager.claimNext('worker-b'),
  complete: async (manager) => manager.complete(await idOf(manager, 'claimed'), bytes('y')),
  'fail, to be tried again': async (manager) => manager.fail(await idOf(manager, 'claimed'), 'y'),
  'fail for good': async (manager) => manager.fail(await idOf(manager, 'last'), 'y'),
  'retry of a failed task': async (manager) =>
    manager.retry(await idOf(manager, 'failed'), { attempts: 1 }),
  'retry of a claimed task': async (manager) => manager.retry(await idOf(manager, 'claimed')),
  delete: async (manager) => manager.delete(await idOf(manager, 'completed')),
  releaseStale: (manager) => manager.releaseStale(),
}

/** The keys that are there, each with what its task says. */
async function statusesOf(store: Store): Promise<Map<string, string>> {
  const { tasks } = await new TaskManager(store).list()
  return new Map(tasks.map((task) => [task.idempotencyKey ?? task.id, task.status]))
}

describe('a crash between any two writes, on a store that commits one write at a time', () => {
  for (const [name, operate] of Object.entries(operations))
    test(`${name}: no task is missed, doing it again does the rest, repair brings the exact truth`, async () => {
      const commits = await atEveryCrash({
        prepare,
        operate: async (store) => {
          const now = () => clock.ms + claimTtlMs
          const manager = new TaskManager(store, { now, claimTtlMs })
          await operate(manager).finally(() => manager.close())
        },
        check: async (store, isAcknowledged) => {
          await assertNoneMissing(store)
          const statuses = await statusesOf(store)
          if (isAcknowledged && name.includes('key')) assert.ok(statuses.size >= 6)
          // What was there before is there still, unless it was what the operation was about.
          for (const key of ['pending', 'claimed', 'last', 'failed'])
            assert.ok(statuses.has(key), `${key} is gone`)
          await new TaskManager(store).repair({ graceMs: 0 })
          await assertLayout(store)
        },
      })
      assert.ok(commits >= 3, `only ${commits} commits`)
    })

  for (const name of ['submit of a new key', 'submit with an id of the caller', 'submitMany'])
    test(`${name}, then the same again: one task for the key, and the id that it stood for`, async () => {
      await atEveryCrash({
        prepare,
        operate: (store) => (operations[name] as Operation)(new TaskManager(store)),
        check: async (store) => {
          const entry = await store.get('tasks/idem/new')
          const manager = new TaskManager(store)
          await (operations[name] as Operation)(manager)
          const id = await idOf(manager, 'new')
          if (entry) assert.equal(new TextDecoder().decode(entry.value), id)
          const { tasks } = await manager.list()
          assert.equal(tasks.filter(({ idempotencyKey }) => idempotencyKey === 'new').length, 1)
          await manager.repair({ graceMs: 0 })
          await assertLayout(store)
        },
      })
    })

  for (const status of ['completed', 'failed'] as const)
    test(`delete of a ${status} task, then the same again: the task and its key are gone`, async () => {
      await atEveryCrash({
        prepare,
        operate: async (store) => {
          const manager = new TaskManager(store)
          await manager.delete(await idOf(manager, status))
        },
        check: async (store) => {
          const manager = new TaskManager(store)
          const { tasks } = await manager.list(status)
          for (const { id } of tasks) await manager.delete(id)
          await assert.rejects(idOf(manager, status), TaskNotFoundError)
          await manager.submit({ idempotencyKey: status, payload: bytes('x') })
          await manager.repair({ graceMs: 0 })
          await assertLayout(store)
        },
      })
    })

  test('delete of a corrupt record, then the same again', async () => {
    await atEveryCrash({
      prepare: async () => {
        const store = await prepare()
        const id = await idOf(new TaskManager(store), 'completed')
        await new Bench(store).put(`tasks/task/${id}`, 'garbage')
        return store
      },
      operate: async (store) => {
        const entry = await store.get('tasks/idem/completed')
        await new TaskManager(store).delete(new TextDecoder().decode(entry?.value))
      },
      check: async (store) => {
        const manager = new TaskManager(store)
        const { corrupt } = await manager.repair({ graceMs: 0 })
        for (const id of corrupt) await manager.delete(id)
        await manager.repair({ graceMs: 0 })
        await assertLayout(store)
        assert.equal((await statusesOf(store)).size, 4)
      },
    })
  })

  test('repair itself', async () => {
    await atEveryCrash({
      prepare: async () => {
        const store = await prepare()
        const own = new Bench(store)
        for await (const { key, revision } of store.list('tasks/status'))
          await store.commit([{ type: 'remove', key, revision }])
        await own.put('tasks/idem/orphan', 'nobody')
        await own.put('tasks/status/pending/000000000000001-nobody', '')
        return store
      },
      operate: (store) => new TaskManager(store).repair({ graceMs: 0 }),
      check: async (store) => {
        await new TaskManager(store).repair({ graceMs: 0 })
        await assertLayout(store)
      },
    })
  })
})

describe('a crash at any commit, on a store with transactions', () => {
  for (const [name, operate] of Object.entries(operations))
    test(`${name}: all or nothing, with nothing to repair`, async () => {
      await atEveryCrash({
        prepare: async () => {
          const store = await openStore('memory:')
          const source = await prepare()
          const writes = []
          for await (const { key, value } of source.scan('tasks'))
            writes.push({ type: 'create' as const, key, value })
          await store.commit(writes)
          return store
        },
        operate: async (store) => {
          const manager = new TaskManager(store, { now: () => clock.ms + claimTtlMs, claimTtlMs })
          await operate(manager).finally(() => manager.close())
        },
        check: (store) => assertLayout(store),
      })
    })
})
