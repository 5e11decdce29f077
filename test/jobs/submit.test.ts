import assert from 'node:assert/strict'
import { test } from 'vitest'
import {
  CorruptTaskError,
  InvalidTaskError,
  TaskExistsError,
  TaskManager,
  TaskNotFoundError,
} from '../../src/jobs/index.ts'
import { onEveryStore } from '../models/stores.ts'
import { assertRefused, Bench, bytes, TestClock, text } from './kit.ts'
import { assertLayout, idemPathOf, storedTask } from './layout.ts'

onEveryStore('submit', { check: assertLayout }, (ground) => {
  const bench = () => new Bench(ground.store)

  test('a task is camelCase JSON under tasks/task/{id}, with base64 and RFC 3339; its key holds the bare id', async () => {
    const clock = new TestClock()
    const manager = new TaskManager(ground.store, { now: clock.now })
    const id = await manager.submit({
      idempotencyKey: 'order-123-process',
      payload: bytes('{"order_id": "123"}'),
      maxAttempts: 3,
    })
    assert.deepEqual(await storedTask(ground.store, id), {
      id,
      idempotencyKey: 'order-123-process',
      payload: Buffer.from('{"order_id": "123"}').toString('base64'),
      status: 'pending',
      attempts: 0,
      maxAttempts: 3,
      createdAt: '2026-01-02T03:04:05.678Z',
      claimedAt: null,
      claimedBy: null,
      completedAt: null,
      result: null,
      error: null,
    })
    const entry = await ground.store.get('tasks/idem/order-123-process')
    assert.equal(text(entry?.value), id)
    const task = await manager.get(id)
    assert.equal(task.createdAt.getTime(), clock.ms)
    assert.equal(text(task.payload), '{"order_id": "123"}')
    assert.ok(task.payload.constructor === Uint8Array)
  })

  test('the same key returns the existing id whatever the payload, also after completion and failure', async () => {
    const { manager } = bench()
    const submit = (payload: string) =>
      manager.submit({ idempotencyKey: 'email-456-send', payload: bytes(payload), maxAttempts: 1 })
    const id = await submit('email data')
    assert.equal(await submit('other'), id)
    await manager.claim(id, 'worker-a')
    assert.equal(await submit('other'), id)
    await manager.fail(id, 'broken')
    assert.equal(await submit('other'), id)
    await manager.retry(id, { attempts: 1 })
    await manager.claim(id, 'worker-a')
    await manager.complete(id, bytes('sent'))
    assert.equal(await submit('other'), id)
    const task = await manager.getByIdempotencyKey('email-456-send')
    assert.deepEqual([task.id, text(task.payload), text(task.result)], [id, 'email data', 'sent'])
  })

  test('many submissions of one key at once are one task', async () => {
    const managers = [bench().manager, new TaskManager(await ground.open())]
    const ids = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        (managers[at % 2] as TaskManager).submit({
          idempotencyKey: 'one',
          payload: bytes(`from ${at}`),
        }),
      ),
    )
    assert.equal(new Set(ids).size, 1)
    const { tasks } = await (managers[0] as TaskManager).list()
    assert.equal(tasks.length, 1)
    // On a store without transactions those that lost may still be cleaning up after themselves.
    await (managers[0] as TaskManager).repair({ graceMs: 0 })
  })

  test('a key whose task is missing (a crash in between) is completed by the next submit with the same id', async () => {
    const own = bench()
    await own.put('tasks/idem/half', '01JZZZZZZZZZZZZZZZZZZZZZZZ')
    await assertRefused(own.manager.getByIdempotencyKey('half'), TaskNotFoundError)
    const id = await own.manager.submit({ idempotencyKey: 'half', payload: bytes('whole') })
    assert.equal(id, '01JZZZZZZZZZZZZZZZZZZZZZZZ')
    assert.equal(text((await own.manager.get(id)).payload), 'whole')
    assert.equal((await own.manager.claimNext('worker-a'))?.id, id)
  })

  test('an id of the caller is used; one that exists is refused, never overwritten', async () => {
    const { manager } = bench()
    const id = await manager.submit({ id: 'my task/1', payload: bytes('first') })
    assert.equal(id, 'my task/1')
    for (const idempotencyKey of [undefined, 'new key'])
      await assertRefused(
        manager.submit({ id, payload: bytes('second'), idempotencyKey }),
        TaskExistsError,
        'TASK_EXISTS',
      )
    assert.equal(text((await manager.get(id)).payload), 'first')
    await assertRefused(manager.getByIdempotencyKey('new key'), TaskNotFoundError)
  })

  test('with a key and an id of the caller, submitting again finds the task by its key', async () => {
    const { manager } = bench()
    const task = { id: 'mine', idempotencyKey: 'mine too', payload: bytes('x') }
    assert.equal(await manager.submit(task), 'mine')
    assert.equal(await manager.submit(task), 'mine')
    assert.equal(await manager.submit({ ...task, id: 'another' }), 'mine')
  })

  test('after delete the key is free', async () => {
    const own = bench()
    const id = await own.completed()
    await own.manager.delete(id)
    await assertRefused(own.manager.getByIdempotencyKey('bench-1'), TaskNotFoundError)
    const next = await own.manager.submit({ idempotencyKey: 'bench-1', payload: bytes('again') })
    assert.notEqual(next, id)
    assert.equal(await own.status(next), 'pending')
  })

  test('keys with spaces, dots, slashes, Unicode, quotes and 2,000 characters are distinct, and come back as they were', async () => {
    const { manager } = bench()
    const long = 'k'.repeat(2_000)
    const hash = idemPathOf(long).slice('tasks/idem/'.length)
    const keys = [
      ' ',
      'a b',
      '.',
      '..',
      'a.b',
      'a/b',
      '/',
      'a%2Fb',
      '%',
      "it's",
      '"quoted"',
      'line\nbreak',
      '\u0000',
      'Grüße',
      'Gru\u0308ße',
      '🧵/🪡',
      '\ud800',
      '\udc00',
      long,
      `${long}x`,
      // What a long key becomes is no other key's place.
      hash,
      hash.slice('%sha256-'.length),
      'é'.repeat(100),
      'é'.repeat(101),
      '/'.repeat(66),
      '/'.repeat(67),
      '🧵'.repeat(1_000),
      'x'.repeat(4_096),
    ]
    const payloadOf = (key: string) => bytes(JSON.stringify(key))
    const ids = await manager.submitMany(
      keys.map((idempotencyKey) => ({ idempotencyKey, payload: payloadOf(idempotencyKey) })),
    )
    assert.equal(new Set(ids).size, keys.length)
    for (const [at, key] of keys.entries()) {
      const task = await manager.getByIdempotencyKey(key)
      assert.deepEqual([task.id, task.idempotencyKey], [ids[at], key])
      assert.deepEqual(task.payload, payloadOf(key))
    }
    const [again] = await manager.submitMany([{ idempotencyKey: long, payload: bytes('') }])
    assert.equal(again, ids[keys.indexOf(long)])
  })

  test('submitMany: ids in order, one for each key, all checked before any is written', async () => {
    const { manager } = bench()
    const task = (idempotencyKey?: string) => ({ idempotencyKey, payload: bytes('x') })
    const ids = await manager.submitMany([task('a'), task(), task('b'), task('a'), task()])
    assert.equal(new Set(ids).size, 4)
    assert.equal(ids[3], ids[0])
    assert.deepEqual(await manager.submitMany([task('b'), task('a')]), [ids[2], ids[0]])
    assert.deepEqual(await manager.submitMany([]), [])
    const { tasks } = await manager.list()
    assert.deepEqual(
      tasks.map(({ id }) => id),
      [ids[0], ids[1], ids[2], ids[4]],
    )
    const bad = [task('c'), { idempotencyKey: 'd' }] as { payload: Uint8Array }[]
    await assertRefused(manager.submitMany(bad), InvalidTaskError)
    const taken = [task('c'), { ...task('d'), id: ids[0] as string }]
    await assertRefused(manager.submitMany(taken), TaskExistsError)
    const twice = [
      { id: 'same', payload: bytes('1') },
      { id: 'same', payload: bytes('2') },
    ]
    await assertRefused(manager.submitMany(twice), TaskExistsError)
    await assertRefused(manager.submitMany({} as []), InvalidTaskError)
    assert.equal((await manager.list()).tasks.length, 4)
  })

  test('tasks survive restarts: another opener of the store finds them', async () => {
    const own = bench()
    const id = await own.claimed()
    const other = new TaskManager(await ground.open())
    assert.deepEqual(await other.get(id), await own.manager.get(id))
    await other.complete(id, bytes('done'))
    assert.equal(await own.status(id), 'completed')
  })

  test('a key that stands for no id at all: CorruptTaskError, which says what to do; nothing changed', async () => {
    const own = bench()
    await own.put('tasks/idem/strange', 'x'.repeat(300))
    const submit = () => own.manager.submit({ idempotencyKey: 'strange', payload: bytes('x') })
    for (const call of [submit, () => own.manager.getByIdempotencyKey('strange')]) {
      await assertRefused(call, CorruptTaskError, 'CORRUPT_TASK')
      await assert.rejects(call, /tasks\/idem\/strange is not the id .* Remove it/)
    }
    const { key, revision } = (await ground.store.get('tasks/idem/strange'))!
    assert.ok((await ground.store.commit([{ type: 'remove', key, revision }])).ok)
    assert.equal(await own.status(await submit()), 'pending')
  })

  test('if the compared key differs, the entry is another task’s: CorruptTaskError', async () => {
    const own = bench()
    const id = await own.pending()
    await own.put('tasks/idem/strange', id)
    const submit = () => own.manager.submit({ idempotencyKey: 'strange', payload: bytes('x') })
    await assertRefused(submit, CorruptTaskError, 'CORRUPT_TASK')
    await assertRefused(own.manager.getByIdempotencyKey('strange'), CorruptTaskError)
    assert.equal((await own.manager.list()).tasks.length, 1)
    await own.manager.repair({ graceMs: 0 })
    assert.notEqual(await submit(), id)
  })
})
