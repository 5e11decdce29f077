import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { type Task, TaskError, TaskManager } from '../../src/jobs/index.ts'
import { limited, type Store, StoreError } from '../../src/store/index.ts'
import { copiesOf } from '../models/crashes.ts'
import { altered } from '../store/altered.ts'
import { bytes, TestClock } from './kit.ts'

/*
 * What a caller hears must be true: `unavailable` and every TaskError say that nothing happened. Each operation runs on a
 * store on which one call fails, and on one on which an answer is lost and a later call fails, for every pair of calls.
 */

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

/** What is to become of the calls of a store, by their number, from 1 on. */
interface Fate {
  readonly losesAnswerOf: number
  readonly failsAt: number
}

/** Calls are counted together; a commit that loses its answer is applied. The first is slow where claims are stamped again. */
function doomed(store: Store, { losesAnswerOf, failsAt }: Fate, isSlow: boolean) {
  const seen = { calls: 0, hasLost: false, hasFailed: false }
  const arrive = () => {
    if (++seen.calls !== failsAt) return
    seen.hasFailed = true
    throw new StoreError('down', 'The store is away.', 'Try again.')
  }
  async function* each<T>(items: AsyncIterable<T>) {
    arrive()
    yield* items
  }
  const failing = altered(store, {
    get: async (key) => {
      arrive()
      return store.get(key)
    },
    list: (prefix, options) => each(store.list(prefix, options)),
    scan: (prefix, options) => each(store.scan(prefix, options)),
    commit: async (writes) => {
      arrive()
      if (isSlow && writes.some(({ key }) => key.startsWith('tasks/task/'))) clock.ms += 1_500
      const isLost = seen.calls === losesAnswerOf
      const result = await store.commit(writes)
      if (!isLost) return result
      seen.hasLost = true
      throw new StoreError('lost_answer', 'The answer is lost.', 'Read, then decide.')
    },
  })
  return { failing, seen }
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

async function assertTrue(
  operate: (manager: TaskManager) => Promise<unknown>,
  { writes, fate, isSlow }: { writes: number; fate: Fate; isSlow: boolean },
) {
  await using inner = await planted()
  const store = limited(inner, writes)
  const before = await visible(store)
  const { failing, seen } = doomed(store, fate, isSlow)
  const manager = new TaskManager(failing, { now: clock.now })
  const error = await operate(manager).then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (error === null) return seen
  const name = `${JSON.stringify(fate)}: ${error}`
  const isNothing = error instanceof TaskError || (error as StoreError).code === 'unavailable'
  if (isNothing) assert.equal(await visible(store), before, name)
  else assert.equal((error as StoreError).code, 'unknown_outcome', name)
  return seen
}

for (const writes of [1, 2, 3, 1000])
  describe(`what callers hear is true, with ${writes} writes a commit`, () => {
    for (const [name, operate] of Object.entries(operations))
      for (const isSlow of name.startsWith('claim') ? [false, true] : [false])
        test(`${name}${isSlow ? ', slowly' : ''}: whatever fails, and whichever answer is lost`, async () => {
          let pairs = 0
          for (let losesAnswerOf = 0; ; losesAnswerOf++) {
            const fate = { losesAnswerOf, failsAt: 0 }
            const { calls, hasLost } = await assertTrue(operate, { writes, fate, isSlow })
            if (losesAnswerOf > calls) break
            if (losesAnswerOf > 0 && !hasLost) continue
            for (let failsAt = losesAnswerOf + 1; ; failsAt++) {
              const both = { losesAnswerOf, failsAt }
              const { hasFailed } = await assertTrue(operate, { writes, fate: both, isSlow })
              if (!hasFailed) break
              pairs++
            }
          }
          assert.ok(pairs >= 2, `${pairs}`)
        })
  })
