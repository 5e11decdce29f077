// Basic task processing: submit a task, and work on what is pending until there is nothing.
//
//   node examples/jobs-basic.js [STORE]      such as sqlite:./tasks.db; memory: where it is left out
import { TaskManager } from 'holdfast/jobs'
import { openStore } from 'holdfast/store'

const store = await openStore(process.argv[2] ?? 'memory:')
const manager = new TaskManager(store)

const id = await manager.submit({
  idempotencyKey: 'order-123-process',
  payload: new TextEncoder().encode('{"order_id": "123"}'),
  maxAttempts: 3,
})

/** The first attempt fails, as first attempts do. */
async function handle(task) {
  if (task.attempts === 1) throw new Error('the shop is closed')
  const { order_id: order } = JSON.parse(new TextDecoder().decode(task.payload))
  return new TextEncoder().encode(`order ${order} is processed`)
}

const workerId = 'worker-1'
for (;;) {
  const task = await manager.claimNext(workerId)
  if (task === null) break
  // Whoever finishes says which claim it was, so that a worker that was given up for dead can't.
  const claim = { workerId, attempt: task.attempts }
  try {
    await manager.complete(task.id, await handle(task), claim)
  } catch (error) {
    const { status } = await manager.fail(task.id, error, claim)
    console.log(`attempt ${task.attempts}: ${error.message}, now ${status}`) // attempt 1: the shop is closed, now pending
  }
}

const { status, attempts, result } = await manager.get(id)
console.log(status, attempts) // completed 2
console.log(new TextDecoder().decode(result)) // order 123 is processed

await manager.close()
await store[Symbol.asyncDispose]()
