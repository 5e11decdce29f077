// doomed-queue URL NAME ROUND [LEASE_MS HOLD_MS]: submits tasks and works for up to HOLD_MS on each, until it is killed. A step
// "run" is an attempt: it begins with the handler and ends with it; "end" is what the worker says became of it.
import { setTimeout as sleep } from 'node:timers/promises'
import { type HandlerContext, Queue, Worker } from 'holdfast/queue'
import { openStore } from 'holdfast/store'
import { begin, forEver, step } from './doomed.js'

const [url, name, , leaseMs = '2000', holdMs = '20'] = process.argv.slice(2) as [
  ...[url: string, name: string, round: string],
  ...[leaseMs?: string, holdMs?: string],
]
const store = await openStore(url)
const queue = new Queue(store)
let count = 0

const worker = new Worker(store, {
  id: name,
  concurrency: 4,
  url,
  leaseMs: Number(leaseMs),
  idleMsMax: 100,
  monitor: { checkIntervalMs: 500, sweepIntervalMs: 5_000 },
  handlers: {
    t: async (input: string, { task, attempt }: HandlerContext) => {
      const end = begin({ what: 'run', id: task.id, attempt })
      await sleep(Math.random() * Number(holdMs))
      end({ outcome: 'done' })
      if (attempt === 1 && input.endsWith('7')) throw new Error('not today')
      return name
    },
  },
  onEvent: ({ type, task }) => {
    if (type === 'started') return
    begin({ what: 'end', id: task.id, attempt: task.attempt, status: type })({ outcome: 'done' })
  },
})
await worker.start()

await forEver(1, async () => {
  const text = `${name} ${count++}`
  await step(
    { what: 'submit', text },
    () =>
      queue.submit({
        type: 't',
        input: text,
        maxRetries: 8,
        retryPolicy: { initial_interval_ms: 100, max_interval_ms: 1_000 },
      }),
    ({ id }) => ({ id }),
  )
  await sleep(Math.random() * Number(holdMs))
})
