// Checking the status of a task: by its id, by its key, and by waiting for its end.
//
//   node examples/jobs-status.js [STORE]
import { TaskManager, TaskNotFoundError } from 'holdfast/jobs'
import { openStore } from 'holdfast/store'

const store = await openStore(process.argv[2] ?? 'memory:')
const manager = new TaskManager(store)
const id = await manager.submit({
  idempotencyKey: 'order-123-process',
  payload: new TextEncoder().encode('{"order_id": "123"}'),
})

const waiting = manager.wait(id, { signal: AbortSignal.timeout(10_000) })
await manager.claim(id, 'worker-1')
await manager.complete(id, new TextEncoder().encode('shipped'))

const ended = await waiting
if (ended.status === 'completed') console.log('Result:', new TextDecoder().decode(ended.result)) // Result: shipped

const task = await manager.getByIdempotencyKey('order-123-process')
console.log(task.id === id, task.completedAt instanceof Date) // true true

try {
  await manager.getByIdempotencyKey('order-124-process')
} catch (error) {
  if (!(error instanceof TaskNotFoundError)) throw error
  console.log(error.code) // TASK_NOT_FOUND
}

await manager.close()
await store[Symbol.asyncDispose]()
