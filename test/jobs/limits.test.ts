import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import {
  InvalidResultError,
  InvalidTaskError,
  InvalidWorkerIdError,
  TaskManager,
} from '../../src/jobs/index.ts'
import { openStore } from '../../src/store/index.ts'
import { assertRefused, Bench, bytes, text } from './kit.ts'
import { storedTask } from './layout.ts'

const bench = async (): Promise<Bench> => new Bench(await openStore('memory:'))

describe('what can not be stored is refused before the store is touched', () => {
  const submissions: Readonly<Record<string, object>> = {
    'no payload': {},
    'an undefined payload': { payload: undefined },
    'a payload that is text': { payload: 'text' },
    'a payload that is an array of numbers': { payload: [1, 2] },
    'a payload over 256 KiB': { payload: new Uint8Array(256 * 1024 + 1) },
    'an empty key': { payload: bytes(''), idempotencyKey: '' },
    'a key that is a number': { payload: bytes(''), idempotencyKey: 7 },
    'a key over 256 KiB': { payload: bytes(''), idempotencyKey: 'k'.repeat(262_145) },
    'a key over 256 KiB in bytes': { payload: bytes(''), idempotencyKey: 'é'.repeat(131_073) },
    'an empty id': { payload: bytes(''), id: '' },
    'an id that is no text': { payload: bytes(''), id: 7 },
    'an id over 200 bytes': { payload: bytes(''), id: 'i'.repeat(201) },
    'an id with half a surrogate pair': { payload: bytes(''), id: '\ud800' },
    'a negative limit': { payload: bytes(''), maxAttempts: -1 },
    'half an attempt': { payload: bytes(''), maxAttempts: 1.5 },
    'a limit that is text': { payload: bytes(''), maxAttempts: '3' },
  }
  for (const [name, submission] of Object.entries(submissions))
    test(`${name}: InvalidTaskError`, async () => {
      const { manager, store } = await bench()
      const task = submission as { payload: Uint8Array }
      await assertRefused(manager.submit(task), InvalidTaskError, 'INVALID_TASK')
      for await (const { key } of store.list('')) assert.fail(key)
    })

  test('lists: an unknown status, a bad limit, a bad cursor: InvalidTaskError', async () => {
    const { manager } = await bench()
    await assertRefused(manager.list('done' as 'failed'), InvalidTaskError)
    for (const limit of [0, -1, 1.5, 1001, Number.NaN, '5'] as number[])
      await assertRefused(manager.list('pending', { limit }), InvalidTaskError)
    for (const cursor of [
      '',
      'x',
      '../../task',
      `${'0'.repeat(15)}-${'x'.repeat(400)}`,
      7,
    ] as string[])
      await assertRefused(manager.list('pending', { cursor }), InvalidTaskError)
  })

  test('getByIdempotencyKey of an empty or over-long key: InvalidTaskError', async () => {
    const { manager } = await bench()
    await assertRefused(manager.getByIdempotencyKey(''), InvalidTaskError)
    await assertRefused(manager.getByIdempotencyKey('k'.repeat(262_145)), InvalidTaskError)
  })

  test('a worker id of many thousand characters: InvalidWorkerIdError', async () => {
    const own = await bench()
    await assertRefused(own.manager.claimNext('w'.repeat(5_000)), InvalidWorkerIdError)
  })

  test('retry with attempts that are no number: InvalidTaskError', async () => {
    const own = await bench()
    const id = await own.failed()
    for (const attempts of [-1, 0.5, '2', Number.NaN] as number[])
      await assertRefused(own.manager.retry(id, { attempts }), InvalidTaskError)
    assert.equal(await own.status(id), 'failed')
  })

  test('retry with more attempts than can be counted leaves a task that can be read', async () => {
    const own = await bench()
    const id = await own.failed()
    const attempts = Number.MAX_SAFE_INTEGER
    assert.equal((await own.manager.retry(id, { attempts })).maxAttempts, attempts)
    await own.manager.claim(id, 'worker-a')
    assert.equal((await own.manager.retry(id, { attempts })).maxAttempts, attempts)
    assert.equal(await own.status(id), 'pending')
  })

  test('a claimTtlMs that is none, and a clock that gives none, are refused', async () => {
    const store = await openStore('memory:')
    for (const claimTtlMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
      assert.throws(() => new TaskManager(store, { claimTtlMs }), RangeError)
    const manager = new TaskManager(store, { now: () => Number.NaN })
    await assertRefused(manager.submit({ payload: bytes('') }), InvalidTaskError)
  })
})

describe('payloads and results', () => {
  test('empty bytes are fine, and so are 256 KiB in each, beside the longest key and error', async () => {
    const { manager, store } = await bench()
    const full = new Uint8Array(256 * 1024).fill(255)
    const empty = await manager.submit({ payload: new Uint8Array() })
    assert.equal((await manager.get(empty)).payload.byteLength, 0)
    const id = await manager.submit({
      payload: Buffer.from(full),
      idempotencyKey: '\u0001'.repeat(Math.floor(262_144 / 6)),
    })
    await manager.claim(id, '\u0001'.repeat(4096))
    await manager.fail(id, '\u0001'.repeat(20_000))
    await manager.claim(id, '\u0001'.repeat(4096))
    const task = await manager.complete(id, full)
    assert.deepEqual([task.payload, task.result], [full, full])
    assert.ok((await store.get(`tasks/task/${id}`))!.value.byteLength < 1_000_000)
  })

  test('a result over 256 KiB, or that is no bytes, is InvalidResultError and changes nothing', async () => {
    const own = await bench()
    const id = await own.claimed()
    const before = await storedTask(own.store, id)
    for (const result of [new Uint8Array(256 * 1024 + 1), 'text', 7] as Uint8Array[])
      await assertRefused(own.manager.complete(id, result), InvalidResultError, 'INVALID_RESULT')
    assert.deepEqual(await storedTask(own.store, id), before)
  })

  test('a task may be completed without a result', async () => {
    const own = await bench()
    for (const result of [undefined, null]) {
      const task = await own.manager.complete(await own.claimed(), result)
      assert.deepEqual([task.status, task.result], ['completed', null])
    }
  })

  test('an error text is cut at 16 KiB, and not through a character', async () => {
    const own = await bench()
    const cut = async (error: unknown) =>
      (await own.manager.fail(await own.claimed(), error)).error as string
    assert.equal(await cut('x'.repeat(20_000)), 'x'.repeat(16_384))
    assert.equal(await cut('x'.repeat(16_384)), 'x'.repeat(16_384))
    assert.equal(await cut(`x${'é'.repeat(10_000)}`), `x${'é'.repeat(8_191)}`)
    assert.equal(await cut(new Error('message')), 'message')
    assert.equal(await cut(new TypeError('')), 'TypeError')
    assert.equal(await cut(undefined), '')
    assert.equal(await cut(42), '42')
  })

  test('fail takes whatever was thrown', async () => {
    const own = await bench()
    const told = async (error: unknown) =>
      (await own.manager.fail(await own.claimed(), error)).error as string
    const unspeakable = {
      get message() {
        throw new Error('no')
      },
    }
    assert.equal(await told({ message: 'of another realm' }), 'of another realm')
    assert.equal(await told({ code: 7 }), '{ code: 7 }')
    assert.equal(await told(Object.create(null)), '[Object: null prototype] {}')
    assert.match(await told(Object.assign(new Error('x'), { message: 42 })), /42|Error/)
    assert.equal(await told(Symbol('s')), 'Symbol(s)')
    assert.equal(await told(null), '')
    assert.equal(await told(unspeakable), 'What was thrown can not be shown.')
  })

  test('bytes that the caller changes after the call are stored as they were', async () => {
    const own = await bench()
    const payloads = [bytes('before'), bytes('before')]
    const submitting = own.manager.submitMany(payloads.map((payload) => ({ payload })))
    for (const payload of payloads) payload.fill(0)
    for (const id of await submitting) {
      const task = await own.manager.get(id)
      assert.equal(text(task.payload), 'before')
      task.payload.fill(0)
      assert.equal(text((await own.manager.get(id)).payload), 'before')
    }
  })
})
