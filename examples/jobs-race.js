// The worker loop of the specification: list what is pending, claim it, and go on where another worker was faster.
//
//   node examples/jobs-race.js [STORE]
import { TaskAlreadyClaimedError, TaskCompletedError, TaskManager } from 'holdfast/jobs'
import { openStore } from 'holdfast/store'

const store = await openStore(process.argv[2] ?? 'memory:')
const manager = new TaskManager(store)
const ids = await manager.submitMany(
  Array.from({ length: 20 }, (_, at) => ({
    idempotencyKey: `page-${at}-render`,
    payload: new TextEncoder().encode(`page ${at}`),
  })),
)

const done = { 'worker-1': 0, 'worker-2': 0 }

async function work(workerId) {
  for (;;) {
    const { tasks } = await manager.list('pending')
    if (tasks.length === 0) return
    for (const { id, payload } of tasks) {
      try {
        await manager.claim(id, workerId)
      } catch (error) {
        if (error instanceof TaskAlreadyClaimedError || error instanceof TaskCompletedError)
          continue
        throw error
      }
      await manager.complete(id, payload, { workerId })
      done[workerId]++
    }
  }
}
await Promise.all(Object.keys(done).map(work))

console.log(`${ids.length} tasks, ${done['worker-1'] + done['worker-2']} times done`) // 20 tasks, 20 times done

await manager.close()
await store[Symbol.asyncDispose]()
