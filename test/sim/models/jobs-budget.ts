import { type Task, TaskManager } from '../../../src/jobs/index.ts'
import type { Store } from '../../../src/store/index.ts'
import type { Budgeted, Operation, Rig } from '../budget.ts'
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

  open: (store) => new JobsRig(store),
}

class JobsRig implements Rig {
  readonly manager: TaskManager
  task: Task | null = null

  constructor(store: Store) {
    this.manager = new TaskManager(store)
  }

  get operations(): Operation[] {
    return [...this.submissions(), ...this.work()]
  }

  close(): Promise<void> {
    return this.manager.close()
  }

  submissions(): Operation[] {
    return [
      {
        what: 'submit',
        atOnce: { commits: 1, writes: 3 },
        inSteps: { reads: 1, commits: 3, writes: 3 },
        call: () => this.manager.submit({ payload: bytes('x') }),
      },
      {
        what: 'submit under a key',
        atOnce: { reads: 1, commits: 1, writes: 4 },
        inSteps: { reads: 3, commits: 4, writes: 4 },
        call: () =>
          this.manager.submit({ payload: bytes('x'), idempotencyKey: `new-${Math.random()}` }),
      },
    ]
  }

  work(): Operation[] {
    return [
      {
        what: 'claim the oldest',
        atOnce: { reads: 2, lists: 1, entries: 1_000, commits: 1, writes: 3 },
        inSteps: { reads: 4, lists: 1, entries: 1_000, commits: 3, writes: 3 },
        call: this.claimed,
      },
      {
        what: 'complete',
        before: this.claimed,
        atOnce: { reads: 2, commits: 1, writes: 3 },
        inSteps: { reads: 3, commits: 3, writes: 3 },
        call: () => this.manager.complete(this.id(), bytes('y')),
      },
      {
        what: 'fail',
        before: this.claimed,
        atOnce: { reads: 2, commits: 1, writes: 3 },
        inSteps: { reads: 3, commits: 3, writes: 3 },
        call: () => this.manager.fail(this.id(), 'broken'),
      },
      {
        what: 'claim by id',
        before: this.submitOne,
        atOnce: { reads: 2, commits: 1, writes: 3 },
        inSteps: { reads: 4, commits: 3, writes: 3 },
        call: () => this.manager.claim(this.id(), 'worker'),
      },
      {
        what: 'get',
        before: this.submitOne,
        atOnce: { reads: 1 },
        inSteps: { reads: 1 },
        call: () => this.manager.get(this.id()),
      },
      {
        what: 'list a page of 100',
        atOnce: { reads: 100, lists: 1, entries: 101 },
        inSteps: { reads: 100, lists: 1, entries: 101 },
        call: () => this.manager.list('completed', { limit: 100 }),
      },
      {
        what: 'delete',
        before: async () => {
          await this.claimed()
          await this.manager.complete(this.id(), null)
        },
        atOnce: { reads: 3, commits: 1, writes: 3 },
        inSteps: { reads: 4, commits: 4, writes: 4 },
        call: () => this.manager.delete(this.id()),
      },
    ]
  }

  readonly claimed = async () => {
    this.task = await this.manager.claimNext('worker')
  }

  readonly submitOne = async () => {
    this.task = await this.manager.get(await this.manager.submit({ payload: bytes('x') }))
  }

  id(): string {
    return (this.task as Task).id
  }
}
