import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { ChangedMeanwhileError, Queue, retryPolicyDefault } from '../../src/queue/index.ts'
import { apply } from '../../src/queue/rules.ts'
import { checkState, stateOf } from '../../src/queue/state.ts'
import { newTask } from '../../src/queue/task.ts'
import { openStore } from '../../src/store/index.ts'

const startMs = Date.parse('2026-01-01T00:00:00Z')
const pending = newTask({
  id: '7019a8c3-1f20-8b1e-9d3c-5a6f00112233',
  task_type: 'x',
  available_at: new Date(startMs).toISOString(),
  input: null,
  input_ref: null,
  timeout_seconds: 60,
  max_retries: 1,
  retry_policy: retryPolicyDefault,
  created_at: new Date(startMs).toISOString(),
  idempotency_key: null,
})

describe('the state of a task', () => {
  test('is another after everything that happens to it, but for a renewed lease', () => {
    const nowMs = startMs
    const leaseId = 'l'
    const running = apply('claim', pending, { workerId: 'w', leaseId, nowMs })
    const failed = apply('fail', running, {
      leaseId,
      nowMs,
      error: 'e',
      isPermanent: true,
      random: 0,
    })
    const all = [
      pending,
      running,
      failed,
      apply('complete', running, { leaseId, nowMs, output: 1 }),
      apply('fail', running, { leaseId, nowMs, error: 'e', random: 0 }),
      apply('cancel', running, { nowMs }),
      apply('cancel', pending, { nowMs }),
      apply('archive', failed, { nowMs }),
    ]
    assert.equal(new Set(all.map(stateOf)).size, all.length)
    const renewed = apply('renew', running, { leaseId, untilMs: nowMs + 90_000 })
    assert.notEqual(renewed.lease_expires_at, running.lease_expires_at)
    assert.equal(stateOf(renewed), stateOf(running))
    checkState(renewed, { state: stateOf(running) })
    assert.throws(() => checkState(failed, { state: stateOf(running) }), ChangedMeanwhileError)
  })

  test('of two who act on the same one, the second is refused', async () => {
    await using store = await openStore('memory:')
    const queue = new Queue(store)
    const { id } = await queue.submit({ type: 'x' })
    const state = stateOf(await queue.get(id))
    const outcomes = await Promise.allSettled([
      queue.cancel(id, { state }),
      queue.cancel(id, { state }),
    ])
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    const refused = outcomes.find((outcome) => outcome.status === 'rejected')
    assert.ok(refused?.reason instanceof ChangedMeanwhileError)
  })
})
