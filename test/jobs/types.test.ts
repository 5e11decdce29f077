import assert from 'node:assert/strict'
import { describe, expectTypeOf, test } from 'vitest'
import {
  type StandardSchema,
  type Task,
  TaskAlreadyClaimedError,
  TaskError,
  TaskManager,
  TaskNotFoundError,
} from '../../src/jobs/index.ts'
import { openStore } from '../../src/store/index.ts'
import { bytes } from './kit.ts'

// What these say of types is checked where all types are; they run to show that the values are of those types.

interface Order {
  readonly id: string
  readonly count: number
}

/** What comes in is not what comes out: a count is 1 where it is left out. */
const order: StandardSchema<{ id: string; count?: number }, Order> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) => ({ value: { count: 1, ...(value as { id: string }) } }),
  },
}
const total: StandardSchema<string, number> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) => ({ value: Number(value) }),
  },
}

describe('types', () => {
  test('are bytes without a schema', async () => {
    await using store = await openStore('memory:')
    const manager = new TaskManager(store)
    const id = await manager.submit({ payload: bytes('x') })
    const task = await manager.claimNext('worker-a')
    expectTypeOf(task).toEqualTypeOf<Task | null>()
    expectTypeOf((await manager.get(id)).payload).toEqualTypeOf<Uint8Array>()
    expectTypeOf((await manager.complete(id)).result).toEqualTypeOf<Uint8Array | null>()
    // @ts-expect-error: text is not bytes.
    await assert.rejects(manager.submit({ payload: 'x' }))
    // @ts-expect-error: there is no such status.
    await assert.rejects(manager.list('done'))
  })

  test('are what goes into the schemas and what comes out of them', async () => {
    await using store = await openStore('memory:')
    const manager = new TaskManager(store, { payload: order, result: total })
    const id = await manager.submit({ payload: { id: '7' } })
    const { payload } = await manager.claim(id, 'worker-a')
    expectTypeOf(payload).toEqualTypeOf<Order>()
    assert.equal(payload.count, 1)
    const { result } = await manager.complete(id, '12')
    expectTypeOf(result).toEqualTypeOf<number | null>()
    assert.equal(result, 12)
    // @ts-expect-error: a result goes in as text.
    await manager.complete(id, 12)
  })

  test('are bytes for the one that has no schema', async () => {
    await using store = await openStore('memory:')
    const payloads = new TaskManager(store, { payload: order, claimTtlMs: 60_000 })
    expectTypeOf(payloads).toEqualTypeOf<
      TaskManager<Order, Uint8Array, { id: string; count?: number }, Uint8Array>
    >()
    await payloads.close()
    const results = new TaskManager(store, { result: total })
    expectTypeOf(results).toEqualTypeOf<TaskManager<Uint8Array, number, Uint8Array, string>>()
  })

  test('tell errors apart, each with its own code', async () => {
    await using store = await openStore('memory:')
    const error: unknown = await new TaskManager(store).get('none').catch((thrown) => thrown)
    assert.ok(error instanceof TaskError)
    assert.ok(error instanceof TaskNotFoundError)
    expectTypeOf<(typeof error)['code']>().toEqualTypeOf<'TASK_NOT_FOUND'>()
    expectTypeOf<TaskAlreadyClaimedError['claimedBy']>().toEqualTypeOf<string>()
    assert.ok(!(error instanceof TaskAlreadyClaimedError))
  })
})
