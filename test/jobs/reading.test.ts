import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'vitest'
import {
  CorruptTaskError,
  StoreClosedError,
  TaskManager,
  TaskNotFoundError,
  TaskNotTerminalError,
  type TaskStatus,
} from '../../src/jobs/index.ts'
import { onEveryStore } from '../models/stores.ts'
import { assertRefused, Bench, bytes, schemaOf, TestClock, text } from './kit.ts'
import { assertLayout } from './layout.ts'

/** All pages, one after another. */
async function pagesOf(manager: TaskManager, status: TaskStatus | undefined, limit: number) {
  const pages: string[][] = []
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<TaskManager['list']>> = await manager.list(status, {
      limit,
      cursor,
    })
    pages.push(page.tasks.map(({ id }) => id))
    cursor = page.cursor
  } while (cursor !== null)
  return pages
}

onEveryStore('reading', { check: assertLayout }, (ground) => {
  test('list goes by creation, in pages, for all and for each status', async () => {
    const clock = new TestClock()
    const manager = new TaskManager(ground.store, { now: clock.now })
    const ids: string[] = []
    for (let at = 0; at < 9; at++) {
      clock.ms += at % 2
      // Ids of the caller's sort otherwise than they were created.
      const id = at % 3 === 0 ? `z-${9 - at}` : undefined
      ids.push(
        await manager.submit({ payload: bytes(String(at)), maxAttempts: 1, ...(id && { id }) }),
      )
    }
    const created = (await manager.list()).tasks
    assert.deepEqual(
      created.map(({ createdAt }) => createdAt.getTime()),
      created.map(({ createdAt }) => createdAt.getTime()).toSorted((a, b) => a - b),
    )
    const order = created.map(({ id }) => id)
    assert.deepEqual(order.toSorted(), ids.toSorted())
    for (const id of order.slice(0, 6)) await manager.claim(id, 'worker-a')
    for (const id of order.slice(0, 2)) await manager.complete(id)
    for (const id of order.slice(2, 4)) await manager.fail(id, 'broken')
    assert.deepEqual(await pagesOf(manager, undefined, 4), [
      order.slice(0, 4),
      order.slice(4, 8),
      order.slice(8),
    ])
    assert.deepEqual(await pagesOf(manager, 'completed', 100), [order.slice(0, 2)])
    assert.deepEqual(await pagesOf(manager, 'failed', 1), [[order[2]], [order[3]]])
    assert.deepEqual(await pagesOf(manager, 'claimed', 2), [order.slice(4, 6)])
    assert.deepEqual(await pagesOf(manager, 'pending', 2), [order.slice(6, 8), order.slice(8)])
  })

  test('Cleanup Old Tasks: list and delete completed tasks, page by page', async () => {
    const own = new Bench(ground.store)
    for (let count = 0; count < 3; count++) await own.completed()
    const kept = await own.pending()
    let cursor: string | null = null
    do {
      const page: Awaited<ReturnType<TaskManager['list']>> = await own.manager.list('completed', {
        limit: 2,
        cursor,
      })
      for (const { id } of page.tasks) await own.manager.delete(id)
      cursor = page.cursor
    } while (cursor !== null)
    assert.deepEqual(await pagesOf(own.manager, undefined, 10), [[kept]])
  })

  test('wait resolves when the task is terminal, whoever ends it', async () => {
    const own = new Bench(ground.store)
    const other = new TaskManager(await ground.open())
    const [one, two, done] = [await own.claimed(), await own.claimed(1), await own.completed()]
    const waits = [one, one, two, done].map((id) => own.manager.wait(id))
    // Most are followed by then; those that are not yet must hear of it, too.
    await sleep(50)
    await other.complete(one, bytes('yes'))
    await other.fail(two, 'no')
    const [first, again, second, third] = await Promise.all(waits)
    assert.deepEqual([first?.status, text(first?.result)], ['completed', 'yes'])
    assert.deepEqual(again, first)
    assert.deepEqual([second?.status, second?.error], ['failed', 'no'])
    assert.equal(text(third?.result), 'done')
  })

  test('wait: closing rejects it, aborting too, and so does deleting the task', async () => {
    const own = new Bench(ground.store)
    const [closed, deleted] = [await own.pending(), await own.completed()]
    await own.manager.retry(await own.failed(), { attempts: 1 })
    const abort = new AbortController()
    const aborted = own.manager.wait(closed, { signal: abort.signal })
    const waiting = own.manager.wait(closed)
    const rejected = assertRefused(waiting, StoreClosedError, 'STORE_CLOSED')
    // Most are followed by then; those that are not yet are to be rejected, too.
    await sleep(20)
    abort.abort(new Error('enough'))
    await assert.rejects(aborted, /enough/)
    await own.manager.delete(deleted)
    await assertRefused(own.manager.wait(deleted), TaskNotFoundError)
    await own.manager.close()
    await rejected
    await assertRefused(own.manager.wait(closed), StoreClosedError)
  })

  test('a task whose payload is meant for others is not deleted while it is claimed, but released, deleted and freed as any', async () => {
    const clock = new TestClock()
    const own = new Bench(ground.store, { now: clock.now })
    const [pending, claimed, completed] = [
      await own.pending(),
      await own.claimed(),
      await own.completed(),
    ]
    const options = { payload: schemaOf<unknown>(() => null), claimTtlMs: 60_000, now: clock.now }
    await using other = new TaskManager(ground.store, options)
    await assertRefused(other.get(pending), CorruptTaskError)
    await assertRefused(other.delete(claimed), TaskNotTerminalError, 'TASK_NOT_TERMINAL')
    await other.delete(pending)
    assert.equal(await ground.store.get('tasks/idem/bench-1'), null)
    clock.ms += 60_000
    assert.equal(await other.releaseStale(), 1)
    assert.equal(await own.status(claimed), 'pending')
    await other.delete(completed)
    assert.equal(await ground.store.get('tasks/idem/bench-3'), null)
  })

  test('a corrupt record: CorruptTaskError by id; lists and claimNext pass over it and report it', async () => {
    const warnings: string[] = []
    const own = new Bench(ground.store, { onWarning: (warning) => warnings.push(warning) })
    const [bad, good] = [await own.pending(), await own.pending()]
    const garbage = '{"id":'
    await own.put(`tasks/task/${bad}`, garbage)
    for (const call of [
      () => own.manager.get(bad),
      () => own.manager.claim(bad, 'worker-a'),
      () => own.manager.complete(bad, bytes('x')),
      () => own.manager.fail(bad, 'x'),
      () => own.manager.retry(bad),
      () => own.manager.wait(bad),
      () => own.manager.getByIdempotencyKey('bench-1'),
      () => own.manager.submit({ idempotencyKey: 'bench-1', payload: bytes('x') }),
      () => own.manager.submitMany([{ idempotencyKey: 'bench-1', payload: bytes('x') }]),
    ])
      await assertRefused(call, CorruptTaskError, 'CORRUPT_TASK')
    for (const status of [undefined, 'pending'] as const)
      assert.deepEqual(await pagesOf(own.manager, status, 1), [[], [good]].slice(1))
    const listed = warnings.length
    assert.ok(listed >= 2 && warnings.every((warning) => warning.includes(bad)), `${warnings}`)
    assert.equal((await own.manager.claimNext('worker-a'))?.id, good)
    assert.equal(warnings.length, listed + 1)
    assert.equal(await own.manager.claimNext('worker-a'), null)
    assert.equal(text((await ground.store.get(`tasks/task/${bad}`))?.value), garbage)
    assert.deepEqual((await own.manager.repair({ graceMs: 0 })).corrupt, [bad])
    // By its id it goes, and its key with it.
    await own.manager.delete(bad)
    assert.equal(await ground.store.get('tasks/idem/bench-1'), null)
    const again = await own.manager.submit({ idempotencyKey: 'bench-1', payload: bytes('x') })
    assert.notEqual(again, bad)
  })
})
