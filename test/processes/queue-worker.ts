// queue-worker URL NAME FILE: works until it is told to stop, on tasks that misbehave as their input says: they fail, time
// out, kill this process, or block its event loop. Notes in the file when each attempt starts and ends.
import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type HandlerContext, PermanentError, Worker } from 'holdfast/queue'
import { openStore } from 'holdfast/store'

const [url, id, file] = process.argv.slice(2) as [string, string, string]
const store = await openStore(url)

const note = (what: string, { task, attempt }: HandlerContext) =>
  appendFileSync(
    file,
    `${what} ${task.id} ${attempt} ${performance.timeOrigin + performance.now()}\n`,
  )

/** What the first attempt at a task does; later ones succeed. */
const misdeeds: Readonly<Record<string, (context: HandlerContext) => unknown>> = {
  fine: () => sleep(Math.random() * 20),
  fails: () => {
    throw new Error('not today')
  },
  hopeless: () => {
    throw new PermanentError('never')
  },
  slow: async ({ signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    throw new Error('aborted')
  },
  kills: () => process.kill(process.pid, 'SIGKILL'),
  blocks: () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5_000)
  },
}

const worker = new Worker(store, {
  id,
  url,
  leaseMs: 3_000,
  concurrency: 8,
  idleMsMax: 500,
  monitor: { checkIntervalMs: 1_000, sweepIntervalMs: 5_000 },
  handlers: {
    soak: async (input: string, context: HandlerContext) => {
      note('start', context)
      try {
        const isFirst = context.attempt === 1 || input === 'hopeless'
        await misdeeds[isFirst ? input : 'fine']?.(context)
        return input
      } finally {
        note('end', context)
      }
    },
  },
})
await worker.start()
process.send?.('ready')
process.once('message', async () => {
  await worker.stop()
  await store[Symbol.asyncDispose]()
  process.disconnect()
})
