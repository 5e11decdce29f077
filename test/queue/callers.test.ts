import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { Monitor, Queue, QueueError } from '../../src/queue/index.ts'
import { Repository } from '../../src/queue/repository.ts'
import { limited, type Store } from '../../src/store/index.ts'
import { copiesOf } from '../models/crashes.ts'
import { assertTrueWhateverFails } from '../models/fates.ts'

const ids = {
  pending: '00000000-0000-4000-8000-000000000000',
  running: '10000000-0000-4000-8000-000000000000',
  failed: '20000000-0000-4000-8000-000000000000',
  completed: '30000000-0000-4000-8000-000000000000',
  archived: '40000000-0000-4000-8000-000000000000',
}
const own = '50000000-0000-4000-8000-000000000000'
const leaseId = '11111111-1111-4111-8111-111111111111'
const nowMs = Date.parse('2026-01-02T03:04:05.678Z')
const now = () => nowMs

const planted = copiesOf(async (store) => {
  const queue = new Queue(store, { now })
  const repository = new Repository(store, () => {})
  for (const [name, id] of Object.entries(ids))
    await queue.submit({ type: 'email', id, idempotencyKey: name })
  for (const id of [ids.running, ids.failed, ids.completed, ids.archived])
    await repository.change(id, ['claim', { workerId: 'w', leaseId, nowMs }])
  const failure = { leaseId, nowMs, error: 'no', isPermanent: true, random: 0 }
  await repository.change(ids.failed, ['fail', failure])
  for (const id of [ids.completed, ids.archived])
    await repository.change(id, ['complete', { leaseId, nowMs, output: null }])
  await queue.archive(ids.archived)
})

const large = 'x'.repeat(100_000)

const operations: Readonly<Record<string, (queue: Queue) => Promise<unknown>>> = {
  submit: (queue) => queue.submit({ type: 'email' }),
  'submit of a large input': (queue) => queue.submit({ type: 'email', input: large }),
  'submit with a key': (queue) => queue.submit({ type: 'email', idempotencyKey: 'k' }),
  'submit with a key that is known': (queue) =>
    queue.submit({ type: 'email', idempotencyKey: 'failed' }),
  'submit with an id': (queue) => queue.submit({ type: 'email', id: own }),
  'submit with an id and a key': (queue) =>
    queue.submit({ type: 'email', id: own, idempotencyKey: 'k' }),
  submitMany: (queue) => queue.submitMany([{ type: 'a' }, { type: 'b' }, { type: 'c' }]),
  'submitMany with ids': (queue) => queue.submitMany([{ type: 'a', id: own }, { type: 'b' }]),
  'submitMany with keys': (queue) =>
    queue.submitMany([
      { type: 'a', idempotencyKey: 'k' },
      { type: 'b' },
      { type: 'c', idempotencyKey: 'l' },
    ]),
  'submitMany of large inputs': (queue) =>
    queue.submitMany([
      { type: 'a', input: large },
      { type: 'b', input: large },
    ]),
  replay: (queue) => queue.replay(ids.failed),
  archive: (queue) => queue.archive(ids.completed),
  unarchive: (queue) => queue.unarchive(ids.archived),
  'cancel of a pending task': (queue) => queue.cancel(ids.pending),
  'cancel of a running task': (queue) => queue.cancel(ids.running),
  extend: (queue) => queue.extend(ids.running, 60_000),
}

/** What others may have done to all that is pending by the time at which an answer is known to be lost. */
const others: Readonly<Record<string, ((store: Store) => Promise<unknown>) | undefined>> = {
  'while nobody else acts': undefined,
  'while a worker claims what is there': async (store) => {
    const queue = new Queue(store)
    const repository = new Repository(store, () => {})
    for (const { id } of (await queue.list({ status: 'pending' })).tasks)
      await repository.change(id, ['claim', { workerId: 'other', leaseId, nowMs: nowMs + 60_000 }])
  },
  'while leases expire': (store) => new Monitor(store, { now: () => nowMs + 999_999 }).check(),
}

/** All that callers can see; of tasks that others may have changed, that they are there. */
async function visible(store: Store, isMeddled: boolean): Promise<string> {
  const { tasks } = await new Queue(store).list({ all: true, limit: 1_000 })
  return tasks
    .map((task) => (isMeddled ? task.id : JSON.stringify(task)))
    .sort()
    .join('\n')
}

for (const writes of [1, 2, 1000])
  describe(`what callers of the queue hear is true, with ${writes} writes a commit`, () => {
    for (const [other, meddle] of Object.entries(others))
      for (const [name, operate] of Object.entries(operations)) {
        // What becomes of a known task that others change is no sign of what happened.
        if (meddle && !name.startsWith('submit')) continue
        test(`${name}: whatever fails, and whichever answer is lost, ${other}`, async () => {
          const pairs = await assertTrueWhateverFails({
            prepare: async () => limited(await planted(), writes),
            operate: (store) => operate(new Queue(store, { now })),
            visible: (store) => visible(store, meddle !== undefined),
            isRefusal: (error) => error instanceof QueueError,
            ...(meddle && { meddle }),
          })
          assert.ok(pairs >= 1, `${pairs}`)
        })
      }
  })
