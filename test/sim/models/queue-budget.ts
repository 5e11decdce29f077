import { Monitor, Queue, Worker } from '../../../src/queue/index.ts'
import type { Store } from '../../../src/store/index.ts'
import type { Budgeted, BudgetScene, Operation, Rig } from '../budget.ts'
import { crowd } from '../crowd.ts'

// A worker looks for it when it starts, which would be an event of the real world.
await import('@opentelemetry/api').catch(() => null)

const minuteMs = 60_000
/** A worker that knows of no change looks at a page or two, some times a second; its heartbeat writes. */
const idleMinute = { reads: 700, lists: 500, entries: 110_000, commits: 4, writes: 4 }
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

  open: (store, { sleep }) => new QueueRig(store, sleep),
}

class QueueRig implements Rig {
  readonly store: Store
  readonly queue: Queue
  readonly monitor: Monitor
  readonly sleep: BudgetScene['sleep']
  id = ''
  worker: Worker | null = null

  constructor(store: Store, sleep: BudgetScene['sleep']) {
    this.store = store
    this.queue = new Queue(store)
    this.monitor = new Monitor(store)
    this.sleep = sleep
  }

  get operations(): Operation[] {
    return [...this.clients(), ...this.workers()]
  }

  async close(): Promise<void> {
    await this.worker?.stop()
    await this.queue.close()
    await this.monitor.stop()
  }

  clients(): Operation[] {
    return [
      {
        what: 'submit',
        atOnce: { commits: 1, writes: 2 },
        inSteps: { commits: 2, writes: 2 },
        call: this.submitted,
      },
      {
        what: 'submit under a key',
        atOnce: { commits: 2, writes: 3 },
        inSteps: { commits: 3, writes: 3 },
        call: () => this.queue.submit({ type: 'mail', idempotencyKey: `new-${Math.random()}` }),
      },
      {
        what: 'get',
        before: this.submitted,
        atOnce: { reads: 1 },
        inSteps: { reads: 1 },
        call: () => this.queue.get(this.id),
      },
      {
        what: 'cancel',
        before: this.submitted,
        atOnce: { reads: 2, commits: 1, writes: 2 },
        inSteps: { reads: 2, commits: 2, writes: 2 },
        call: () => this.queue.cancel(this.id),
      },
      {
        what: 'replay',
        before: async () => {
          await this.submitted()
          await this.queue.cancel(this.id)
        },
        // Its entry by type, too: workers on S3 find it by that.
        atOnce: { reads: 1, commits: 1, writes: 3 },
        inSteps: { reads: 1, commits: 3, writes: 3 },
        call: () => this.queue.replay(this.id),
      },
    ]
  }

  workers(): Operation[] {
    return [
      {
        what: 'look for expired leases',
        atOnce: { lists: 3 },
        inSteps: { lists: 3 },
        call: () => this.monitor.check(),
      },
      {
        what: 'a minute of an idle worker',
        before: this.begun,
        atOnce: idleMinute,
        inSteps: idleMinute,
        call: () => this.sleep(minuteMs),
      },
      {
        // A heartbeat may fall into it.
        what: 'submit, work and wait',
        atOnce: { reads: 12, lists: 130, entries: 40_000, commits: 4, writes: 10 },
        inSteps: { reads: 12, lists: 130, entries: 40_000, commits: 8, writes: 10 },
        call: async () => {
          await this.submitted()
          await this.queue.wait(this.id)
        },
      },
    ]
  }

  readonly submitted = async () => {
    this.id = (await this.queue.submit({ type: 'mail', input: 'x' })).id
  }

  readonly begun = async () => {
    if (this.worker) return
    this.worker = new Worker(this.store, { handlers: { mail: async () => 'sent' } })
    await this.worker.start()
    await this.sleep(2 * minuteMs)
  }
}
