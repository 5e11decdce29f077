import assert from 'node:assert/strict'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import type { Json } from '../../src/queue/index.ts'
import { Limit } from '../../src/queue/worker/limit.ts'
import { openStore, type Store } from '../../src/store/index.ts'
import { altered } from '../store/altered.ts'
import { temporaryFolder } from '../store/ground.ts'
import { Bench, untilAborted } from './kit.ts'

describe('the limit of an attempt', () => {
  test.each([
    ['renewed by its worker: nothing', [], 10_000, 0],
    ['what two looks at a clock differ by: nothing', [], 10_400, 0],
    ['extended by others: as much', [], 30_000, 20_000],
    ['given time to end by its worker: nothing', [45_000], 45_000, 0],
    ['extended by others after that: as much', [45_000], 65_000, 20_000],
  ] as const)('%s', (_, reaches, seen, raisedBy) => {
    const limit = new Limit(10_000, 10_000)
    for (const at of reaches) limit.reach(at)
    assert.equal(limit.see(seen), raisedBy)
    assert.equal(limit.at, 10_000 + raisedBy)
    assert.equal(limit.see(seen), 0, 'it is not counted twice')
  })

  test('an extension of its own raises limit and reach', () => {
    const limit = new Limit(10_000, 10_000)
    limit.raise(5_000)
    assert.deepEqual([limit.see(15_000), limit.at], [0, 15_000])
  })
})

/** A store that is looked at seldom, as S3 is: every 8 s. */
const seldom = (store: Store): Store =>
  altered(store, { limits: { ...store.limits, watch: 'poll', listCost: 'prefix' } })

/** Nothing else in this thread goes on meanwhile. */
const block = (ms: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

describe('what others do to a running task', () => {
  for (const thread of [false, true])
    test(`an extension is heeded, however seldom one looks, ${thread ? 'by the thread' : 'by the worker'}`, async () => {
      await using folder = await temporaryFolder()
      const url = `sqlite:${join(folder.path('.'), 'queue.db')}`
      await using store = await openStore(url)
      await using bench = new Bench(store)
      const long = async (_: Json, { task }: { task: { id: string } }) => {
        await bench.queue.extend(task.id, 20_000)
        return sleep(4_600, 'done')
      }
      await bench.worker({ handlers: { long }, ...(thread ? { url } : {}) }, seldom(store))
      const { id } = await bench.queue.submit({ type: 'long', timeoutMs: 4_000, maxRetries: 0 })
      const { status, output, last_error } = await bench.queue.wait(id)
      assert.deepEqual([status, output, last_error], ['completed', 'done', null])
    })

  for (const thread of [false, true])
    test(`a cancel is seen though leases are renewed meanwhile, ${thread ? 'by the thread' : 'by the worker'}`, async () => {
      await using folder = await temporaryFolder()
      const url = `sqlite:${join(folder.path('.'), 'queue.db')}`
      await using store = await openStore(url)
      await using bench = new Bench(store)
      await bench.worker(
        {
          leaseMs: 1_000,
          handlers: { long: (_: Json, { signal }) => untilAborted(signal) },
          ...(thread ? { url } : {}),
        },
        seldom(store),
      )
      const submitted = await bench.queue.submitMany(
        Array.from({ length: 8 }, () => ({ type: 'long' })),
      )
      for (const { id } of submitted) await bench.until(id, ({ status }) => status === 'running')
      for (const { id } of submitted) await bench.queue.cancel(id)
      const signal = AbortSignal.timeout(60_000)
      for (const { id } of submitted)
        assert.equal((await bench.queue.wait(id, { signal })).status, 'cancelled')
    })

  test('a cancel that the thread has renewed over is not written over by the worker', async () => {
    await using folder = await temporaryFolder()
    const url = `sqlite:${join(folder.path('.'), 'queue.db')}`
    await using store = await openStore(url)
    await using bench = new Bench(store)
    await bench.worker(
      {
        url,
        leaseMs: 1_000,
        handlers: {
          block: async (_: Json, { task }) => {
            await bench.queue.cancel(task.id)
            block(1_500)
            // What the thread has done meanwhile is heard of, and the lease renewed.
            await sleep(500)
            return 'done all the same'
          },
        },
      },
      seldom(store),
    )
    const { id } = await bench.queue.submit({ type: 'block' })
    assert.equal((await bench.queue.wait(id)).output, 'done all the same')
    const versions = (await bench.queue.history(id)).map(({ task }) => task.cancel_requested)
    assert.deepEqual(versions, [false, false, true, true])
  })
})

describe('a handler that blocks the event loop for longer than its lease', () => {
  for (const thread of [true, false])
    test(thread ? 'keeps it, where a thread watches over it' : 'loses it without one', async () => {
      await using folder = await temporaryFolder()
      const url = `sqlite:${join(folder.path('.'), 'queue.db')}`
      await using store = await openStore(url)
      await using bench = new Bench(store)
      await bench.worker({
        leaseMs: 3_000,
        handlers: {
          // The lease is seen as it is after the block, before anything else can have renewed it.
          block: (_: Json, { task }) => {
            block(6_000)
            return bench.queue.get(task.id).then(({ lease_expires_at }) => ({
              lease_expires_at,
              now: Date.now(),
            }))
          },
        },
        ...(thread ? { url } : {}),
      })
      const { id } = await bench.queue.submit({ type: 'block' })
      const { output } = await bench.queue.wait(id)
      const { lease_expires_at, now } = output as { lease_expires_at: string; now: number }
      assert.equal(Date.parse(lease_expires_at) > now - 500, thread, lease_expires_at)
    })
})
