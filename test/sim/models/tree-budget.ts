import type { Store } from '../../../src/store/index.ts'
import { type Task, TaskTree } from '../../../src/tree/index.ts'
import type { Budgeted, Operation, Rig } from '../budget.ts'
import { crowd } from '../crowd.ts'

/** What is deleted is compared with all that is worked on, which no crowd can be. */
const activeCount = 10

/** Tasks of every status, all of them below one. */
export const treeBudget: Budgeted = {
  name: 'tree',

  async fill(store, count) {
    const tree = new TaskTree(store)
    const { id: parent_id } = await tree.create({ title: 'Epic', type: 'epic', priority: 4 })
    const ids: string[] = []
    for (let nth = 0; nth < 8; nth++)
      ids.push((await tree.create({ title: `${nth}`, parent_id, tags: ['old'], priority: 3 })).id)
    for (const id of ids.slice(3)) await tree.claim(id, 'other')
    for (const id of ids.slice(4)) await tree.complete(id, 'other', { skip_review: true })
    await tree.block(ids[3] as string, 'other')
    await crowd(store, ids, count)
    for (let nth = 0; nth < activeCount; nth++)
      await tree.claim((await tree.create({ title: `active ${nth}` })).id, 'other')
  },

  open: (store) => new TreeRig(store),
}

class TreeRig implements Rig {
  readonly tree: TaskTree
  task: Task | null = null

  constructor(store: Store) {
    this.tree = new TaskTree(store)
  }

  get operations(): Operation[] {
    return [...this.givers(), ...this.workers()]
  }

  async close(): Promise<void> {}

  givers(): Operation[] {
    return [
      {
        what: 'create',
        atOnce: { reads: 2, commits: 1, writes: 3 },
        inSteps: { reads: 2, commits: 3, writes: 3 },
        call: this.created,
      },
      {
        what: 'create a subtask',
        before: this.created,
        atOnce: { reads: 5, commits: 1, writes: 4 },
        inSteps: { reads: 5, commits: 4, writes: 4 },
        call: () => this.tree.createSubtask(this.id(), { title: 'Part' }),
      },
      {
        what: 'read',
        before: this.created,
        atOnce: { reads: 1 },
        inSteps: { reads: 1 },
        call: () => this.tree.get(this.id()),
      },
      {
        what: 'ten that are ready',
        atOnce: { reads: 60, lists: 50, entries: 1_100 },
        inSteps: { reads: 60, lists: 50, entries: 1_100 },
        call: () => this.tree.ready({ limit: 10 }),
      },
    ]
  }

  workers(): Operation[] {
    return [
      {
        what: 'claim',
        before: this.created,
        atOnce: { reads: 5, commits: 1, writes: 3 },
        inSteps: { reads: 5, commits: 3, writes: 3 },
        call: () => this.tree.claim(this.id(), 'me'),
      },
      {
        what: 'complete',
        before: this.claimed,
        atOnce: { reads: 3, commits: 1, writes: 4 },
        inSteps: { reads: 3, commits: 4, writes: 4 },
        call: () => this.tree.complete(this.id(), 'me', { skip_review: true }),
      },
      {
        what: 'release',
        before: this.claimed,
        atOnce: { reads: 3, commits: 1, writes: 4 },
        inSteps: { reads: 3, commits: 4, writes: 4 },
        call: () => this.tree.release(this.id(), 'me'),
      },
      {
        what: 'retag',
        before: this.created,
        atOnce: { reads: 2, commits: 1, writes: 2 },
        inSteps: { reads: 2, commits: 2, writes: 2 },
        call: () => this.tree.addTags(this.id(), ['other']),
      },
      {
        what: 'delete',
        before: this.created,
        atOnce: { reads: 20, lists: 5, entries: 8 * activeCount, commits: 4, writes: 8 },
        inSteps: { reads: 20, lists: 5, entries: 8 * activeCount, commits: 8, writes: 8 },
        call: () => this.tree.delete(this.id()),
      },
    ]
  }

  readonly created = async () => {
    this.task = await this.tree.create({ title: 'New', tags: ['new'], priority: 0 })
  }

  readonly claimed = async () => {
    await this.created()
    await this.tree.claim(this.id(), 'me')
  }

  id(): string {
    return (this.task as Task).id
  }
}
