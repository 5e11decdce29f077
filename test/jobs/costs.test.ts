import { describe, test } from 'vitest'
import { fillCompleted } from '../../bench/jobs-fill.ts'
import { TaskManager } from '../../src/jobs/index.ts'
import type { Store } from '../../src/store/index.ts'
import { assertSameCosts, costly } from '../models/costs.ts'
import type { Operation } from '../models/pairs.ts'
import { sized } from '../size.ts'
import { bytes } from './kit.ts'

const ids = ['pending', 'next', 'claimed', 'failed', 'retried', 'completed', 'deleted'] as const
type Id = (typeof ids)[number]

/** What the operations are about is older than all that waits beside it. */
async function plant(store: Store, unrelated: number): Promise<void> {
  const manager = new TaskManager(store, { now: () => Date.now() - 3_600_000 })
  for (const id of ids)
    await manager.submit({ id, idempotencyKey: id, payload: bytes('x'), maxAttempts: 1 })
  for (const id of ids.slice(2)) await manager.claim(id, 'worker-a')
  for (const id of ['failed', 'retried', 'deleted'] as const) await manager.fail(id, 'no')
  await manager.complete('completed')
  await fillCompleted(store, unrelated / 2)
  const payload = bytes('y')
  for (let at = 0; at < unrelated / 2; at += 1_000) {
    const length = Math.min(1_000, unrelated / 2 - at)
    const tasks = Array.from({ length }, (_, nth) => ({ payload, idempotencyKey: `${at + nth}` }))
    await new TaskManager(store).submitMany(tasks)
  }
}

const on =
  (operate: (manager: TaskManager) => Promise<unknown>): Operation =>
  async (store) => {
    const manager = new TaskManager(store)
    await operate(manager)
    await manager.close()
  }

const get = (id: Id) => on((manager) => manager.get(id))

/** Each finds its task as the ones before have left it. */
const operations: Readonly<Record<string, Operation>> = {
  get: get('pending'),
  'get by its key': on((manager) => manager.getByIdempotencyKey('completed')),
  submit: on((manager) => manager.submit({ payload: bytes('z') })),
  'submit with a key': on((manager) =>
    manager.submit({ payload: bytes('z'), idempotencyKey: 'new' }),
  ),
  'submit with a known key': on((manager) =>
    manager.ensure({ payload: bytes('z'), idempotencyKey: 'failed' }),
  ),
  submitMany: on((manager) =>
    manager.submitMany([
      { payload: bytes('z'), idempotencyKey: 'new 1' },
      { payload: bytes('z'), idempotencyKey: 'new 2' },
    ]),
  ),
  claim: on((manager) => manager.claim('next', 'worker-a')),
  claimNext: on((manager) => manager.claimNext('worker-a')),
  complete: on((manager) => manager.complete('claimed', bytes('z'))),
  fail: on((manager) => manager.fail('next', 'no')),
  retry: on((manager) => manager.retry('retried', { attempts: 1 })),
  'delete of a completed task': on((manager) => manager.delete('completed')),
  'delete of a failed task': on((manager) => manager.delete('deleted')),
  list: on((manager) => manager.list(null, { limit: 5 })),
  'list of the pending': on((manager) => manager.list('pending', { limit: 5 })),
  'list of the failed': on((manager) => manager.list('failed', { limit: 5 })),
  'wait for what has ended': on((manager) => manager.wait('failed')),
  releaseStale: async (store) => {
    const manager = new TaskManager(store, { claimTtlMs: 1_000 })
    await manager.releaseStale()
    await manager.close()
  },
}

/** Where a list costs all that is pending, one is shared by many claims, and takes as much as it may. */
const growing = { claimNext: ['entries'] } as const

const many = sized(20_000, 100_000)

describe(`beside ${many} other tasks, pending and completed`, () => {
  test('every operation on jobs asks for as much as beside 200, where a commit is many writes', async () => {
    await assertSameCosts({ plant, operations }, (store) => store, [200, many])
  })

  test('every operation on jobs asks for as much as beside 200, where a commit is one write, and a list costs all below its prefix', async () => {
    await assertSameCosts({ plant, operations, growing }, costly, [200, many])
  })
})
