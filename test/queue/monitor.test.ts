import assert from 'node:assert/strict'
import { test } from 'vitest'
import { type Json, Monitor } from '../../src/queue/index.ts'
import { Repository } from '../../src/queue/repository.ts'
import { create, openStore, remove, type Store, update } from '../../src/store/index.ts'
import { onEveryStore } from '../models/stores.ts'
import { Bench, deferred, soon } from './kit.ts'
import { assertLayout, storedTask } from './layout.ts'

const leaseId = '11111111-1111-4111-8111-111111111111'
const hourMs = 3_600_000

const claim = async (store: Store, id: string) => {
  // The estimate of a server's clock may go back by a second.
  const command = { workerId: 'dead', leaseId, nowMs: (await store.now()) + 2_000 }
  await new Repository(store, () => {}).change(id, ['claim', command])
}

/** A monitor whose clock is ahead of the store's. */
const ahead = (store: Store, ms: number, options = {}) =>
  new Monitor(store, { now: async () => (await store.now()) + ms, ...options })

onEveryStore('monitor', { check: assertLayout }, (ground) => {
  test('timeout detection and requeue: the task is pending with one retry charged once its lease has expired, and only then', async () => {
    await using bench = new Bench(ground.store)
    const { id } = await bench.queue.submit({ type: 't', timeoutMs: 600_000 })
    await claim(ground.store, id)
    assert.deepEqual((await ahead(ground.store, 500_000).check()).expired, [])
    assert.deepEqual((await ahead(ground.store, 700_000).check()).expired, [id])
    const task = await bench.queue.get(id)
    assert.deepEqual(
      [task.status, task.retry_count, task.attempt, task.lease_id, task.worker_id],
      ['pending', 1, 1, null, null],
    )
    assert.match(task.last_error ?? '', /The lease of worker dead expired/)
    assert.deepEqual((await ahead(ground.store, 700_000).check()).expired, [])
  })

  test('without retries left it is failed; of many monitors one does it', async () => {
    await using bench = new Bench(ground.store)
    const { id } = await bench.queue.submit({ type: 't', maxRetries: 0, timeoutMs: 1_000 })
    await claim(ground.store, id)
    const monitors = [1, 2, 3, 4].map(() => ahead(ground.store, hourMs))
    const reports = await Promise.all(monitors.map((monitor) => monitor.check()))
    assert.deepEqual(
      reports.flatMap(({ expired }) => expired),
      [id],
    )
    assert.equal((await bench.queue.get(id)).status, 'failed')
  })

  test('at-least-once execution: the task of a worker that is lost goes to another, and the first one can not finish it', async () => {
    await using bench = new Bench(ground.store)
    const { id } = await bench.queue.submit({ type: 't', timeoutMs: 60_000, retryPolicy: soon })
    const [started, goOn] = [deferred(), deferred()]
    const outputs = ['first', 'second']
    const handlers = {
      t: async (_: Json, { attempt }: { attempt: number }) => {
        if (attempt === 1) {
          started.resolve()
          await goOn.promise
        }
        return outputs[attempt - 1]
      },
    }
    await bench.worker({ handlers })
    await started.promise
    // As a monitor would, had the lease expired.
    const { lease_id } = await bench.until(id, ({ status }) => status === 'running')
    const nowMs = await ground.store.now()
    const command = { leaseId: lease_id as string, nowMs, error: 'expired', random: 0 }
    await new Repository(ground.store, () => {}).change(id, ['fail', command])
    await bench.until(id, ({ status }) => status === 'completed')
    goOn.resolve()
    await bench.stop()
    const task = await bench.queue.get(id)
    assert.deepEqual([task.output, task.attempt], ['second', 2])
    assert.match(bench.warnings.join(), /lease on task .* is lost/)
  })

  test('silent workers are told of once', async () => {
    await using bench = new Bench(ground.store)
    await bench.worker({ id: 'quiet', handlers: { t: () => null } })
    const warnings: string[] = []
    const monitor = ahead(ground.store, hourMs, {
      onWarning: (warning: string) => warnings.push(warning),
    })
    assert.deepEqual((await monitor.check()).stale, ['quiet'])
    assert.deepEqual((await monitor.check()).stale, ['quiet'])
    assert.equal(
      warnings.filter((warning) => /Worker quiet has been silent/.test(warning)).length,
      1,
    )
    assert.deepEqual((await bench.queue.workers({ thresholdMs: hourMs }))[0]?.status, 'active')
  })

  test('the sweep puts missing entries back, and takes stale ones away after the grace', async () => {
    await using bench = new Bench(ground.store)
    const { id } = await bench.queue.submit({ type: 't' })
    const minute = String(Math.floor(Date.now() / 60_000)).padStart(10, '0')
    const stale = `qo/leases/${id.charAt(0)}/${minute}/${id}`
    const orphan = `qo/ready/a/${minute}/a0000000-0000-4000-8000-000000000000`
    for await (const head of ground.store.list('qo/ready'))
      await ground.store.commit([remove(head)])
    for (const key of [stale, orphan])
      await ground.store.commit([create(key, new TextEncoder().encode('t'))])
    const now = { ms: 0 }
    const monitor = new Monitor(ground.store, {
      now: async () => (await ground.store.now()) + now.ms,
    })
    const swept = async () => {
      const { missing, stale } = await monitor.sweep()
      return { missing, stale }
    }
    assert.deepEqual(await swept(), { missing: 1, stale: 0 })
    now.ms = 6 * 60_000
    assert.deepEqual(await swept(), { missing: 0, stale: 2 })
    assert.deepEqual(await swept(), { missing: 0, stale: 0 })
    assert.equal((await storedTask(ground.store, id))['status'], 'pending')
  })

  test('a sweep goes in bounded steps, and comes round', async () => {
    await using bench = new Bench(ground.store)
    await bench.queue.submitMany(Array.from({ length: 25 }, () => ({ type: 't' })))
    for await (const head of ground.store.list('qo/ready'))
      await ground.store.commit([remove(head)])
    const monitor = new Monitor(ground.store, { sweepPageSize: 10 })
    const mended: number[] = []
    for (let step = 0; step < 3; step++) mended.push((await monitor.sweep()).missing)
    assert.deepEqual(mended, [10, 10, 5])
  })

  test('it runs by itself, and ends when it is told to', async () => {
    await using bench = new Bench(ground.store)
    const { id } = await bench.queue.submit({ type: 't', maxRetries: 0, timeoutMs: 1_000 })
    await claim(ground.store, id)
    await using monitor = new Monitor(ground.store, { checkIntervalMs: 200 })
    monitor.start()
    assert.equal((await bench.queue.wait(id)).status, 'failed')
    await monitor.stop()
    assert.match(monitor.metrics.render(), /leases_expired_total\{type="t"\} 1/)
  })
})

test('an entry without a task that is put again belongs to a new submission: its time begins anew', async () => {
  await using store = await openStore('memory:')
  const key = 'qo/ready/a/0000000001/a0000000-0000-4000-8000-000000000000'
  await store.commit([create(key, new TextEncoder().encode('t'))])
  let nowMs = Date.now()
  const monitor = new Monitor(store, { now: () => nowMs })
  const stale: number[] = []
  for (const isPutAgain of [false, true, false]) {
    const entry = await store.get(key)
    if (isPutAgain && entry) await store.commit([update(entry, entry.value)])
    stale.push((await monitor.sweep()).stale)
    nowMs += 300_000
  }
  assert.deepEqual(stale, [0, 0, 1])
})

test('of more entries without a task than a monitor remembers, all go', async () => {
  await using store = await openStore('memory:')
  const type = new TextEncoder().encode('t')
  for (let nth = 0; nth < 10_500; nth++) {
    const id = `${(nth % 16).toString(16)}0000000-0000-4000-8000-${String(nth).padStart(12, '0')}`
    await store.commit([create(`qo/ready/${id.charAt(0)}/0000000001/${id}`, type)])
  }
  let nowMs = Date.now()
  const monitor = new Monitor(store, { now: () => nowMs, sweepPageSize: 100_000 })
  const swept: number[] = []
  for (let round = 0; round < 4; round++) {
    swept.push((await monitor.sweep()).stale)
    nowMs += 300_000
  }
  assert.deepEqual(swept, [0, 10_000, 500, 0])
})
