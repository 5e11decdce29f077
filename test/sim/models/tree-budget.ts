import { type Task, TaskTree } from '../../../src/tree/index.ts'
import type { Budgeted, Operation } from '../budget.ts'
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

  open(store) {
    const tree = new TaskTree(store)
    let task: Task | null = null
    const created = async () => {
      task = await tree.create({ title: 'New', tags: ['new'], priority: 0 })
    }
    const claimed = async () => {
      await created()
      await tree.claim(id(), 'me')
    }
    const id = () => (task as Task).id
    const operations: Operation[] = [
      {
        what: 'create',
        atOnce: { reads: 2, commits: 1, writes: 3 },
        inSteps: { reads: 2, commits: 3, writes: 3 },
        call: created,
      },
      {
        what: 'create a subtask',
        before: created,
        atOnce: { reads: 5, commits: 1, writes: 4 },
        inSteps: { reads: 5, commits: 4, writes: 4 },
        call: () => tree.createSubtask(id(), { title: 'Part' }),
      },
      {
        what: 'read',
        before: created,
        atOnce: { reads: 1 },
        inSteps: { reads: 1 },
        call: () => tree.get(id()),
      },
      {
        what: 'ten that are ready',
        atOnce: { reads: 60, lists: 50, entries: 1_100 },
        inSteps: { reads: 60, lists: 50, entries: 1_100 },
        call: () => tree.ready({ limit: 10 }),
      },
      {
        what: 'claim',
        before: created,
        atOnce: { reads: 5, commits: 1, writes: 3 },
        inSteps: { reads: 5, commits: 3, writes: 3 },
        call: () => tree.claim(id(), 'me'),
      },
      {
        what: 'complete',
        before: claimed,
        atOnce: { reads: 3, commits: 1, writes: 4 },
        inSteps: { reads: 3, commits: 4, writes: 4 },
        call: () => tree.complete(id(), 'me', { skip_review: true }),
      },
      {
        what: 'release',
        before: claimed,
        atOnce: { reads: 3, commits: 1, writes: 4 },
        inSteps: { reads: 3, commits: 4, writes: 4 },
        call: () => tree.release(id(), 'me'),
      },
      {
        what: 'retag',
        before: created,
        atOnce: { reads: 2, commits: 1, writes: 2 },
        inSteps: { reads: 2, commits: 2, writes: 2 },
        call: () => tree.addTags(id(), ['other']),
      },
      {
        what: 'delete',
        before: created,
        atOnce: { reads: 20, lists: 5, entries: 8 * activeCount, commits: 4, writes: 8 },
        inSteps: { reads: 20, lists: 5, entries: 8 * activeCount, commits: 8, writes: 8 },
        call: () => tree.delete(id()),
      },
    ]
    return { operations, close: async () => {} }
  },
}
