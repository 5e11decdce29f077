import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { type AnyHandler, type Json, Monitor, Queue, type Task } from '../../src/queue/index.ts'
import { openStore, type Store } from '../../src/store/index.ts'
import { eventually } from '../eventually.ts'
import { onEveryStore } from '../models/stores.ts'
import { measured } from '../rounds.ts'
import { altered } from '../store/altered.ts'
import { temporaryFolder } from '../store/ground.ts'
import { Bench, deferred, soon, untilAborted } from './kit.ts'
import { assertLayout } from './layout.ts'

/** Nothing else in this thread goes on meanwhile. */
const block = (ms: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

const endOf = ({ status, attempt, retry_count }: Task) => [status, attempt, retry_count]

/** What became of tasks of 1.2 s that a worker claims ahead, and how long each handler ran. */
async function inTurn(store: Store, timeoutMs: number) {
  await using bench = new Bench(store)
  const submission = { type: 't', timeoutMs, maxRetries: 0 }
  const submitted = await bench.queue.submitMany(Array.from({ length: 4 }, () => submission))
  const ranMs = new Map<string, number>()
  await bench.worker({
    concurrency: 1,
    prefetch: 3,
    monitor: { checkIntervalMs: 100 },
    onEvent: ({ type, task, runMs }) => type !== 'started' && ranMs.set(task.id, runMs),
    handlers: { t: () => sleep(1_200) },
  })
  const tasks: Task[] = []
  for (const { id } of submitted) tasks.push(await bench.queue.wait(id))
  return tasks.map((task) => ({ end: endOf(task).join(' '), ranMs: ranMs.get(task.id) ?? 0 }))
}

onEveryStore('tasks claimed ahead', { check: assertLayout }, (ground) => {
  test('none times out while it waits: 4 tasks of 1.2 s, one at a time, with a timeout of 2 s and no retries', async () => {
    // A machine with too much to do may let a handler of 1.2 s run for longer than 2 s.
    await measured(
      () => inTurn(ground.store, 2_000),
      (tasks) => tasks.every(({ end, ranMs }) => end === 'completed 1 0' && ranMs < 2_000),
    )
  })
})

/** Runs a task of `aheadMs` first, and one that it claims ahead meanwhile; answers with how the latter ended. */
async function behind(
  bench: Bench,
  aheadMs: number,
  { timeoutMs, leaseMs, run }: { timeoutMs: number; leaseMs?: number | undefined; run: AnyHandler },
): Promise<Task> {
  const submit = (type: string) =>
    bench.queue.submit({ type, timeoutMs, maxRetries: 0, retryPolicy: soon })
  const started = deferred()
  await bench.worker({
    concurrency: 1,
    prefetch: 1,
    leaseMs,
    monitor: { checkIntervalMs: 50 },
    handlers: {
      ahead: async () => {
        started.resolve()
        await sleep(aheadMs)
      },
      t: run,
    },
  })
  await submit('ahead')
  await started.promise
  const { id } = await submit('t')
  return bench.queue.wait(id)
}

describe('the clock of an attempt', () => {
  test.each([
    ['timeout', undefined],
    ['short lease', 1_000],
  ])('starts with its handler, however long it waited: with a %s', async (_, leaseMs) => {
    await using store = await openStore('memory:')
    await using bench = new Bench(store)
    const run = () => sleep(1_200, 'done')
    const task = await behind(bench, 1_600, { timeoutMs: 2_000, leaseMs, run })
    assert.deepEqual([...endOf(task), task.output], ['completed', 1, 0, 'done'])
  })

  test('lasts from there to the timeout, and no longer', async () => {
    await using store = await openStore('memory:')
    await using bench = new Bench(store)
    const started = deferred<number>()
    const run: AnyHandler = (_, { signal }) => {
      started.resolve(performance.now())
      return untilAborted(signal)
    }
    const ending = behind(bench, 1_500, { timeoutMs: 2_000, run })
    const startedAt = await started.promise
    const task = await ending
    const tookMs = performance.now() - startedAt
    assert.equal(task.last_error, 'The task timed out after 2 s.')
    // Without a timeout it would never end.
    assert.ok(tookMs > 1_900 && tookMs < 60_000, `${tookMs} ms`)
  })

  test('does not run while a large input is fetched', async () => {
    await using store = await openStore('memory:')
    const slow = altered(store, {
      get: async (key) => {
        if (key.startsWith('qo/data/')) await sleep(1_500)
        return store.get(key)
      },
    })
    await using bench = new Bench(slow)
    await bench.worker({
      monitor: { checkIntervalMs: 50 },
      handlers: { t: (input: string) => sleep(1_200, input.length) },
    })
    const input = 'x'.repeat(100_000)
    const { id } = await bench.queue.submit({ type: 't', input, timeoutMs: 2_000, maxRetries: 0 })
    const task = await bench.queue.wait(id)
    assert.deepEqual([...endOf(task), task.output], ['completed', 1, 0, 100_000])
  })
})

describe('a task claimed ahead', () => {
  test('keeps its lease while another handler blocks the event loop, where a thread watches over it', async () => {
    await using folder = await temporaryFolder()
    const url = `sqlite:${folder.path('queue.db')}`
    await using store = await openStore(url)
    await using bench = new Bench(store)
    const [started, goOn] = [deferred(), deferred()]
    const left: number[] = []
    const handlers = {
      blocks: async (other: string) => {
        started.resolve()
        await goOn.promise
        block(9_000)
        const { lease_expires_at } = await bench.queue.get(other)
        left.push(Date.parse(lease_expires_at as string) - Date.now())
      },
      t: () => 'done',
    }
    const { id } = await bench.queue.submit({ type: 't', timeoutMs: 3_000, delayMs: 1_500 })
    await bench.queue.submit({ type: 'blocks', input: id })
    await bench.worker({ url, concurrency: 1, prefetch: 1, handlers })
    await started.promise
    await bench.until(id, ({ status }) => status === 'running')
    goOn.resolve()
    assert.deepEqual(endOf(await bench.queue.wait(id)), ['completed', 1, 0])
    assert.ok(left.length === 1 && (left[0] as number) > 0, `${left} ms were left of the lease`)
  })

  test('is cancelled without being run, and without waiting for its turn', async () => {
    await using store = await openStore('memory:')
    await using bench = new Bench(store)
    const [started, end] = [deferred(), deferred()]
    const events: string[] = []
    await bench.worker({
      concurrency: 1,
      prefetch: 1,
      onEvent: ({ type, task }) => events.push(`${type} ${task.input}`),
      handlers: {
        t: (input: Json) => {
          assert.equal(input, 'first')
          started.resolve()
          return end.promise
        },
      },
    })
    await bench.queue.submit({ type: 't', input: 'first' })
    await started.promise
    const { id } = await bench.queue.submit({ type: 't', input: 'second' })
    await bench.until(id, ({ status }) => status === 'running')
    await bench.queue.cancel(id)
    await bench.until(id, ({ status }) => status === 'cancelled')
    assert.deepEqual(events, ['started first', 'cancelled second'])
    end.resolve()
  })

  test('is let go where another has taken it, and never told of as started', async () => {
    await using store = await openStore('memory:')
    await using bench = new Bench(store)
    const [started, end] = [deferred(), deferred()]
    const events: string[] = []
    const worker = await bench.worker({
      concurrency: 1,
      prefetch: 1,
      onEvent: ({ type, task }) => events.push(`${type} ${task.input}`),
      handlers: {
        t: () => {
          started.resolve()
          return end.promise
        },
      },
    })
    await bench.queue.submit({ type: 't', input: 'first' })
    await started.promise
    const { id } = await bench.queue.submit({ type: 't', input: 'second', maxRetries: 0 })
    await bench.until(id, ({ status }) => status === 'running')
    // As if this worker had been suspended for an hour.
    const ahead = new Monitor(store, { now: async () => (await store.now()) + 3_600_000 })
    assert.ok((await ahead.check()).expired.includes(id))
    await eventually(() =>
      assert.ok(bench.warnings.some((warning) => /is lost/.test(warning) && warning.includes(id))),
    )
    end.resolve()
    await worker.stop()
    assert.ok(!events.includes('started second'), events.join())
    assert.equal((await bench.queue.get(id)).status, 'failed')
  })

  test('an extension by others while it waits is kept', async () => {
    await using store = await openStore('memory:')
    await using bench = new Bench(store)
    const others = new Queue(store)
    const [started, end] = [deferred(), deferred()]
    await bench.worker({
      concurrency: 1,
      prefetch: 1,
      handlers: {
        ahead: () => {
          started.resolve()
          return end.promise
        },
        t: () => sleep(3_000, 'done'),
      },
    })
    await bench.queue.submit({ type: 'ahead' })
    await started.promise
    const { id } = await bench.queue.submit({ type: 't', timeoutMs: 2_000, maxRetries: 0 })
    await bench.until(id, ({ status }) => status === 'running')
    await others.extend(id, 20_000)
    // Most of the time that it had before.
    await sleep(1_500)
    end.resolve()
    assert.deepEqual((await bench.queue.wait(id)).output, 'done')
  })
})
