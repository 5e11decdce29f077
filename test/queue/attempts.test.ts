import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { InvalidTaskError, type Json, Queue, Worker } from '../../src/queue/index.ts'
import { openStore, remove } from '../../src/store/index.ts'
import { eventually } from '../eventually.ts'
import { altered } from '../store/altered.ts'
import { Bench, deferred, soon, untilAborted } from './kit.ts'
import { assertLayout } from './layout.ts'

const idle = { t: (): null => null }

describe('one attempt', () => {
  test('extend raises limit and lease together', async () => {
    await using store = await openStore('memory:')
    await using bench = new Bench(store)
    await bench.worker({
      handlers: {
        long: async (_: Json, { extend, signal }) => {
          await extend(20_000)
          await sleep(2_600)
          return signal.aborted
        },
      },
    })
    const { id } = await bench.queue.submit({ type: 'long', timeoutMs: 2_000, maxRetries: 0 })
    const task = await bench.queue.wait(id)
    assert.deepEqual([task.status, task.output], ['completed', false])
  })

  test('an extension from outside raises the limit too', async () => {
    await using store = await openStore('memory:')
    await using bench = new Bench(store)
    const others = new Queue(store)
    await bench.worker({
      handlers: {
        long: async (_: Json, { task }) => {
          await others.extend(task.id, 20_000)
          return sleep(3_600, 'done')
        },
      },
    })
    const { id } = await bench.queue.submit({ type: 'long', timeoutMs: 3_000, maxRetries: 0 })
    assert.equal((await bench.queue.wait(id)).output, 'done')
  })

  test('a handler that ignores the abort: the task is given back with the timeout, and the worker says that it still runs', async () => {
    await using store = await openStore('memory:')
    await using bench = new Bench(store)
    const end = deferred<string>()
    await bench.worker({
      handlers: [{ type: 'deaf', run: () => end.promise, endMs: 400 }],
    })
    const { id } = await bench.queue.submit({ type: 'deaf', timeoutMs: 1_000, maxRetries: 0 })
    const task = await bench.queue.wait(id)
    assert.match(task.last_error ?? '', /timed out after 1 s/)
    assert.match(
      bench.warnings.join(),
      /did not end within 400 ms of being aborted \(timeout\); it still runs/,
    )
    end.resolve('too late')
    await eventually(() =>
      assert.match(bench.warnings.join(), /which had been given up, has ended/),
    )
    assert.equal((await bench.queue.get(id)).status, 'failed')
  })

  test('at the limit the lease is extended before the handler is ended', async () => {
    await using store = await openStore('memory:')
    await using bench = new Bench(store)
    const left = deferred<number>()
    await bench.worker({
      handlers: {
        slow: async (_: Json, { task, signal }) => {
          await untilAborted(signal).catch(() => {})
          const { lease_expires_at } = await bench.queue.get(task.id)
          left.resolve(Date.parse(lease_expires_at as string) - Date.parse(task.updated_at))
        },
      },
    })
    await bench.queue.submit({ type: 'slow', timeoutMs: 1_000, maxRetries: 0 })
    const ms = await left.promise
    assert.ok(ms > 26_000, `the lease lasts until ${ms} ms after the claim`)
  })

  test('short leases are renewed while the handler runs, never past the timeout', async () => {
    await using store = await openStore('memory:')
    await using bench = new Bench(store)
    const end = deferred<string>()
    await bench.worker({ leaseMs: 1_000, handlers: { long: () => end.promise } })
    const { id } = await bench.queue.submit({ type: 'long', timeoutMs: 20_000, maxRetries: 0 })
    const claimed = await bench.until(id, ({ status }) => status === 'running')
    const leaseOf = (time: string | null) =>
      Date.parse(time as string) - Date.parse(claimed.updated_at)
    const [, first] = await bench.queue.history(id)
    assert.equal(leaseOf(first?.task.lease_expires_at ?? null), 1_000)
    await bench.until(id, ({ lease_expires_at }) => {
      const later = leaseOf(lease_expires_at)
      assert.ok(later <= 20_000, `${later} ms`)
      return later > 2_000
    })
    end.resolve('done')
    assert.equal((await bench.queue.wait(id)).output, 'done')
    assert.equal((await bench.queue.history(id)).length, 3)
  })

  test('index-only: a task without an index entry is not looked for', async () => {
    await using store = await openStore('memory:')
    await using bench = new Bench(store)
    const { id } = await bench.queue.submit({ type: 't' })
    for await (const head of store.list('qo/ready')) await store.commit([remove(head)])
    await bench.worker({ indexMode: 'index-only', idleMsMax: 50, handlers: idle })
    // No event tells that nobody finds it.
    await sleep(1_500)
    assert.equal((await bench.queue.get(id)).status, 'pending')
    await bench.queue.repair()
    assert.equal((await bench.queue.wait(id)).status, 'completed')
  })

  test('log-scan: a retry begins when it is due, whatever was seen of the task before', async () => {
    await using store = await openStore('memory:')
    await using bench = new Bench(store)
    await bench.worker({
      indexMode: 'log-scan',
      handlers: {
        t: (_: Json, { attempt }) => {
          if (attempt < 3) throw new Error('again')
          return attempt
        },
      },
    })
    const retryPolicy = { initial_interval_ms: 300, jitter_percent: 0 }
    const { id } = await bench.queue.submit({ type: 't', retryPolicy })
    const signal = AbortSignal.timeout(60_000)
    assert.equal((await bench.queue.wait(id, { signal })).output, 3)
  })

  test('what a handler does to its input, or to the task that it is shown, changes nothing that is stored', async () => {
    await using store = await openStore('memory:')
    await using bench = new Bench(store)
    const seen: Json[] = []
    await bench.worker({
      handlers: {
        t: (input: { list: number[] }, { task, attempt }) => {
          seen.push(structuredClone(input) as Json, task.attempt)
          input.list.push(attempt)
          Object.assign(task, { max_retries: 99 })
          const { list } = task.input as unknown as { list: number[] }
          list.length = 0
          if (attempt === 1) throw new Error('again')
          return input
        },
      },
    })
    const input = { list: [1, 2] }
    const { id } = await bench.queue.submit({ type: 't', input, retryPolicy: soon })
    const task = await bench.queue.wait(id)
    assert.deepEqual(seen, [input, 1, input, 2])
    assert.deepEqual([task.input, task.retry_count, task.max_retries], [input, 1, 3])
    for (const version of await bench.queue.history(id)) assert.deepEqual(version.task.input, input)
  })

  test('a flat input is a copy too, whatever its members are called', async () => {
    await using store = await openStore('memory:')
    await using bench = new Bench(store)
    await bench.worker({
      handlers: {
        t: (input: Record<string, Json>, { attempt }) => {
          const given = { ...input }
          input['added'] = attempt
          if (attempt === 1) throw new Error('again')
          return given
        },
        list: (input: Json[]) => input.push('added'),
      },
    })
    const input = JSON.parse('{"a":1,"__proto__":"own"}') as Json
    const { id } = await bench.queue.submit({ type: 't', input, retryPolicy: soon })
    assert.deepEqual((await bench.queue.wait(id)).output, input)
    const list = await bench.queue.submit({ type: 'list', input: [1, 2] })
    const { input: kept, output } = await bench.queue.wait(list.id)
    assert.deepEqual([kept, output], [[1, 2], 3])
  })

  test('progress is told with the heartbeat', async () => {
    await using store = await openStore('memory:')
    await using bench = new Bench(store)
    const [started, end] = [deferred(), deferred()]
    const worker = await bench.worker({
      handlers: {
        t: (_: Json, { progress }) => {
          progress(0.5)
          started.resolve()
          return end.promise
        },
      },
    })
    await bench.queue.submit({ type: 't' })
    await started.promise
    assert.equal(worker.runningCount, 1)
    assert.match(worker.renderMetrics(), /holdfast_queue_tasks_running 1/)
    end.resolve()
  })

  test('what was claimed ahead is given back at a shutdown, without a charge', async () => {
    await using store = await openStore('memory:')
    await using bench = new Bench(store)
    const worker = await bench.worker({
      concurrency: 1,
      prefetch: 2,
      handlers: { t: (_: Json, { signal }) => untilAborted(signal) },
    })
    const submitted = await bench.queue.submitMany([{ type: 't' }, { type: 't' }, { type: 't' }])
    for (const { id } of submitted) await bench.until(id, ({ status }) => status === 'running')
    await worker.stop({ deadlineMs: 0 })
    for (const { id } of submitted) {
      const task = await bench.queue.get(id)
      assert.deepEqual([task.status, task.retry_count, task.attempt], ['pending', 0, 1])
    }
    await assertLayout(store)
  })

  test('a corrupt task, and a poisonous one, harm no other', async () => {
    await using store = await openStore('memory:')
    await using bench = new Bench(store)
    const id = 'f47ac10b-58cc-4372-a567-0e02b2c3d479'
    await bench.put(`qo/tasks/f/${id}.json`, 'garbage')
    await bench.put(`qo/ready/f/0000000001/${id}`, 't')
    await bench.worker({
      handlers: {
        t: (input: Json) => {
          if (input === 'poison') throw new Error('poison')
          return 'fine'
        },
      },
    })
    const poison = await bench.queue.submit({
      type: 't',
      input: 'poison',
      maxRetries: 1,
      retryPolicy: soon,
    })
    const fine = await bench.queue.submit({ type: 't' })
    assert.equal((await bench.queue.wait(fine.id)).output, 'fine')
    assert.equal((await bench.queue.wait(poison.id)).status, 'failed')
    assert.equal(bench.warnings.filter((warning) => /is corrupt/.test(warning)).length, 1)
  })

  test('a worker whose own clock is an hour wrong behaves: the clock of the store counts', async () => {
    await using store = await openStore('memory:')
    await using bench = new Bench(store)
    const realNow = Date.now
    try {
      Date.now = () => realNow() + 3_600_000
      const skewed = altered(store, { now: async () => realNow() })
      await bench.worker({ handlers: { t: () => 'done' } }, skewed)
      const queue = new Queue(skewed)
      const late = await queue.submit({ type: 't', delayMs: 600_000 })
      const now = await queue.submit({ type: 't' })
      assert.equal((await queue.wait(now.id)).output, 'done')
      assert.equal((await queue.get(late.id)).status, 'pending')
      assert.ok(Math.abs(Date.parse((await queue.get(now.id)).created_at) - realNow()) < 60_000)
      await queue.close()
    } finally {
      Date.now = realNow
    }
  })

  test.each([
    [{ handlers: {} }, /no handlers/],
    [{ handlers: { t: 7 as never } }, /is no function/],
    [{ handlers: idle, concurrency: 0 }, /concurrency is "0"/],
    [{ handlers: idle, concurrency: 1.5 }, /whole number/],
    [{ handlers: idle, shards: ['g'] }, /no shard "g"/],
    [{ handlers: idle, indexMode: 'none' as never }, /no index mode "none"/],
    [{ handlers: idle, leaseMs: 10 }, /leaseMs is "10"/],
    [{ handlers: idle, id: '' }, /id of a worker/],
  ])('options that can not be are refused: %j', async (options, message) => {
    await using store = await openStore('memory:')
    assert.throws(
      () => new Worker(store, options),
      (error) => error instanceof InvalidTaskError && message.test(error.message),
    )
  })
})
