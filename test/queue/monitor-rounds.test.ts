import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'vitest'
import { Monitor, Queue } from '../../src/queue/index.ts'
import { Repository } from '../../src/queue/repository.ts'
import { counted, openStore } from '../../src/store/index.ts'
import { altered } from '../store/altered.ts'
import { Bench } from './kit.ts'

const keyOf = (id: string): string => `qo/tasks/${id.charAt(0)}/${id}.json`

describe('a foreign object in the index', () => {
  test('names that no task can have do not keep a sweep from what lies behind them', async () => {
    await using store = await openStore('memory:')
    await using bench = new Bench(store)
    for (let at = 0; at < 25; at++) await bench.put(`qo/ready/0/0000000001/note-${at}`, 't')
    const { id } = await bench.queue.submit({ type: 't', id: `f${randomUUID().slice(1)}` })
    const stale = `qo/ready/f/0000000002/${id}`
    await bench.put(stale, 't')
    const monitor = new Monitor(store, {
      sweepPageSize: 10,
      now: async () => (await store.now()) + 3_600_000,
    })
    for (let step = 0; step < 6; step++) await monitor.sweep()
    assert.equal(await store.get(stale), null)
  })
})

describe('one task that others change all the time', () => {
  test('does not keep a monitor from the other expired leases', async () => {
    const store = counted(await openStore('memory:'))
    const queue = new Queue(store)
    const submitted = await queue.submitMany(Array.from({ length: 3 }, () => ({ type: 't' })))
    const repository = new Repository(store, () => {})
    const nowMs = await store.now()
    for (const { id } of submitted)
      await repository.change(id, [
        'claim',
        { workerId: 'w', leaseId: randomUUID(), nowMs, leaseMs: 1 },
      ])
    const contended = submitted[0]?.id as string
    const shaky = altered(store, {
      commit: async (writes) =>
        writes.some(({ key }) => key === keyOf(contended)) ? { ok: false } : store.commit(writes),
    })
    const monitor = new Monitor(shaky, { now: async () => nowMs + 3_600_000 })
    const { expired } = await monitor.check()
    assert.deepEqual(
      [...expired].sort(),
      submitted
        .slice(1)
        .map(({ id }) => id)
        .sort(),
    )
    await queue.close()
  })
})
