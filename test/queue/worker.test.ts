import assert from 'node:assert/strict'
import { test } from 'vitest'
import { type Json, PermanentError, taskType } from '../../src/queue/index.ts'
import { remove } from '../../src/store/index.ts'
import { onEveryStore } from '../models/stores.ts'
import { measured, within } from '../rounds.ts'
import { Bench, deferred, soon, untilAborted } from './kit.ts'
import { assertLayout } from './layout.ts'

onEveryStore('worker', { check: assertLayout }, (ground, kind) => {
  test('submit → claim → complete cycle: the output is there, and the version history shows the complete lifecycle', async () => {
    await using bench = new Bench(ground.store)
    const { id } = await bench.queue.submit({ type: 'double', input: 21 })
    await bench.worker({ handlers: { double: (input: number) => input * 2 } })
    const task = await bench.queue.wait(id)
    assert.deepEqual(
      [task.status, task.output, task.attempt, task.retry_count, task.lease_id, task.worker_id],
      ['completed', 42, 1, 0, null, null],
    )
    assert.ok(task.completed_at)
    const statuses = (await bench.queue.history(id)).map((version) => version.task.status)
    assert.deepEqual(statuses, ['pending', 'running', 'completed'])
  })

  test('a failed task reaches the status failed after max retries: its handler was tried again until then', async () => {
    await using bench = new Bench(ground.store)
    const attempts: number[] = []
    await bench.worker({
      handlers: {
        bad: (_: Json, { attempt }) => {
          attempts.push(attempt)
          throw new Error(`attempt ${attempt}`)
        },
      },
    })
    const { id } = await bench.queue.submit({ type: 'bad', maxRetries: 2, retryPolicy: soon })
    const task = await bench.queue.wait(id)
    assert.deepEqual(
      [task.status, task.retry_count, task.attempt, task.last_error],
      ['failed', 2, 3, 'attempt 3'],
    )
    assert.deepEqual(attempts, [1, 2, 3])
  })

  test('permanent errors fail at once; anything may be thrown', async () => {
    await using bench = new Bench(ground.store)
    await bench.worker({
      handlers: {
        permanent: () => {
          throw new PermanentError('never')
        },
        odd: () => {
          throw { reason: 'odd' }
        },
        nothing: () => Promise.reject(undefined),
      },
    })
    const submit = (type: string) => bench.queue.submit({ type, maxRetries: 0 })
    const [permanent, odd, nothing] = [
      await bench.queue.submit({ type: 'permanent' }),
      await submit('odd'),
      await submit('nothing'),
    ]
    const { status, retry_count, last_error } = await bench.queue.wait(permanent.id)
    assert.deepEqual([status, retry_count, last_error], ['failed', 0, 'never'])
    assert.equal((await bench.queue.wait(odd.id)).last_error, '{"reason":"odd"}')
    assert.equal((await bench.queue.wait(nothing.id)).last_error, 'undefined')
  })

  test('outputs that can not be stored are permanent errors; large ones lie beside the task', async () => {
    await using bench = new Bench(ground.store)
    const large = 'y'.repeat(100_000)
    await bench.worker({
      handlers: {
        large: () => large,
        huge: () => 'y'.repeat(1_000_001),
        cyclic: () => {
          const cycle: { self?: unknown } = {}
          cycle.self = cycle
          return cycle
        },
        none: () => undefined,
      },
    })
    const ids: string[] = []
    for (const type of ['large', 'huge', 'cyclic', 'none'])
      ids.push((await bench.queue.submit({ type })).id)
    const tasks = []
    for (const id of ids) tasks.push(await bench.queue.wait(id))
    const [stored, huge, cyclic, none] = tasks
    assert.deepEqual(
      [stored?.output, stored?.output_ref],
      [null, `data/${stored?.shard}/${stored?.id}/output.json`],
    )
    assert.equal((await bench.queue.get(ids[0] as string, { full: true })).output, large)
    assert.deepEqual([huge?.status, huge?.attempt], ['failed', 1])
    assert.match(huge?.last_error ?? '', /1000003 bytes; the limit is 1000000/)
    assert.match(cyclic?.last_error ?? '', /can't be written as JSON/)
    assert.deepEqual([none?.status, none?.output], ['completed', null])
  })

  test('a worker claims only types that it handles; others stay pending', async () => {
    await using bench = new Bench(ground.store)
    const other = await bench.queue.submit({ type: 'other' })
    const own = await bench.queue.submit({ type: 'own' })
    await bench.worker({ handlers: { own: () => null } })
    assert.equal((await bench.queue.wait(own.id)).status, 'completed')
    const task = await bench.queue.get(other.id)
    assert.deepEqual([task.status, task.attempt], ['pending', 0])
    assert.deepEqual((await bench.queue.stats()).unhandled_types, ['other'])
  })

  test('a delayed task is not claimed before its time, and soon after it', async () => {
    await using bench = new Bench(ground.store)
    await bench.worker({ handlers: { late: () => Date.now() } })
    await measured(
      async () => {
        const { id } = await bench.queue.submit({ type: 'late', delayMs: 700 })
        const { output, available_at, created_at } = await bench.queue.wait(id)
        assert.equal(Date.parse(available_at) - Date.parse(created_at), 700)
        const lateMs = (output as number) - Date.parse(available_at)
        // Servers tell whole seconds, or have a clock of their own.
        assert.ok(lateMs > -1_500, `${lateMs} ms`)
        return lateMs
      },
      (lateMs) => lateMs < 8_000,
    )
  })

  test('a cancelled task is aborted and ends cancelled; one that finishes all the same is completed', () =>
    within(kind.startsWith('s3') ? 12_000 : 4_000, async (timed) => {
      await using bench = new Bench(ground.store)
      await bench.worker({
        handlers: {
          endless: (_: Json, { signal }) => untilAborted(signal),
          stubborn: (_: Json, { signal }) => untilAborted(signal).catch(() => 'done'),
        },
      })
      const tasks = await bench.queue.submitMany([{ type: 'endless' }, { type: 'stubborn' }])
      for (const { id } of tasks) await bench.until(id, ({ status }) => status === 'running')
      const ended = await timed(async () => {
        for (const { id } of tasks)
          assert.equal((await bench.queue.cancel(id)).task.cancel_requested, true)
        return Promise.all(tasks.map(({ id }) => bench.queue.wait(id)))
      })
      assert.deepEqual(
        ended.map(({ status, output }) => [status, output]),
        [
          ['cancelled', null],
          ['completed', 'done'],
        ],
      )
    }))

  test('tasks complete within their timeout or get requeued: a timeout aborts the handler, and can be retried', async () => {
    await using bench = new Bench(ground.store)
    await bench.worker({
      handlers: { slow: (_: Json, { signal }) => untilAborted(signal) },
    })
    const { id } = await bench.queue.submit({ type: 'slow', timeoutMs: 1_000, maxRetries: 0 })
    const task = await bench.queue.wait(id)
    assert.deepEqual([task.status, task.last_error], ['failed', 'The task timed out after 1 s.'])
    const [, , last] = await bench.queue.history(id)
    assert.equal(last?.task.status, 'failed')
  })

  test('graceful shutdown requeues the task: it waits for what runs, and gives back the rest without a charge', async () => {
    await using bench = new Bench(ground.store)
    const [started, shortStarted, end] = [deferred(), deferred(), deferred<string>()]
    const worker = await bench.worker({
      concurrency: 2,
      handlers: {
        endless: async (_: Json, { signal }) => {
          started.resolve()
          return untilAborted(signal)
        },
        short: () => {
          shortStarted.resolve()
          return end.promise
        },
      },
    })
    const endless = await bench.queue.submit({ type: 'endless' })
    await started.promise
    const short = await bench.queue.submit({ type: 'short' })
    await shortStarted.promise
    const stopping = worker.stop({ deadlineMs: 6_000 })
    end.resolve('done')
    await stopping
    assert.equal(worker.runningCount, 0)
    assert.equal((await bench.queue.get(short.id)).output, 'done')
    const task = await bench.queue.get(endless.id)
    assert.deepEqual([task.status, task.retry_count, task.attempt], ['pending', 0, 1])
    assert.ok(Date.parse(task.available_at) <= Date.parse(task.updated_at))
    assert.deepEqual(await bench.queue.workers(), [])
    await worker.stop()
  })

  test('a worker is registered with what it does, and gone when it has stopped', async () => {
    await using bench = new Bench(ground.store)
    const worker = await bench.worker({
      id: 'worker/1',
      shards: ['0', 'a'],
      concurrency: 3,
      handlers: { b: () => null, a: () => null },
    })
    const [info] = await bench.queue.workers()
    assert.deepEqual(
      [info?.worker_id, info?.shards, info?.task_types, info?.concurrency, info?.status],
      ['worker/1', ['0', 'a'], ['a', 'b'], 3, 'active'],
    )
    assert.deepEqual([info?.current_task, info?.tasks_completed, info?.tasks_failed], [null, 0, 0])
    await worker.stop()
    assert.deepEqual(await bench.queue.workers(), [])
  })

  test('shards of its own are all that a worker looks in', async () => {
    await using bench = new Bench(ground.store)
    const other = await bench.queue.submit({
      type: 't',
      id: 'b0000000-0000-4000-8000-000000000000',
    })
    const own = await bench.queue.submit({ type: 't', id: 'a0000000-0000-4000-8000-000000000000' })
    await bench.worker({ shards: ['a'], handlers: { t: () => null } })
    await bench.queue.wait(own.id)
    assert.equal((await bench.queue.get(other.id)).status, 'pending')
  })

  for (const indexMode of ['hybrid', 'log-scan'] as const)
    test(`${indexMode}: a task without an index entry is run, be it of another tool or our own`, async () => {
      await using bench = new Bench(ground.store)
      const theirs = 'c0000000-0000-4000-8000-000000000000'
      const time = new Date(Date.now() - 10_000).toISOString()
      const foreign = {
        id: theirs,
        task_type: 't',
        status: 'pending',
        created_at: time,
        input: 1,
        theirs: [2],
      }
      await bench.put(`qo/tasks/c/${theirs}.json`, JSON.stringify(foreign))
      const { id: ours } = await bench.queue.submit({ type: 't', input: 1 })
      for await (const head of ground.store.list('qo/ready'))
        await ground.store.commit([remove(head)])
      await bench.worker({ indexMode, handlers: { t: (input: number) => input + 1 } })
      for (const id of [theirs, ours]) {
        const task = await bench.queue.wait(id)
        assert.deepEqual([task.status, task.output, task.max_retries], ['completed', 2, 3])
      }
    })

  test('schemas: what is submitted is checked, a handler gets what its schema makes of it', async () => {
    await using bench = new Bench(ground.store)
    const day = taskType('day', {
      input: schemaOf<string, Date>((value) => new Date(String(value)), 'a date'),
      output: schemaOf<number, number>(
        (value) => (typeof value === 'number' ? value : null),
        'a number',
      ),
    })
    await assert.rejects(
      bench.queue.submit({ type: day, input: 'nonsense' }),
      /not what its type asks for \(at: a date\)/,
    )
    const good = await bench.queue.submit({ type: day, input: '2026-01-02' })
    await bench.worker({
      handlers: [day.handler((input) => (input.getUTCDate() === 2 ? 2 : (null as never)))],
    })
    assert.equal((await bench.queue.wait(good.id)).output, 2)
    const foreign = await bench.queue.submit({ type: 'day', input: 'nonsense' })
    assert.match((await bench.queue.wait(foreign.id)).last_error ?? '', /The input is not what/)
    const bad = await bench.queue.submit({ type: 'day', input: '2026-01-03' })
    assert.match((await bench.queue.wait(bad.id)).last_error ?? '', /The output is not what/)
  })
})

const schemaOf = <I, O>(parse: (value: unknown) => unknown, flaw: string) => ({
  '~standard': {
    version: 1 as const,
    vendor: 'test',
    validate: (value: unknown) => {
      const parsed = parse(value)
      const isBad = parsed === null || (parsed instanceof Date && Number.isNaN(parsed.getTime()))
      return isBad ? { issues: [{ message: flaw, path: ['at'] }] } : { value: parsed as O }
    },
    types: undefined as unknown as { input: I; output: O },
  },
})
