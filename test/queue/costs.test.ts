import { describe, test } from 'vitest'
import { Monitor, Queue } from '../../src/queue/index.ts'
import { Repository } from '../../src/queue/repository.ts'
import { create, type Store } from '../../src/store/index.ts'
import { assertSameCosts, costly } from '../models/costs.ts'
import type { Operation } from '../models/pairs.ts'
import { sized } from '../size.ts'
import { filled } from './crowd.ts'

const ids = Object.fromEntries(
  ['pending', 'cancelled', 'claimed', 'running', 'expired', 'failed', 'completed', 'archived'].map(
    (name, nth) => [name, `${nth}0000000-0000-4000-8000-00000000000${nth}`],
  ),
) as Readonly<Record<string, string>>
const idOf = (name: string): string => ids[name] as string

const leaseId = '11111111-1111-4111-8111-111111111111'
const hourMs = 3_600_000

/** Tasks that have ended, as many as there are. */
async function ended(store: Store, count: number): Promise<void> {
  const created_at = '2026-01-02T03:04:05Z'
  for (let at = 0; at < count; at += 500)
    await store.commit(
      Array.from({ length: Math.min(500, count - at) }, (_, nth) => {
        const shard = (nth % 16).toString(16)
        const id = `${shard}${String(at + nth).padStart(7, '0')}-0000-4000-8000-00000000ffff`
        const task = { id, task_type: 'old', status: 'completed', created_at }
        const bytes = new TextEncoder().encode(JSON.stringify(task))
        return create(`qo/tasks/${shard}/${id}.json`, bytes)
      }),
    )
}

async function plant(store: Store, unrelated: number): Promise<void> {
  const queue = new Queue(store)
  const repository = new Repository(store, () => {})
  await ended(store, unrelated / 2)
  await filled(store, unrelated / 2)
  for (const [name, id] of Object.entries(ids))
    await queue.submit({ type: 't', id, idempotencyKey: name })
  const nowMs = (await store.now()) + 5_000
  for (const name of ['running', 'expired', 'failed', 'completed', 'archived']) {
    const claim = { workerId: 'w', leaseId, nowMs: name === 'expired' ? nowMs : nowMs + hourMs }
    await repository.change(idOf(name), ['claim', claim])
  }
  const finishing = { leaseId, nowMs }
  const failure = { ...finishing, error: 'no', isPermanent: true, random: 0 }
  await repository.change(idOf('failed'), ['fail', failure])
  for (const name of ['completed', 'archived'])
    await repository.change(idOf(name), ['complete', { ...finishing, output: null }])
  await queue.archive(idOf('archived'))
}

const on =
  (operate: (queue: Queue) => Promise<unknown>): Operation =>
  async (store) => {
    const queue = new Queue(store)
    await operate(queue)
    await queue.close()
  }

/** Each finds its task as the ones before have left it. */
const operations: Readonly<Record<string, Operation>> = {
  submit: on((queue) => queue.submit({ type: 't' })),
  'submit with a key': on((queue) => queue.submit({ type: 't', idempotencyKey: 'new' })),
  'submit with a known key': on((queue) => queue.submit({ type: 't', idempotencyKey: 'failed' })),
  'submit with an id': on((queue) =>
    queue.submit({ type: 't', id: 'f0000000-0000-4000-8000-000000000000' }),
  ),
  submitMany: on((queue) => queue.submitMany([{ type: 't' }, { type: 'u' }])),
  get: on((queue) => queue.get(idOf('pending'))),
  history: on((queue) => queue.history(idOf('archived'))),
  resolve: on((queue) => queue.resolve('00000000-0000-4000-8000-000000000')),
  list: on((queue) => queue.list()),
  'list of the running': on((queue) => queue.list({ status: 'running', limit: 1 })),
  'list of the pending': on((queue) => queue.list({ status: 'pending', limit: 1 })),
  claim: async (store) => {
    const claim = { workerId: 'w', leaseId, nowMs: (await store.now()) + hourMs }
    await new Repository(store, () => {}).change(idOf('claimed'), ['claim', claim])
  },
  renew: async (store) => {
    const renewal = { leaseId, untilMs: (await store.now()) + 3 * hourMs }
    await new Repository(store, () => {}).change(idOf('claimed'), ['renew', renewal])
  },
  complete: async (store) => {
    const report = { leaseId, nowMs: await store.now(), output: 1 }
    await new Repository(store, () => {}).change(idOf('claimed'), ['complete', report])
  },
  extend: on((queue) => queue.extend(idOf('running'), 1_000)),
  'cancel of a running task': on((queue) => queue.cancel(idOf('running'))),
  'cancel of a pending task': on((queue) => queue.cancel(idOf('cancelled'))),
  replay: on((queue) => queue.replay(idOf('failed'))),
  archive: on((queue) => queue.archive(idOf('completed'))),
  unarchive: on((queue) => queue.unarchive(idOf('archived'))),
  'wait for what has ended': on((queue) => queue.wait(idOf('completed')).catch(() => {})),
  workers: on((queue) => queue.workers()),
  'a check of the monitor': async (store) => {
    const aheadMs = (await store.now()) + hourMs / 2
    await new Monitor(store, { now: () => aheadMs }).check()
  },
}

/** A list by status looks through its index; beyond that, at a bounded number of tasks that the index does not name. */
const growing = {
  'list of the pending': ['entries'],
  'list of the running': ['get', 'entries'],
} as const

const stores: Readonly<Record<string, (store: Store) => Store>> = {
  'where a commit is many writes': (store) => store,
  'where a commit is one write, and a list costs all below its prefix': costly,
}

const many = sized(20_000, 100_000)

describe(`beside ${many} tasks of other types, and such as have ended`, () => {
  for (const [where, wrap] of Object.entries(stores))
    test(`every operation on a queue asks for as much as beside 200, ${where}`, async () => {
      await assertSameCosts({ plant, operations, growing }, wrap, [200, many])
    })
})
