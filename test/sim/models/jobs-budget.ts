import { type Task, TaskManager } from '../../../src/jobs/index.ts'
import type { Budgeted, Operation } from '../budget.ts'
import { crowd } from '../crowd.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Jobs of every status; what is pending is older than all that the operations submit. */
export const jobsBudget: Budgeted = {
  name: 'jobs',

  async fill(store, count) {
    const manager = new TaskManager(store)
    const ids: string[] = []
    for (let nth = 0; nth < 6; nth++)
      ids.push(await manager.submit({ payload: bytes(`${nth}`), maxAttempts: 1 }))
    for (const [nth, id] of ids.entries()) {
      if (nth < 4) await manager.claim(id, 'other')
      if (nth < 2) await manager.complete(id, bytes('done'))
      else if (nth < 3) await manager.fail(id, 'broken')
    }
    await manager.close()
    await crowd(store, ids, count)
  },

  open(store) {
    const manager = new TaskManager(store)
    let task: Task | null = null
    const claimed = async () => {
      task = await manager.claimNext('worker')
    }
    const newKey = () => `new-${Math.random()}`
    const id = () => (task as Task).id
    const submitOne = async () => {
      task = await manager.get(await manager.submit({ payload: bytes('x') }))
    }
    const operations: Operation[] = [
      {
        what: 'submit',
        atOnce: { commits: 1, writes: 3 },
        inSteps: { reads: 1, commits: 3, writes: 3 },
        call: () => manager.submit({ payload: bytes('x') }),
      },
      {
        what: 'submit under a key',
        atOnce: { reads: 1, commits: 1, writes: 4 },
        inSteps: { reads: 3, commits: 4, writes: 4 },
        call: () => manager.submit({ payload: bytes('x'), idempotencyKey: newKey() }),
      },
      {
        what: 'claim the oldest',
        atOnce: { reads: 2, lists: 1, entries: 1_000, commits: 1, writes: 3 },
        inSteps: { reads: 4, lists: 1, entries: 1_000, commits: 3, writes: 3 },
        call: claimed,
      },
      {
        what: 'complete',
        before: claimed,
        atOnce: { reads: 2, commits: 1, writes: 3 },
        inSteps: { reads: 3, commits: 3, writes: 3 },
        call: () => manager.complete(id(), bytes('y')),
      },
      {
        what: 'fail',
        before: claimed,
        atOnce: { reads: 2, commits: 1, writes: 3 },
        inSteps: { reads: 3, commits: 3, writes: 3 },
        call: () => manager.fail(id(), 'broken'),
      },
      {
        what: 'claim by id',
        before: submitOne,
        atOnce: { reads: 2, commits: 1, writes: 3 },
        inSteps: { reads: 4, commits: 3, writes: 3 },
        call: () => manager.claim(id(), 'worker'),
      },
      {
        what: 'get',
        before: submitOne,
        atOnce: { reads: 1 },
        inSteps: { reads: 1 },
        call: () => manager.get(id()),
      },
      {
        what: 'list a page of 100',
        atOnce: { reads: 100, lists: 1, entries: 101 },
        inSteps: { reads: 100, lists: 1, entries: 101 },
        call: () => manager.list('completed', { limit: 100 }),
      },
      {
        what: 'delete',
        before: async () => {
          await claimed()
          await manager.complete(id(), null)
        },
        atOnce: { reads: 3, commits: 1, writes: 3 },
        inSteps: { reads: 4, commits: 4, writes: 4 },
        call: () => manager.delete(id()),
      },
    ]
    return { operations, close: () => manager.close() }
  },
}
