import assert from 'node:assert/strict'
import { test } from 'vitest'
import {
  TaskManager,
  TaskNotClaimedError,
  TaskNotTerminalError,
  WrongWorkerError,
} from '../../src/jobs/index.ts'
import { until } from '../eventually.ts'
import { onEveryStore } from '../models/stores.ts'
import { assertRefused, Bench, bytes, TestClock, text } from './kit.ts'
import { assertLayout, storedTask } from './layout.ts'

onEveryStore('claims', { check: assertLayout }, (ground) => {
  const bench = () => new Bench(ground.store)

  test('Retry Flow: worker A claims and fails, worker B claims and completes', async () => {
    const { manager } = bench()
    const id = await manager.submit({ payload: bytes('x'), maxAttempts: 3 })
    assert.equal((await manager.claim(id, 'worker-a')).attempts, 1)
    const failed = await manager.fail(id, new Error('work fails'))
    assert.deepEqual([failed.status, failed.error], ['pending', 'work fails'])
    assert.equal((await manager.claim(id, 'worker-b')).attempts, 2)
    const done = await manager.complete(id, bytes('ok'), { workerId: 'worker-b', attempt: 2 })
    assert.deepEqual([done.status, done.attempts, done.error], ['completed', 2, null])
    assert.equal(done.claimedBy, 'worker-b')
  })

  test('MaxAttempts = 3 allows 3 total attempts; MaxAttempts = 0 means unlimited retries', async () => {
    const own = bench()
    const three = await own.pending(3)
    for (const status of ['pending', 'pending', 'failed']) {
      await own.manager.claim(three, 'worker-a')
      assert.equal((await own.manager.fail(three, 'again')).status, status)
    }
    assert.equal((await own.manager.get(three)).attempts, 3)
    const unlimited = await own.pending(0)
    for (let attempt = 1; attempt <= 5; attempt++) {
      assert.equal((await own.manager.claim(unlimited, 'worker-a')).attempts, attempt)
      assert.equal((await own.manager.fail(unlimited, 'again')).status, 'pending')
    }
  })

  test('complete twice keeps the first result, fail twice keeps the first error, whoever asks', async () => {
    const own = bench()
    const completed = await own.completed()
    const first = await storedTask(ground.store, completed)
    for (const options of [{}, { workerId: 'worker-b' }, { attempt: 9 }]) {
      const task = await own.manager.complete(completed, bytes('second'), options)
      assert.equal(text(task.result), 'done')
    }
    assert.deepEqual(await storedTask(ground.store, completed), first)
    const failed = await own.failed()
    const before = await storedTask(ground.store, failed)
    for (const options of [{}, { workerId: 'worker-b' }, { attempt: 9 }])
      assert.equal((await own.manager.fail(failed, 'second', options)).error, 'broken')
    assert.deepEqual(await storedTask(ground.store, failed), before)
  })

  test('an attempt that is not the claim’s is WrongWorkerError: that fences a zombie of the same name', async () => {
    const own = bench()
    const id = await own.claimed()
    await own.manager.retry(id)
    await own.manager.claim(id, 'worker-a')
    const zombie = { workerId: 'worker-a', attempt: 1 }
    await assertRefused(own.manager.complete(id, bytes('late'), zombie), WrongWorkerError)
    await assertRefused(own.manager.fail(id, 'late', zombie), WrongWorkerError)
    await own.manager.complete(id, bytes('good'), { workerId: 'worker-a', attempt: 2 })
    assert.equal(text((await own.manager.get(id)).result), 'good')
  })

  test('retry on pending is a no-op; it clears claim and error, and raises the limit by n', async () => {
    const own = bench()
    const pending = await own.pending(2)
    const before = await storedTask(ground.store, pending)
    await own.manager.retry(pending, { attempts: 5 })
    assert.deepEqual(await storedTask(ground.store, pending), before)
    await own.manager.claim(pending, 'worker-a')
    await own.manager.fail(pending, 'broken')
    await own.manager.claim(pending, 'worker-a')
    const raised = await own.manager.retry(pending, { attempts: 3 })
    assert.deepEqual([raised.maxAttempts, raised.attempts, raised.error], [5, 2, null])
    assert.deepEqual([raised.claimedAt, raised.claimedBy], [null, null])
    const unlimited = await own.claimed(0)
    assert.equal((await own.manager.retry(unlimited, { attempts: 3 })).maxAttempts, 0)
  })

  test('deleting a task that is not terminal is refused: TaskNotTerminalError', async () => {
    const own = bench()
    for (const id of [await own.pending(), await own.claimed()])
      await assertRefused(own.manager.delete(id), TaskNotTerminalError, 'TASK_NOT_TERMINAL')
    assert.ok((await own.manager.getByIdempotencyKey('bench-1')).id)
    for (const id of [await own.completed(), await own.failed()]) await own.manager.delete(id)
    assert.equal((await own.manager.list()).tasks.length, 2)
  })

  test('claimNext goes by creation: also what came back is older than what came later', async () => {
    const clock = new TestClock()
    const manager = new TaskManager(ground.store, { now: clock.now })
    const ids: string[] = []
    for (const step of [0, 0, 5]) {
      clock.ms += step
      ids.push(await manager.submit({ payload: bytes('x') }))
    }
    const next = async () => (await manager.claimNext('worker-a'))?.id
    assert.deepEqual([await next(), await next()], [ids[0], ids[1]])
    await manager.fail(ids[1] as string, 'again')
    await manager.retry(ids[0] as string)
    assert.deepEqual([await next(), await next(), await next()], ids)
    assert.equal(await next(), undefined)
    assert.equal((await manager.get(ids[0] as string)).attempts, 2)
  })

  test('claimNext gives a worker a task of its own each time; null only when nothing is pending', async () => {
    const own = bench()
    const ids = await own.manager.submitMany(
      Array.from({ length: 10 }, () => ({ payload: bytes('x') })),
    )
    const other = new TaskManager(await ground.open())
    const claims = await Promise.all(
      Array.from({ length: 14 }, (_, at) =>
        (at % 2 ? own.manager : other).claimNext(`worker-${at}`),
      ),
    )
    const got = claims.filter((task) => task !== null)
    assert.deepEqual(got.map(({ id }) => id).sort(), ids.toSorted())
    for (const { attempts } of got) assert.equal(attempts, 1)
    assert.equal(await other.claimNext('late'), null)
    await own.manager.fail(ids[3] as string, 'again')
    assert.equal((await other.claimNext('late'))?.id, ids[3])
  })

  test('releaseStale: an expired claim is pending again; on its last attempt it ends failed, not stuck', async () => {
    const clock = new TestClock()
    const own = new Bench(ground.store, { claimTtlMs: 3_600_000, now: clock.now })
    const [again, last] = [await own.claimed(2), await own.claimed(1)]
    clock.ms += 1_800_000
    const young = await own.claimed()
    assert.equal(await own.manager.releaseStale(), 0)
    clock.ms += 1_800_000
    assert.equal(await own.manager.releaseStale(), 2)
    assert.equal(await own.manager.releaseStale(), 0)
    const [first, second] = [await own.manager.get(again), await own.manager.get(last)]
    assert.deepEqual([first.status, first.claimedBy, first.claimedAt], ['pending', null, null])
    assert.deepEqual([second.status, second.completedAt?.getTime()], ['failed', clock.ms])
    assert.match(second.error ?? '', /worker-a expired/)
    assert.equal(await own.status(young), 'claimed')
    await assertRefused(own.manager.complete(again, bytes('late')), TaskNotClaimedError)
    await own.manager.close()
  })

  test('an expired claim nobody released may still complete', async () => {
    const clock = new TestClock()
    const own = new Bench(ground.store, { claimTtlMs: 3_600_000, now: clock.now })
    const id = await own.claimed(1)
    clock.ms += 7_200_000
    await own.manager.complete(id, bytes('late but good'), { workerId: 'worker-a', attempt: 1 })
    assert.equal(await own.manager.releaseStale(), 0)
    assert.equal(await own.status(id), 'completed')
    await own.manager.close()
  })

  test('a background timer releases what has expired, every quarter of claimTtlMs', async () => {
    const own = new Bench(ground.store, { claimTtlMs: 200 })
    const id = await own.claimed()
    await until(async () => (await own.status(id)) === 'pending')
    await own.manager.close()
  })

  test('without claimTtlMs claims last for ever', async () => {
    const clock = new TestClock()
    const own = new Bench(ground.store, { now: clock.now })
    const id = await own.claimed()
    clock.ms += 1e12
    assert.equal(await own.manager.releaseStale(), 0)
    assert.equal(await own.status(id), 'claimed')
  })
})
