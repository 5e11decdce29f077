// Idempotent submission: the same key is the same task, however often it is submitted.
//
//   node examples/jobs-idempotent.js [STORE]
import { TaskManager } from 'holdfast/jobs'
import { openStore } from 'holdfast/store'

const store = await openStore(process.argv[2] ?? 'memory:')
const manager = new TaskManager(store)
const email = {
  // What it is about and what is done with it; no times, which would differ the next time.
  idempotencyKey: 'email-456-send',
  payload: new TextEncoder().encode('email data'),
}

const id1 = await manager.submit(email)
// The answer was lost on the way, so the client tries again.
const id2 = await manager.submit(email)
console.log(id1 === id2) // true

const { tasks } = await manager.list()
console.log(tasks.length) // 1

await manager.close()
await store[Symbol.asyncDispose]()
