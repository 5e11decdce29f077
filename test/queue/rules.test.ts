import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import {
  LostLeaseError,
  NotAvailableError,
  retryPolicyDefault,
  statuses,
  type Task,
  type TaskStatus,
  TransitionError,
} from '../../src/queue/index.ts'
import { backoffMs } from '../../src/queue/retry.ts'
import { apply, type Commands, isExpired } from '../../src/queue/rules.ts'
import { newTask } from '../../src/queue/task.ts'
import { timeOf } from '../../src/queue/time.ts'

const nowMs = Date.parse('2026-01-02T03:04:05.678Z')
const now = timeOf(nowMs)
const lease = '11111111-1111-4111-8111-111111111111'

const pending: Task = newTask({
  id: '7019a8c3-1f20-8b1e-9d3c-5a6f00112233',
  task_type: 'email',
  available_at: now,
  input: { to: 'you' },
  input_ref: null,
  timeout_seconds: 60,
  max_retries: 2,
  retry_policy: { ...retryPolicyDefault, jitter_percent: 0 },
  created_at: timeOf(nowMs - 1000),
  idempotency_key: null,
})
const running: Task = {
  ...pending,
  status: 'running',
  attempt: 1,
  worker_id: 'w',
  lease_id: lease,
  lease_expires_at: timeOf(nowMs + 60_000),
}
const failed: Task = { ...pending, status: 'failed', attempt: 3, retry_count: 2, last_error: 'no' }
const completed: Task = {
  ...pending,
  status: 'completed',
  attempt: 1,
  output: 7,
  completed_at: now,
}

const inStatus: Readonly<Record<TaskStatus, Task>> = {
  pending,
  running,
  completed,
  failed,
  archived: { ...completed, status: 'archived', archived_from: 'completed' },
  cancelled: { ...pending, status: 'cancelled', cancel_requested: true },
}

const finishing = { leaseId: lease, nowMs }
const commands: { readonly [K in keyof Commands]: Commands[K] } = {
  claim: { workerId: 'w', leaseId: lease, nowMs },
  complete: { ...finishing, output: 7 },
  fail: { ...finishing, error: 'broken', random: 0.5 },
  requeue: finishing,
  abandon: { ...finishing, error: null },
  renew: { leaseId: lease, untilMs: nowMs + 90_000 },
  extend: { ms: 5_000 },
  expire: { nowMs: nowMs + 60_001, random: 0.5 },
  replay: { nowMs },
  archive: { nowMs },
  unarchive: { nowMs },
  cancel: { nowMs },
}

/** What becomes of each status, in the order of `statuses`; "same" for nothing, "no" and "lost" for refusals. */
const table: Readonly<Record<keyof Commands, string>> = {
  claim: 'running no no no no no',
  complete: 'lost completed lost lost lost lost',
  fail: 'lost pending lost lost lost lost',
  requeue: 'lost pending lost lost lost lost',
  abandon: 'lost cancelled lost lost lost lost',
  renew: 'lost running lost lost lost lost',
  extend: 'no running no no no no',
  expire: 'same pending same same same same',
  replay: 'no no no pending no pending',
  archive: 'no no archived archived same archived',
  unarchive: 'no no no no completed no',
  cancel: 'cancelled running no no no same',
}

function outcomeOf<K extends keyof Commands>(name: K, task: Task): string {
  try {
    const after = apply(name, task, commands[name])
    return after === task ? 'same' : after.status
  } catch (error) {
    if (error instanceof LostLeaseError) return 'lost'
    assert.ok(error instanceof TransitionError, String(error))
    return 'no'
  }
}

describe('the state machine', () => {
  for (const name of Object.keys(table) as (keyof Commands)[])
    test(`${name}: what it makes of each status`, () => {
      const outcomes = statuses.map((status) => outcomeOf(name, inStatus[status]))
      assert.equal(outcomes.join(' '), table[name])
    })

  test('a rule never changes what it is given', () => {
    const before = JSON.stringify(inStatus)
    for (const name of Object.keys(table) as (keyof Commands)[])
      for (const status of statuses) outcomeOf(name, inStatus[status])
    assert.equal(JSON.stringify(inStatus), before)
  })
})

describe('claims', () => {
  test('a claim sets worker, lease, attempt and expiry', () => {
    const { status, worker_id, lease_id, attempt, lease_expires_at, updated_at } = apply(
      'claim',
      pending,
      commands.claim,
    )
    assert.deepEqual(
      [status, worker_id, lease_id, attempt, lease_expires_at, updated_at],
      ['running', 'w', lease, 1, timeOf(nowMs + 60_000), now],
    )
  })

  test('available when now >= available_at, not a millisecond before', () => {
    assert.equal(apply('claim', pending, commands.claim).status, 'running')
    assert.throws(
      () => apply('claim', pending, { ...commands.claim, nowMs: nowMs - 1 }),
      NotAvailableError,
    )
  })

  test('a short lease is no longer than the timeout', () => {
    const short = apply('claim', pending, { ...commands.claim, leaseMs: 5_000 })
    assert.equal(short.lease_expires_at, timeOf(nowMs + 5_000))
    const long = apply('claim', pending, { ...commands.claim, leaseMs: 600_000 })
    assert.equal(long.lease_expires_at, timeOf(nowMs + 60_000))
  })

  test('a replay of a cancelled task starts over: all retries, and no request to stop', () => {
    const cancelled = { ...running, ...inStatus.cancelled, attempt: 2, retry_count: 2 }
    const again = apply('replay', cancelled, { nowMs })
    assert.deepEqual(
      [again.status, again.retry_count, again.attempt, again.cancel_requested, again.available_at],
      ['pending', 0, 2, false, now],
    )
  })

  test('a refusal says what to do in that status', () => {
    const nextOf = (name: keyof Commands, status: TaskStatus): string => {
      try {
        apply(name, inStatus[status], commands[name])
      } catch (error) {
        return (error as TransitionError).next ?? ''
      }
      return assert.fail(`${name} of a task that is ${status} was not refused`)
    }
    assert.match(nextOf('replay', 'pending'), /waiting for a worker/)
    assert.match(nextOf('replay', 'running'), /Wait until it has ended/)
    assert.match(nextOf('replay', 'completed'), /Submit a new task/)
    assert.match(nextOf('replay', 'archived'), /Unarchive it first/)
    assert.match(nextOf('archive', 'pending'), /cancel it/)
    assert.match(nextOf('archive', 'running'), /cancel it/)
  })

  test('attempts only ever grow, also over a replay', () => {
    const again = apply('claim', apply('replay', failed, { nowMs }), commands.claim)
    assert.deepEqual([again.attempt, again.retry_count], [4, 0])
  })
})

describe('leases', () => {
  test('the lease is compared before the status', () => {
    for (const status of statuses)
      for (const name of ['complete', 'fail', 'requeue', 'abandon', 'renew'] as const)
        assert.throws(
          () => apply(name, inStatus[status], { ...commands[name], leaseId: 'another' } as never),
          LostLeaseError,
        )
  })

  test('expired when now > lease_expires_at, not in the same millisecond', () => {
    assert.equal(isExpired(running, nowMs + 60_000), false)
    assert.equal(isExpired(running, nowMs + 60_001), true)
    assert.equal(apply('expire', running, { nowMs: nowMs + 60_000, random: 0 }), running)
  })

  test('an expired task without retries left fails; one to be cancelled is cancelled', () => {
    const last = { ...running, retry_count: 2 }
    assert.equal(apply('expire', last, commands.expire).status, 'failed')
    const asked = { ...running, cancel_requested: true }
    assert.equal(apply('expire', asked, commands.expire).status, 'cancelled')
  })

  test('a running task without a lease, left by another tool, is expired', () => {
    assert.equal(isExpired({ ...running, lease_expires_at: null }, nowMs), true)
  })

  test('a renewal never shortens a lease, and changes nothing else', () => {
    assert.equal(apply('renew', running, { leaseId: lease, untilMs: nowMs }), running)
    const renewed = apply('renew', running, commands.renew)
    assert.deepEqual(renewed, { ...running, lease_expires_at: timeOf(nowMs + 90_000) })
  })

  test('an extension adds to the lease; with a lease of another it is refused', () => {
    assert.equal(apply('extend', running, commands.extend).lease_expires_at, timeOf(nowMs + 65_000))
    assert.throws(() => apply('extend', running, { ms: 1, leaseId: 'another' }), LostLeaseError)
  })
})

describe('endings', () => {
  test('completion clears the claim, keeps the last error, and sets output and time', () => {
    const task = apply('complete', { ...running, last_error: 'once' }, commands.complete)
    assert.deepEqual(task, {
      ...running,
      status: 'completed',
      output: 7,
      completed_at: now,
      updated_at: now,
      worker_id: null,
      lease_id: null,
      lease_expires_at: null,
      last_error: 'once',
    })
  })

  test('a failure waits initial × multiplier^retry_count, by the count before', () => {
    const first = apply('fail', running, commands.fail)
    assert.deepEqual(
      [first.status, first.retry_count, first.available_at, first.last_error, first.lease_id],
      ['pending', 1, timeOf(nowMs + 1_000), 'broken', null],
    )
    const second = apply('fail', { ...running, retry_count: 1 }, commands.fail)
    assert.equal(second.available_at, timeOf(nowMs + 2_000))
  })

  test('after the last retry, or a permanent error, it is failed', () => {
    const last = apply('fail', { ...running, retry_count: 2 }, commands.fail)
    assert.deepEqual([last.status, last.retry_count, last.completed_at], ['failed', 2, null])
    const permanent = apply('fail', running, { ...commands.fail, isPermanent: true })
    assert.deepEqual([permanent.status, permanent.retry_count], ['failed', 0])
  })

  test('giving back charges no retry, and keeps the attempt', () => {
    const { status, retry_count, attempt, available_at } = apply('requeue', running, finishing)
    assert.deepEqual([status, retry_count, attempt, available_at], ['pending', 0, 1, now])
  })

  test('unarchive returns to the state before; without one, to failed', () => {
    for (const task of [completed, failed, inStatus.cancelled]) {
      const back = apply('unarchive', apply('archive', task, { nowMs }), { nowMs })
      assert.deepEqual([back.status, back.archived_from], [task.status, null])
    }
    const foreign = { ...inStatus.archived, archived_from: null }
    assert.equal(apply('unarchive', foreign, { nowMs }).status, 'failed')
  })

  test('a cancel request is seen in the task, and once', () => {
    const asked = apply('cancel', running, { nowMs })
    assert.deepEqual([asked.status, asked.cancel_requested], ['running', true])
    assert.equal(apply('cancel', asked, { nowMs }), asked)
    assert.equal(apply('complete', asked, commands.complete).status, 'completed')
    assert.equal(apply('fail', asked, commands.fail).status, 'cancelled')
    assert.equal(apply('requeue', asked, finishing).status, 'cancelled')
  })
})

describe('backoff', () => {
  const policy = { ...retryPolicyDefault }

  test.each([
    [0, 1_000],
    [1, 2_000],
    [5, 32_000],
    [6, 60_000],
    [1_000, 60_000],
    [100_000, 60_000],
  ])('retry %i waits %i ms in the middle of its spread', (retries, ms) => {
    assert.equal(backoffMs(policy, retries, 0.5), ms)
  })

  test('the spread comes after the cap', () => {
    assert.equal(backoffMs(policy, 10, 0), 45_000)
    assert.equal(backoffMs(policy, 10, 1), 75_000)
  })

  test('no interval is no wait, however often', () => {
    assert.equal(backoffMs({ ...policy, initial_interval_ms: 0 }, 100_000, 0.9), 0)
  })
})
