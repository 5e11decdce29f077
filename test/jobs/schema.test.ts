import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { InvalidResultError, InvalidTaskError, TaskManager } from '../../src/jobs/index.ts'
import { openStore } from '../../src/store/index.ts'
import { assertRefused, bytes, schemaOf } from './kit.ts'
import { storedTask } from './layout.ts'

describe('JSON through a Standard Schema', () => {
  interface Order {
    orderId: string
  }
  const order = schemaOf<Order>((value) =>
    typeof (value as Order | null)?.orderId === 'string' ? null : 'orderId is no string',
  )
  const sum = schemaOf<number>((value) => (typeof value === 'number' ? null : 'it is no number'))

  test('payloads and results are typed, and stored as the base64 of their JSON', async () => {
    await using store = await openStore('memory:')
    const manager = new TaskManager(store, { payload: order, result: sum })
    const id = await manager.submit({ payload: { orderId: '123' } })
    const claimed = await manager.claimNext('worker-a')
    assert.equal(claimed?.payload.orderId, '123')
    const { result } = await manager.complete(id, 7)
    assert.equal((result as number) + 1, 8)
    const stored = await storedTask(store, id)
    assert.equal(stored['payload'], Buffer.from('{"orderId":"123"}').toString('base64'))
    assert.equal(stored['result'], Buffer.from('7').toString('base64'))
  })

  test('a payload that the schema refuses is InvalidTaskError, with what and where', async () => {
    await using store = await openStore('memory:')
    const manager = new TaskManager(store, { payload: order })
    for (const payload of [{}, { orderId: 7 }, null, undefined] as unknown as Order[])
      await assertRefused(manager.submit({ payload }), InvalidTaskError)
    await assert.rejects(manager.submit({ payload: {} as Order }), /at: orderId is no string/)
    for await (const { key } of store.list('')) assert.fail(key)
  })

  test('a bad result is InvalidResultError and changes nothing', async () => {
    await using store = await openStore('memory:')
    const manager = new TaskManager(store, { result: sum })
    const id = await manager.submit({ payload: bytes('x') })
    await manager.claim(id, 'worker-a')
    const before = await storedTask(store, id)
    for (const result of ['7', undefined, null] as unknown as number[])
      await assertRefused(manager.complete(id, result), InvalidResultError)
    assert.deepEqual(await storedTask(store, id), before)
  })

  test('what the schema makes of a value is stored, also where it takes its time', async () => {
    await using store = await openStore('memory:')
    const trimmed = {
      '~standard': {
        version: 1 as const,
        vendor: 'test',
        validate: async (value: unknown) => ({ value: String(value).trim() }),
        types: undefined as { input: string; output: string } | undefined,
      },
    }
    const manager = new TaskManager(store, { payload: trimmed })
    const id = await manager.submit({ payload: '  words ' })
    assert.equal((await manager.get(id)).payload, 'words')
  })

  test('what is no Standard Schema is refused at once, and a function may be one', async () => {
    await using store = await openStore('memory:')
    for (const none of [{}, null, 'string', { parse: () => {} }] as unknown as (typeof order)[]) {
      assert.throws(() => new TaskManager(store, { payload: none }), /"payload" is no Standard/)
      assert.throws(() => new TaskManager(store, { result: none }), /"result" is no Standard/)
    }
    const callable = Object.assign(() => {}, sum)
    const manager = new TaskManager(store, { payload: callable })
    assert.equal((await manager.get(await manager.submit({ payload: 7 }))).payload, 7)
  })

  test('what JSON can not hold, or more than 256 KiB of it, is InvalidTaskError', async () => {
    await using store = await openStore('memory:')
    const anything = schemaOf<unknown>(() => null)
    const manager = new TaskManager(store, { payload: anything })
    const circular: Record<string, unknown> = {}
    circular['self'] = circular
    for (const payload of [circular, 7n, () => {}, 'x'.repeat(256 * 1024)])
      await assertRefused(manager.submit({ payload }), InvalidTaskError)
    const id = await manager.submit({ payload: null })
    assert.equal((await manager.get(id)).payload, null)
  })
})
