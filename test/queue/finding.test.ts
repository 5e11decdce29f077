import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { counted, openStore } from '../../src/store/index.ts'
import { Bench } from './kit.ts'

const submissions = (type: string, length: number) => Array.from({ length }, () => ({ type }))

describe('what a worker finds', () => {
  test('is read once for each task, and looked for about once for as many as are claimed together', async () => {
    await using store = counted(await openStore('memory:'))
    await using bench = new Bench(store)
    const count = 400
    await bench.queue.submitMany(submissions('mine', count))
    store.reset()
    const worker = await bench.worker({ concurrency: 50, handlers: { mine: () => null } })
    await Promise.all(submissions('mine', count).map((task) => bench.queue.submit(task)))
    while (worker.metrics.total('tasks_completed') < 2 * count) await sleep(5)
    await worker.stop()
    const { get, commit, writes, entries } = store.counts
    // A worker registers itself, too.
    assert.ok(get >= 2 * count && get <= 2 * count + 10, `${get} gets`)
    assert.ok(commit >= 5 * count && commit <= 5 * count + 10, `${commit} commits`)
    assert.ok(writes >= 12 * count && writes <= 12 * count + 10, `${writes} writes`)
    assert.ok(entries <= 4 * count, `${entries} entries were listed`)
  })

  test('is not what others are for: their tasks are passed over unread, but for the first few', async () => {
    await using store = counted(await openStore('memory:'))
    await using bench = new Bench(store)
    await bench.queue.submitMany(submissions('theirs', 500))
    const mine = await bench.queue.submitMany(submissions('mine', 20))
    store.reset()
    const worker = await bench.worker({ concurrency: 5, handlers: { mine: () => null } })
    for (const { id } of mine) await bench.queue.wait(id)
    await worker.stop()
    assert.ok(store.counts.get < 150, `${store.counts.get} gets`)
    const { pending, completed } = (await bench.queue.stats()).by_status
    assert.deepEqual({ pending, completed }, { pending: 500, completed: 20 })
  })
})
