import assert from 'node:assert/strict'
import { test } from 'vitest'
import {
  InvalidTaskError,
  InvalidWorkerIdError,
  MaxAttemptsReachedError,
  StoreClosedError,
  TaskAlreadyClaimedError,
  TaskCompletedError,
  TaskFailedError,
  TaskManager,
  TaskNotClaimedError,
  TaskNotFoundError,
  WrongWorkerError,
} from '../../src/jobs/index.ts'
import { onEveryStore } from '../models/stores.ts'
import { assertRefused, Bench, bytes, text } from './kit.ts'
import { assertLayout, storedTask } from './layout.ts'

// The rows of the specification's tables; the name of a test is the words of its row.

onEveryStore('State Transitions', { check: assertLayout }, (ground) => {
  const bench = () => new Bench(ground.store)

  test('– → Pending | Submit() | New task or new idempotency key', async () => {
    const { manager } = bench()
    const first = await manager.submit({ payload: bytes('x') })
    const second = await manager.submit({ payload: bytes('x'), idempotencyKey: 'order-1-process' })
    const third = await manager.submit({ payload: bytes('x'), idempotencyKey: 'order-2-process' })
    assert.equal(new Set([first, second, third]).size, 3)
    for (const id of [first, second, third]) {
      const { status, attempts, claimedBy, completedAt } = await manager.get(id)
      assert.deepEqual([status, attempts, claimedBy, completedAt], ['pending', 0, null, null])
    }
  })

  test('Pending → Claimed | Claim() | Task not already claimed', async () => {
    const own = bench()
    const id = await own.pending()
    const task = await own.manager.claim(id, 'worker-a')
    assert.deepEqual([task.status, task.attempts, task.claimedBy], ['claimed', 1, 'worker-a'])
    assert.ok(task.claimedAt instanceof Date)
    assert.deepEqual(await own.manager.get(id), task)
  })

  test('Claimed → Completed | Complete() | Same worker completes', async () => {
    const own = bench()
    const id = await own.claimed()
    const task = await own.manager.complete(id, bytes('result'), { workerId: 'worker-a' })
    assert.deepEqual([task.status, text(task.result)], ['completed', 'result'])
    assert.ok(task.completedAt instanceof Date)
    assert.deepEqual(await own.manager.get(id), task)
  })

  test('Claimed → Failed | Fail() | MaxAttempts reached', async () => {
    const own = bench()
    const id = await own.claimed(1)
    const task = await own.manager.fail(id, new Error('broken'))
    assert.deepEqual([task.status, task.error], ['failed', 'broken'])
    assert.ok(task.completedAt instanceof Date)
    assert.deepEqual([task.claimedAt, task.claimedBy], [null, null])
  })

  test('Claimed → Pending | Fail() | Retries available', async () => {
    const own = bench()
    for (const maxAttempts of [0, 2]) {
      const id = await own.claimed(maxAttempts)
      const task = await own.manager.fail(id, new Error('broken'))
      assert.deepEqual([task.status, task.error, task.completedAt], ['pending', 'broken', null])
      assert.deepEqual([task.claimedAt, task.claimedBy, task.attempts], [null, null, 1])
    }
  })

  test('Claimed → Pending | Retry() | Retries available', async () => {
    const own = bench()
    const id = await own.claimed(2)
    const task = await own.manager.retry(id)
    assert.deepEqual([task.status, task.attempts, task.claimedBy], ['pending', 1, null])
    const last = await own.claimed(1)
    await assertRefused(own.manager.retry(last), MaxAttemptsReachedError, 'MAX_ATTEMPTS_REACHED')
    assert.equal(await own.status(last), 'claimed')
  })

  test('Failed → Pending | Retry() | Retries available', async () => {
    const own = bench()
    const id = await own.failed()
    const task = await own.manager.retry(id, { attempts: 2 })
    assert.deepEqual([task.status, task.attempts, task.maxAttempts], ['pending', 1, 3])
    assert.deepEqual([task.error, task.completedAt], [null, null])
  })
})

onEveryStore('Conflict Resolution', { check: assertLayout }, (ground) => {
  const bench = () => new Bench(ground.store)

  test('Task pending, worker claims | Success, task now claimed', async () => {
    const own = bench()
    const { status, attempts } = await own.manager.claim(await own.pending(), 'worker-a')
    assert.deepEqual([status, attempts], ['claimed', 1])
  })

  test('Task claimed by same worker | Success (idempotent)', async () => {
    const own = bench()
    const id = await own.claimed()
    const before = await storedTask(ground.store, id)
    const { attempts, claimedBy } = await own.manager.claim(id, 'worker-a')
    assert.deepEqual([attempts, claimedBy], [1, 'worker-a'])
    assert.deepEqual(await storedTask(ground.store, id), before)
  })

  test('Task claimed by different worker | ErrTaskAlreadyClaimed', async () => {
    const own = bench()
    const id = await own.claimed()
    const claim = own.manager.claim(id, 'worker-b')
    await assertRefused(claim, TaskAlreadyClaimedError, 'TASK_ALREADY_CLAIMED')
    assert.equal((await own.manager.get(id)).claimedBy, 'worker-a')
  })

  test('Task completed | ErrTaskCompleted', async () => {
    const own = bench()
    const id = await own.completed()
    await assertRefused(own.manager.claim(id, 'worker-a'), TaskCompletedError, 'TASK_COMPLETED')
  })

  test('Task failed | ErrTaskFailed', async () => {
    const own = bench()
    const id = await own.failed()
    await assertRefused(own.manager.claim(id, 'worker-a'), TaskFailedError, 'TASK_FAILED')
  })
})

onEveryStore('Error Handling', { check: assertLayout }, (ground) => {
  const bench = () => new Bench(ground.store)

  test('ErrTaskNotFound | Task does not exist | Check task ID', async () => {
    const { manager } = bench()
    for (const id of ['no-such-task', '', 'x'.repeat(5_000), '\ud800', undefined] as string[])
      for (const call of [
        () => manager.get(id),
        () => manager.claim(id, 'worker-a'),
        () => manager.complete(id, bytes('x')),
        () => manager.fail(id, 'x'),
        () => manager.retry(id),
        () => manager.delete(id),
        () => manager.wait(id),
      ])
        await assertRefused(call, TaskNotFoundError, 'TASK_NOT_FOUND')
    await assertRefused(manager.getByIdempotencyKey('never'), TaskNotFoundError, 'TASK_NOT_FOUND')
  })

  test('ErrTaskAlreadyClaimed | Another worker has it | Skip or wait', async () => {
    const own = bench()
    const id = await own.claimed()
    await assert.rejects(own.manager.claim(id, 'worker-b'), { claimedBy: 'worker-a' })
  })

  test('ErrTaskNotClaimed | Must claim before complete/fail | Call Claim first', async () => {
    const own = bench()
    const id = await own.pending()
    for (const options of [{}, { workerId: 'worker-a' }, { attempt: 1 }])
      for (const call of [
        () => own.manager.complete(id, bytes('x'), options),
        () => own.manager.fail(id, 'x', options),
      ])
        await assertRefused(call, TaskNotClaimedError, 'TASK_NOT_CLAIMED')
    assert.equal(await own.status(id), 'pending')
  })

  test('ErrTaskCompleted | Task already done | No action needed', async () => {
    const own = bench()
    const id = await own.completed()
    for (const call of [() => own.manager.fail(id, 'late'), () => own.manager.retry(id)])
      await assertRefused(call, TaskCompletedError, 'TASK_COMPLETED')
    assert.equal(text((await own.manager.get(id)).result), 'done')
  })

  test('ErrTaskFailed | Task permanently failed | Check Error field', async () => {
    const own = bench()
    const id = await own.failed()
    await assertRefused(own.manager.complete(id, bytes('late')), TaskFailedError, 'TASK_FAILED')
    assert.equal((await own.manager.get(id)).error, 'broken')
  })

  test('ErrMaxAttemptsReached | No more retries allowed | Manual intervention', async () => {
    const own = bench()
    const id = await own.failed()
    await assertRefused(own.manager.retry(id), MaxAttemptsReachedError, 'MAX_ATTEMPTS_REACHED')
    assert.equal(await own.status(id), 'failed')
  })

  test('ErrInvalidTask | Missing required fields | Include Payload', async () => {
    const { manager } = bench()
    for (const task of [{}, { payload: null }, null, 'x'] as unknown as { payload: Uint8Array }[])
      await assertRefused(manager.submit(task), InvalidTaskError, 'INVALID_TASK')
    for await (const { key } of ground.store.list('')) assert.fail(key)
  })

  test('ErrInvalidWorkerID | Empty worker ID | Provide unique ID', async () => {
    const own = bench()
    const [pending, claimed] = [await own.pending(), await own.claimed()]
    for (const worker of ['', null, 7] as string[])
      for (const call of [
        () => own.manager.claim(pending, worker),
        () => own.manager.claimNext(worker),
        () => own.manager.complete(claimed, bytes('x'), { workerId: worker }),
        () => own.manager.fail(claimed, 'x', { workerId: worker }),
      ])
        await assertRefused(call, InvalidWorkerIdError, 'INVALID_WORKER_ID')
    assert.deepEqual([await own.status(pending), await own.status(claimed)], ['pending', 'claimed'])
  })

  test('ErrWrongWorker | Not the claiming worker | Only claimer can complete', async () => {
    const own = bench()
    const id = await own.claimed()
    for (const call of [
      () => own.manager.complete(id, bytes('x'), { workerId: 'worker-b' }),
      () => own.manager.fail(id, 'x', { workerId: 'worker-b' }),
    ])
      await assertRefused(call, WrongWorkerError, 'WRONG_WORKER')
    assert.equal(await own.status(id), 'claimed')
  })

  test('ErrStoreClosed | Manager was closed | Create new manager', async () => {
    const own = bench()
    const id = await own.pending()
    await own.manager.close()
    await assertRefused(own.manager.get(id), StoreClosedError, 'STORE_CLOSED')
    const again = new TaskManager(ground.store)
    assert.equal((await again.get(id)).status, 'pending')
  })
})
