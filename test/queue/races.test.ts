import assert from 'node:assert/strict'
import { test } from 'vitest'
import { newLeaseId } from '../../src/queue/id.ts'
import { Queue, QueueError } from '../../src/queue/index.ts'
import { Repository } from '../../src/queue/repository.ts'
import { onEveryStore } from '../models/stores.ts'
import { sized } from '../size.ts'
import { Bench } from './kit.ts'
import { assertLayout } from './layout.ts'

const rounds = sized(12, 100)
const shared = sized(30, 60)
const racers = 10

onEveryStore('races', { check: assertLayout }, (ground) => {
  test(`claiming contention, exactly-once claim: ${racers} workers race for one task, ${rounds} rounds, one winner each`, async () => {
    const queue = new Queue(ground.store)
    const stores = [ground.store, await ground.open()]
    const workers = Array.from(
      { length: racers },
      (_, at) => new Repository(stores[at % 2] as typeof ground.store, () => {}),
    )
    const submitted = await queue.submitMany(Array.from({ length: rounds }, () => ({ type: 't' })))
    // A claim must not be before the task is available by the clock of either opener.
    const nowMs = (await ground.store.now()) + 5_000
    for (const { id } of submitted) {
      const outcomes = await Promise.all(
        workers.map(async (worker, at) => {
          const leaseId = newLeaseId()
          try {
            const held = await worker.tasks.hold(id)
            assert.ok(held)
            const command = { workerId: `w${at}`, leaseId, nowMs }
            await worker.changeHeld(held, ['claim', command])
            return leaseId
          } catch (error) {
            assert.ok(error instanceof QueueError, String(error))
            return null
          }
        }),
      )
      const winners = outcomes.filter((leaseId) => leaseId !== null)
      assert.equal(winners.length, 1)
      const task = await queue.get(id)
      assert.deepEqual([task.lease_id, task.attempt], [winners[0], 1])
    }
  }, 300_000)

  test('no lost tasks: several workers share many, and each is run once', async () => {
    await using bench = new Bench(ground.store)
    const runs = new Map<string, number>()
    const handlers = {
      t: (_: unknown, { task }: { task: { id: string } }) => {
        runs.set(task.id, (runs.get(task.id) ?? 0) + 1)
      },
    }
    const submitted = await bench.queue.submitMany(
      Array.from({ length: shared }, () => ({ type: 't' })),
    )
    for (let at = 0; at < 3; at++)
      await bench.worker(
        { handlers, concurrency: 4, prefetch: at },
        at === 0 ? ground.store : await ground.open(),
      )
    for (const { id } of submitted) assert.equal((await bench.queue.wait(id)).status, 'completed')
    await bench.stop()
    assert.equal(runs.size, shared)
    assert.deepEqual([...new Set(runs.values())], [1])
  })
})
