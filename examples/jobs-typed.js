// Payloads and results as JSON that a schema checks. Any validator that follows Standard Schema will do, such as those
// of Zod, Valibot and ArkType; this one is written by hand, so that there is nothing to install.
//
//   node examples/jobs-typed.js [STORE]
import { InvalidTaskError, TaskManager } from 'holdfast/jobs'
import { openStore } from 'holdfast/store'

const schema = (vendor, check) => ({ '~standard': { version: 1, vendor, validate: check } })
const order = schema('example', (value) =>
  typeof value?.orderId === 'string'
    ? { value }
    : { issues: [{ message: 'is no string', path: ['orderId'] }] },
)
const total = schema('example', (value) =>
  Number.isFinite(value) ? { value } : { issues: [{ message: 'is no number' }] },
)

const store = await openStore(process.argv[2] ?? 'memory:')
const manager = new TaskManager(store, { payload: order, result: total, claimTtlMs: 60_000 })

const id = await manager.submit({ idempotencyKey: 'order-7-total', payload: { orderId: '7' } })
const task = await manager.claimNext('worker-1')
console.log(task.payload.orderId) // 7
await manager.complete(id, 19.9, { workerId: 'worker-1', attempt: task.attempts })
console.log((await manager.get(id)).result) // 19.9

try {
  await manager.submit({ payload: { orderId: 8 } })
} catch (error) {
  console.log(error instanceof InvalidTaskError, error.what) // true The payload is not what its schema asks for (orderId: is no string).
}

await manager.close()
await store[Symbol.asyncDispose]()
