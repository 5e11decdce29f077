// Cleaning up: completed tasks that are older than a day go, page by page.
//
//   node examples/jobs-cleanup.js [STORE]
import { TaskManager } from 'holdfast/jobs'
import { openStore } from 'holdfast/store'

const dayMs = 24 * 60 * 60 * 1000
const store = await openStore(process.argv[2] ?? 'memory:')

// Two days ago, 250 tasks were done.
const back = new TaskManager(store, { now: () => Date.now() - 2 * dayMs })
await back.submitMany(Array.from({ length: 250 }, () => ({ payload: new Uint8Array() })))
for (let task = await back.claimNext('w'); task; task = await back.claimNext('w'))
  await back.complete(task.id)
await back.close()

const manager = new TaskManager(store)
await manager.submit({ payload: new Uint8Array() })
let deleted = 0
let cursor = null
do {
  const page = await manager.list('completed', { limit: 100, cursor })
  for (const { id, completedAt } of page.tasks)
    if (Date.now() - completedAt.getTime() > dayMs) {
      await manager.delete(id)
      deleted++
    }
  cursor = page.cursor
} while (cursor !== null)

console.log(deleted, 'deleted') // 250 deleted
console.log((await manager.list()).tasks.length, 'left') // 1 left

await manager.close()
await store[Symbol.asyncDispose]()
