import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'vitest'
import { type Json, Queue } from '../../src/queue/index.ts'
import { openStore } from '../../src/store/index.ts'
import { Bench } from './kit.ts'

for (const isCancelled of [true, false])
  test(`more time in the moment of the limit ${isCancelled ? 'does not hide that the task was cancelled, too' : 'is had by the handler'}`, async () => {
    await using store = await openStore('memory:')
    await using bench = new Bench(store)
    const others = new Queue(store)
    await bench.worker({
      handlers: {
        long: async (_: Json, { task, signal }) => {
          // After the lease was extended for the end of the handler, and before the next look at the task.
          await sleep(600)
          await others.extend(task.id, 20_000)
          if (isCancelled) await others.cancel(task.id)
          const heard = new Promise((resolve) => signal.addEventListener('abort', resolve))
          await Promise.race([heard, sleep(3_000)])
          signal.throwIfAborted()
          return 'done'
        },
      },
    })
    const { id } = await bench.queue.submit({ type: 'long', timeoutMs: 1_000, maxRetries: 0 })
    const { status } = await bench.queue.wait(id)
    assert.equal(status, isCancelled ? 'cancelled' : 'completed')
  })
