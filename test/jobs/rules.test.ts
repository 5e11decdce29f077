import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { apply } from '../../src/jobs/rules.ts'
import { newTask, type StoredTask, statuses, type TaskStatus } from '../../src/jobs/task.ts'

const now = '2026-01-02T03:04:05.678Z'
const earlier = '2026-01-02T03:04:04.678Z'

/** A task that has had one of two attempts. */
function taskIn(status: TaskStatus, more: Partial<StoredTask> = {}): StoredTask {
  const given = { id: 't', idempotencyKey: null, payload: '', maxAttempts: 2, createdAt: earlier }
  const claim = { claimedAt: earlier, claimedBy: 'ann' }
  return {
    ...newTask(given),
    status,
    attempts: 1,
    ...(status === 'claimed' || status === 'completed' ? claim : {}),
    ...(status === 'completed' || status === 'failed' ? { completedAt: earlier } : {}),
    ...(status === 'failed' ? { error: 'broken', maxAttempts: 1 } : {}),
    ...more,
  }
}

const commands: Readonly<Record<string, (task: StoredTask) => StoredTask>> = {
  'claim by the same': (task) => apply('claim', task, { workerId: 'ann', token: 't', now }),
  'claim by another': (task) => apply('claim', task, { workerId: 'bob', token: 't', now }),
  complete: (task) => apply('complete', task, { result: 'cg==', now }),
  'complete by the same': (task) =>
    apply('complete', task, { result: 'cg==', workerId: 'ann', attempt: 1, now }),
  'complete by another': (task) => apply('complete', task, { result: null, workerId: 'bob', now }),
  'complete of another attempt': (task) =>
    apply('complete', task, { result: null, workerId: 'ann', attempt: 2, now }),
  fail: (task) => apply('fail', task, { error: 'why', now }),
  'fail by another': (task) => apply('fail', task, { error: 'why', workerId: 'bob', now }),
  'fail of another attempt': (task) => apply('fail', task, { error: 'why', attempt: 0, now }),
  retry: (task) => apply('retry', task, { attempts: 0 }),
  'retry with more': (task) => apply('retry', task, { attempts: 3 }),
  'release of a claim as old as that': (task) => apply('release', task, { ttlMs: 1_000, now }),
  'release of a younger claim': (task) => apply('release', task, { ttlMs: 1_001, now }),
  delete: (task) => apply('delete', task, {}),
}

/**
 * The next status, `same` where nothing changes at all, or what it is refused with: in pending, claimed, completed
 * and failed, in this order.
 */
const table: Readonly<Record<string, readonly [string, string, string, string]>> = {
  'claim by the same': ['claimed', 'same', 'TaskCompletedError', 'TaskFailedError'],
  'claim by another': [
    'claimed',
    'TaskAlreadyClaimedError',
    'TaskCompletedError',
    'TaskFailedError',
  ],
  complete: ['TaskNotClaimedError', 'completed', 'same', 'TaskFailedError'],
  'complete by the same': ['TaskNotClaimedError', 'completed', 'same', 'TaskFailedError'],
  'complete by another': ['TaskNotClaimedError', 'WrongWorkerError', 'same', 'TaskFailedError'],
  'complete of another attempt': [
    'TaskNotClaimedError',
    'WrongWorkerError',
    'same',
    'TaskFailedError',
  ],
  fail: ['TaskNotClaimedError', 'pending', 'TaskCompletedError', 'same'],
  'fail by another': ['TaskNotClaimedError', 'WrongWorkerError', 'TaskCompletedError', 'same'],
  'fail of another attempt': [
    'TaskNotClaimedError',
    'WrongWorkerError',
    'TaskCompletedError',
    'same',
  ],
  retry: ['same', 'pending', 'TaskCompletedError', 'MaxAttemptsReachedError'],
  'retry with more': ['same', 'pending', 'TaskCompletedError', 'pending'],
  'release of a claim as old as that': ['same', 'pending', 'same', 'same'],
  'release of a younger claim': ['same', 'same', 'same', 'same'],
  delete: ['TaskNotTerminalError', 'TaskNotTerminalError', 'same', 'failed'],
}

function outcomeOf(name: string, task: StoredTask): string {
  const before = structuredClone(task)
  try {
    const next = (commands[name] as (typeof commands)[string])(task)
    return next === task ? 'same' : next.status
  } catch (error) {
    return (error as Error).name
  } finally {
    assert.deepEqual(task, before, 'a rule changed what it was given')
  }
}

describe('the state machine: each command in each status', () => {
  for (const [name, row] of Object.entries(table))
    for (const [at, status] of statuses.entries())
      test(`${name}, ${status}: ${row[at]}`, () => {
        assert.equal(outcomeOf(name, taskIn(status)), row[at])
      })
})

describe('what a command leaves behind', () => {
  test('a last attempt that fails, or expires, ends the task', () => {
    for (const name of ['fail', 'release of a claim as old as that']) {
      const task = taskIn('claimed', { maxAttempts: 1 })
      const next = (commands[name] as (typeof commands)[string])(task)
      assert.deepEqual([next.status, next.completedAt], ['failed', now])
      assert.deepEqual([next.claimedAt, next.claimedBy], [null, null])
    }
  })

  test('a claim counts an attempt, and keeps the error of the one before', () => {
    const before = taskIn('pending', { error: 'before' })
    const next = apply('claim', before, { workerId: 'bob', token: 't', now })
    assert.deepEqual(
      [next.attempts, next.claimedBy, next.claimedAt, next.error],
      [2, 'bob', now, 'before'],
    )
  })

  test('a task that was completed has its result, and no error any more', () => {
    const task = taskIn('claimed', { error: 'before' })
    const next = apply('complete', task, { result: 'cg==', now })
    assert.deepEqual([next.result, next.error, next.completedAt], ['cg==', null, now])
    assert.deepEqual([next.claimedBy, next.claimedAt], ['ann', earlier])
  })

  test('a claim on what has had all its attempts, which only another program leaves pending, is refused', () => {
    assert.equal(
      outcomeOf('claim by the same', taskIn('pending', { maxAttempts: 1 })),
      'MaxAttemptsReachedError',
    )
  })

  test('fields of other programs are kept', () => {
    const task = { ...taskIn('claimed'), priority: 7 }
    assert.equal((apply('fail', task, { error: '', now }) as typeof task).priority, 7)
  })
})
