import { Monitor, Queue, Worker } from '../../../src/queue/index.ts'
import type { Budgeted, Operation } from '../budget.ts'
import { crowd } from '../crowd.ts'

// A worker looks for it when it starts, which would be an event of the real world.
await import('@opentelemetry/api').catch(() => null)

const minuteMs = 60_000
/** A worker that knows of no change looks at a page or two, some times a second; its heartbeat writes. */
const idleMinute = { reads: 700, lists: 500, entries: 90_000, commits: 4, writes: 4 }
/** Some of each in every shard. */
const samples = 96

/** Tasks of another type, for which no worker is there, and some that are done. */
export const queueBudget: Budgeted = {
  name: 'queue',

  async fill(store, count) {
    const queue = new Queue(store)
    const ids: string[] = []
    for (let nth = 0; nth < samples; nth++)
      ids.push((await queue.submit({ type: 'other', input: nth })).id)
    for (const id of ids.slice(0, samples / 2)) await queue.cancel(id)
    await queue.close()
    await crowd(store, ids, count)
  },

  open(store, { sleep }) {
    const queue = new Queue(store)
    const monitor = new Monitor(store)
    let id = ''
    const submitted = async () => {
      id = (await queue.submit({ type: 'mail', input: 'x' })).id
    }
    let worker: Worker | null = null
    const begun = async () => {
      if (worker) return
      worker = new Worker(store, { handlers: { mail: async () => 'sent' } })
      await worker.start()
      await sleep(2 * minuteMs)
    }
    const ended = async () => worker?.stop()
    const operations: Operation[] = [
      {
        what: 'submit',
        atOnce: { commits: 1, writes: 2 },
        inSteps: { commits: 2, writes: 2 },
        call: submitted,
      },
      {
        what: 'submit under a key',
        atOnce: { commits: 2, writes: 3 },
        inSteps: { commits: 3, writes: 3 },
        call: () => queue.submit({ type: 'mail', idempotencyKey: `new-${Math.random()}` }),
      },
      {
        what: 'get',
        before: submitted,
        atOnce: { reads: 1 },
        inSteps: { reads: 1 },
        call: () => queue.get(id),
      },
      {
        what: 'cancel',
        before: submitted,
        atOnce: { reads: 2, commits: 1, writes: 2 },
        inSteps: { reads: 2, commits: 2, writes: 2 },
        call: () => queue.cancel(id),
      },
      {
        what: 'replay',
        before: async () => {
          await submitted()
          await queue.cancel(id)
        },
        atOnce: { reads: 1, commits: 1, writes: 2 },
        inSteps: { reads: 1, commits: 2, writes: 2 },
        call: () => queue.replay(id),
      },
      {
        what: 'look for expired leases',
        atOnce: { lists: 3 },
        inSteps: { lists: 3 },
        call: () => monitor.check(),
      },
      {
        what: 'a minute of an idle worker',
        before: begun,
        atOnce: idleMinute,
        inSteps: idleMinute,
        call: () => sleep(minuteMs),
      },
      {
        what: 'submit, work and wait',
        atOnce: { reads: 12, lists: 100, entries: 20_000, commits: 3, writes: 7 },
        inSteps: { reads: 12, lists: 100, entries: 20_000, commits: 7, writes: 7 },
        call: async () => {
          await submitted()
          await queue.wait(id)
        },
      },
    ]
    return {
      operations,
      close: async () => {
        await ended()
        await queue.close()
        await monitor.stop()
      },
    }
  },
}
