import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { InvalidTaskError, Metrics, Queue, type Submission } from '../../src/queue/index.ts'
import { openStore } from '../../src/store/index.ts'

const refusals: readonly (readonly [name: string, given: unknown, message: RegExp])[] = [
  ['no task', null, /no task/],
  ['no type', {}, /type of the task is missing/],
  ['an empty type', { type: '' }, /type of the task is missing/],
  ['a type with a control character', { type: 'a\nb' }, /Not possible as a type/],
  ['a type with spaces around it', { type: ' a' }, /Not possible as a type/],
  ['a long type', { type: 'x'.repeat(201) }, /1 to 200 characters/],
  ['an input that JSON can not hold', { type: 't', input: 1n }, /can't be written as JSON/],
  ['a function as input', { type: 't', input: () => null }, /can't be written as JSON/],
  ['a large input', { type: 't', input: 'x'.repeat(1_000_000) }, /1000002 bytes; the limit is/],
  ['a timeout under a second', { type: 't', timeoutMs: 999 }, /1 second to 7 days/],
  ['a negative timeout', { type: 't', timeoutMs: -1 }, /1 second to 7 days/],
  ['a timeout of weeks', { type: 't', timeoutMs: 7 * 86_400_000 + 1 }, /1 second to 7 days/],
  ['a timeout that is no number', { type: 't', timeoutMs: '5' }, /1 second to 7 days/],
  ['negative retries', { type: 't', maxRetries: -1 }, /retries are not possible/],
  ['half a retry', { type: 't', maxRetries: 0.5 }, /retries are not possible/],
  ['a shrinking backoff', { type: 't', retryPolicy: { multiplier: 0.5 } }, /retry policy/],
  ['a jitter of more than all', { type: 't', retryPolicy: { jitter_percent: 2 } }, /retry policy/],
  ['a bad date', { type: 't', availableAt: 'tomorrow' }, /Not a time: "tomorrow"/],
  ['a date that is none', { type: 't', availableAt: '2026-02-30T00:00:00Z' }, /Not a time/],
  ['a time without an offset', { type: 't', availableAt: '2026-02-03T00:00:00' }, /Not a time/],
  ['a negative delay', { type: 't', delayMs: -1 }, /delay of "-1" ms/],
  ['a time and a delay', { type: 't', delayMs: 1, availableAt: 0 }, /one of availableAt/],
  ['a malformed id', { type: 't', id: 'x' }, /Not the id of a task/],
  ['an empty key', { type: 't', idempotencyKey: '' }, /idempotency key is empty/],
  ['a key over its limit', { type: 't', idempotencyKey: 'x'.repeat(4097) }, /limit is 4 KiB/],
]

describe('what can never be a task is refused before anything is written', () => {
  test.each(refusals)('%s', async (_, given, message) => {
    await using store = await openStore('memory:')
    await assert.rejects(new Queue(store).submit(given as Submission), (error) => {
      assert.ok(error instanceof InvalidTaskError)
      assert.match(error.message, message)
      return true
    })
    for await (const { key } of store.list('')) assert.fail(`${key} was written`)
  })

  test('timeouts are rounded up to seconds, times take any offset', async () => {
    await using store = await openStore('memory:')
    const queue = new Queue(store)
    const { id } = await queue.submit({
      type: 't',
      timeoutMs: 1_001,
      availableAt: '2026-01-01T02:00:00+02:00',
    })
    const { timeout_seconds, available_at } = await queue.get(id)
    assert.deepEqual([timeout_seconds, available_at], [2, '2026-01-01T00:00:00.000Z'])
  })
})

describe('metrics', () => {
  test('are what Prometheus reads: counters by type, histograms that add up, escaped labels', async () => {
    await using store = await openStore('memory:')
    const metrics = new Metrics(store)
    metrics.count('tasks_completed', 'a "b" \\')
    metrics.count('tasks_completed', 'c', 2)
    metrics.observe('run_seconds', 0.004)
    metrics.observe('run_seconds', 7_000)
    const lines = metrics.render({ tasks_running: 1 }).split('\n')
    assert.ok(lines.includes('holdfast_queue_tasks_completed_total{type="a \\"b\\" \\\\"} 1'))
    assert.ok(lines.includes('holdfast_queue_tasks_completed_total{type="c"} 2'))
    assert.ok(lines.includes('holdfast_queue_run_seconds_bucket{le="0.0025"} 0'))
    assert.ok(lines.includes('holdfast_queue_run_seconds_bucket{le="0.005"} 1'))
    assert.ok(lines.includes('holdfast_queue_run_seconds_bucket{le="1800"} 1'))
    assert.ok(lines.includes('holdfast_queue_run_seconds_bucket{le="+Inf"} 2'))
    assert.ok(lines.includes('holdfast_queue_tasks_running 1'))
    assert.equal(metrics.total('tasks_completed'), 3)
    const names = lines
      .filter((line) => line.startsWith('# TYPE'))
      .map((line) => line.split(' ')[2])
    assert.equal(new Set(names).size, names.length)
  })
})
