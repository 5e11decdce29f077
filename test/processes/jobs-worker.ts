// jobs-worker URL NAME LANES: claims what is pending until there is nothing, several tasks at a time; fails the first
// attempt at every tenth task, and completes the rest. Then tells every claim that it got.
import { type Task, TaskManager } from 'holdfast/jobs'
import { openStore, StoreError } from 'holdfast/store'

const [url, name, lanes] = process.argv.slice(2) as [string, string, string]
const store = await openStore(url)
const manager = new TaskManager(store)
const claims: [id: string, attempt: number][] = []

process.send?.('ready')
await new Promise((resolve) => process.once('message', resolve))

const work = async (lane: number) => {
  const workerId = `${name} ${lane}`
  for (;;) {
    const task = await claimNext(workerId)
    if (task === null) return
    const { id, attempts: attempt, payload } = task
    claims.push([id, attempt])
    const isHard = Number(new TextDecoder().decode(payload)) % 10 === 0
    await persistently(() =>
      isHard && attempt === 1
        ? manager.fail(id, 'too hard', { workerId, attempt })
        : manager.complete(id, payload, { workerId, attempt }),
    )
  }
}

/** On a machine with too much to do a store may be silent for seconds. */
async function persistently<T>(call: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof StoreError && error.code === 'unavailable')) throw error
    }
}

/** Where an answer was lost, the task that this worker holds is the one that it claimed. */
const claimNext = (workerId: string): Promise<Task | null> =>
  persistently(() => manager.claimNext(workerId)).catch(async (error: unknown) => {
    if (!(error instanceof StoreError && error.code === 'unknown_outcome')) throw error
    const { tasks } = await persistently(() => manager.list('claimed', { limit: 1_000 }))
    return tasks.find(({ claimedBy }) => claimedBy === workerId) ?? claimNext(workerId)
  })

await Promise.all(Array.from({ length: Number(lanes) }, (_, lane) => work(lane)))
await manager.close()
await store[Symbol.asyncDispose]()
process.send?.(claims)
process.disconnect()
