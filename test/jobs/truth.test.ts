import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { type Task, TaskError, TaskManager } from '../../src/jobs/index.ts'
import { limited, type Store } from '../../src/store/index.ts'
import { copiesOf } from '../models/crashes.ts'
import { assertTrueWhateverFails } from '../models/fates.ts'
import { bytes, TestClock } from './kit.ts'

const clock = new TestClock()

const planted = copiesOf(async (store) => {
  const own = new TaskManager(store, { now: clock.now })
  const submit = (id: string, maxAttempts = 0) =>
    own.submit({ id, idempotencyKey: `key-${id}`, payload: bytes('x'), maxAttempts })
  await submit('pending')
  await submit('claimed')
  await own.claim('claimed', 'worker-a')
  await submit('failed', 1)
  await own.claim('failed', 'worker-a')
  await own.fail('failed', 'broken')
  await submit('completed')
  await own.claim('completed', 'worker-a')
  await own.complete('completed')
})

const operations: Readonly<Record<string, (manager: TaskManager) => Promise<unknown>>> = {
  'submit without a key': (manager) => manager.submit({ payload: bytes('y') }),
  'submit with a key': (manager) => manager.submit({ payload: bytes('y'), idempotencyKey: 'k' }),
  'submit with an id': (manager) => manager.submit({ payload: bytes('y'), id: 'new' }),
  'submit with an id and a key': (manager) =>
    manager.submit({ payload: bytes('y'), id: 'new', idempotencyKey: 'k' }),
  ensure: (manager) => manager.ensure({ payload: bytes('y'), idempotencyKey: 'k' }),
  submitMany: (manager) =>
    manager.submitMany([
      { payload: bytes('y'), idempotencyKey: 'k' },
      { payload: bytes('y') },
      { payload: bytes('y'), idempotencyKey: 'l' },
    ]),
  claim: (manager) => manager.claim('pending', 'worker-b'),
  claimNext: (manager) => manager.claimNext('worker-b'),
  complete: (manager) => manager.complete('claimed', bytes('y')),
  fail: (manager) => manager.fail('claimed', 'y'),
  'retry of a claimed task': (manager) => manager.retry('claimed'),
  'retry of a failed task': (manager) => manager.retry('failed', { attempts: 1 }),
  'delete of a completed task': (manager) => manager.delete('completed'),
  'delete of a failed task': (manager) => manager.delete('failed'),
}

/** All that callers can see of the tasks, as one text. */
async function visible(store: Store): Promise<string> {
  const manager = new TaskManager(store)
  const { tasks } = await manager.list(null, { limit: 1_000 })
  const told = await Promise.all(
    tasks.map(async (task: Task) => {
      const key = task.idempotencyKey
      const found = key && (await manager.getByIdempotencyKey(key).catch(() => null))
      return JSON.stringify([task, found ? found.id : null])
    }),
  )
  return told.sort().join('\n')
}

for (const writes of [1, 2, 3, 1000])
  describe(`what callers hear is true, with ${writes} writes a commit`, () => {
    for (const [name, operate] of Object.entries(operations))
      for (const isSlow of name.startsWith('claim') ? [false, true] : [false])
        test(`${name}${isSlow ? ', slowly' : ''}: whatever fails, and whichever answer is lost`, async () => {
          const pairs = await assertTrueWhateverFails({
            prepare: async () => limited(await planted(), writes),
            operate: (store) => operate(new TaskManager(store, { now: clock.now })),
            visible,
            isRefusal: (error) => error instanceof TaskError,
            // Where the first write is slow, claims are stamped again.
            beforeCommit: (all) => {
              if (isSlow && all.some(({ key }) => key.startsWith('tasks/task/'))) clock.ms += 1_500
            },
          })
          assert.ok(pairs >= 2, `${pairs}`)
        })
  })
