import assert from 'node:assert/strict'
import { describe, expectTypeOf, test } from 'vitest'
import { InvalidTaskError, type TaskError, TaskManager } from '../../src/jobs/index.ts'
import { openStore } from '../../src/store/index.ts'
import { assertRefused, Bench, bytes } from './kit.ts'

const payload = bytes('x')

describe('unknown fields of a submission are refused, and nothing is stored', () => {
  const calls: Readonly<Record<string, (manager: TaskManager, task: object) => Promise<unknown>>> =
    {
      submit: (manager, task) => manager.submit(task as { payload: Uint8Array }),
      ensure: (manager, task) => manager.ensure(task as { payload: Uint8Array }),
      submitMany: (manager, task) =>
        manager.submitMany([{ payload }, task as { payload: Uint8Array }]),
    }
  for (const [name, call] of Object.entries(calls))
    test(name, async () => {
      const { manager, store } = new Bench(await openStore('memory:'))
      for (const more of [
        { idempotency_key: 'k' },
        { max_attempts: 3 },
        { Payload: payload },
        { status: 'failed' },
        { key: undefined },
      ]) {
        const [field] = Object.keys(more)
        const error = await call(manager, { payload, ...more }).catch((thrown) => thrown)
        assert.ok(error instanceof InvalidTaskError, String(error))
        assert.ok(error.message.includes(`"${field}"`), error.message)
        assert.match(error.message, /payload, idempotencyKey, maxAttempts, id/)
      }
      for await (const { key } of store.list('')) assert.fail(key)
    })
})

describe('unknown options of every method are refused, and nothing is changed', () => {
  const calls: Readonly<
    Record<string, (own: Bench, id: string, options: object) => Promise<unknown>>
  > = {
    submit: ({ manager }, _, options) => manager.submit({ payload }, options),
    ensure: ({ manager }, _, options) => manager.ensure({ payload }, options),
    submitMany: ({ manager }, _, options) => manager.submitMany([{ payload }], options),
    claim: ({ manager }, id, options) => manager.claim(id, 'worker-b', options),
    claimNext: ({ manager }, _, options) => manager.claimNext('worker-b', options),
    complete: ({ manager }, id, options) => manager.complete(id, payload, options),
    fail: ({ manager }, id, options) => manager.fail(id, 'x', options),
    retry: ({ manager }, id, options) => manager.retry(id, options),
    get: ({ manager }, id, options) => manager.get(id, options),
    getByIdempotencyKey: ({ manager }, _, options) =>
      manager.getByIdempotencyKey('bench-1', options),
    list: ({ manager }, _, options) => manager.list(null, options),
    delete: ({ manager }, id, options) => manager.delete(id, options),
    wait: ({ manager }, id, options) => manager.wait(id, options),
    releaseStale: ({ manager }, _, options) => manager.releaseStale(options),
    repair: ({ manager }, _, options) => manager.repair(options),
  }
  for (const [name, call] of Object.entries(calls))
    test(name, async () => {
      const own = new Bench(await openStore('memory:'))
      const ids = [await own.pending(), await own.claimed(), await own.completed()]
      const before = await own.manager.list()
      for (const id of ids)
        for (const options of [{ worker_id: 'worker-a' }, { attempst: 1 }, { signals: undefined }])
          await assertRefused(call(own, id, options), InvalidTaskError, 'INVALID_TASK')
      for (const options of ['x', 7, null] as unknown as object[])
        await assertRefused(call(own, ids[0] as string, options), InvalidTaskError)
      assert.deepEqual(await own.manager.list(), before)
    })

  test('the manager itself', async () => {
    const store = await openStore('memory:')
    const options = { claimTtlMS: 1_000 } as object
    assert.throws(() => new TaskManager(store, options), /"claimTtlMS".*claimTtlMs/)
  })
})

test('the code of a TaskError is one of those that there are', () => {
  expectTypeOf<TaskError['code']>().not.toEqualTypeOf<string>()
  expectTypeOf<'TASK_NOT_FOUND'>().toExtend<TaskError['code']>()
  // @ts-expect-error: there is no such code.
  const none: TaskError['code'] = 'TASK_LOST'
  assert.equal(none, 'TASK_LOST')
})
