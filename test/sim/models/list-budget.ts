import { createHash } from 'node:crypto'
// The list loads it when it first needs it, which would be an event of the real world.
import '../../../src/list/new-ids.ts'
import { type Task, TaskList } from '../../../src/list/index.ts'
import { create, type Store, type Write } from '../../../src/store/index.ts'
import type { Budgeted, Operation } from '../budget.ts'

const tasksPerTag = 100
const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/** A hundred tasks of each tag. Lists of tags are shared, so they are written by hand. */
async function fill(store: Store, count: number): Promise<void> {
  for (let first = 0; first < count; first += tasksPerTag) {
    const tag = `tag${first}`
    const ids: string[] = []
    const writes: Write[] = []
    for (let nth = first; nth < Math.min(first + tasksPerTag, count); nth++) {
      const id = createHash('sha512').update(String(nth)).digest('hex')
      const created = new Date(1_700_000_000_000 + nth).toISOString()
      const task = { id, text: `task ${nth}`, done: nth % 3 > 0, tags: [tag], created }
      writes.push(create(`utask_tasks/${id}`, encode(JSON.stringify(task))))
      ids.push(id)
    }
    await store.commit([...writes, create(`utask_tags/${tag}`, encode(ids.join('\n')))])
  }
}

export const listBudget: Budgeted = {
  name: 'list',
  fill,

  open(store) {
    const list = new TaskList(store)
    let task: Task | null = null
    const added = async () => {
      task = await list.add('Buy milk', ['new'])
    }
    const id = () => (task as Task).id
    const operations: Operation[] = [
      {
        what: 'add with two tags',
        atOnce: { reads: 3, lists: 1, commits: 3, writes: 3 },
        inSteps: { reads: 3, lists: 1, commits: 3, writes: 3 },
        call: () => list.add('Buy milk', ['new', 'tag0']),
      },
      {
        what: 'get',
        before: added,
        atOnce: { reads: 1 },
        inSteps: { reads: 1 },
        call: () => list.get(id()),
      },
      {
        what: 'get by a prefix',
        before: added,
        atOnce: { reads: 2, lists: 1, entries: 1 },
        inSteps: { reads: 2, lists: 1, entries: 1 },
        call: () => list.get(id().slice(0, 16)),
      },
      {
        what: 'finish',
        before: added,
        atOnce: { reads: 1, commits: 1, writes: 1 },
        inSteps: { reads: 1, commits: 1, writes: 1 },
        call: () => list.update(id(), { done: true }),
      },
      {
        what: 'change a tag',
        before: added,
        atOnce: { reads: 3, commits: 3, writes: 3 },
        inSteps: { reads: 3, commits: 3, writes: 3 },
        call: () => list.update(id(), { tags: ['tag100'] }),
      },
      {
        what: 'list a tag of a hundred',
        atOnce: { reads: 101, lists: 1 },
        inSteps: { reads: 101, lists: 1 },
        call: () => list.query({ any: ['tag200'] }),
      },
      {
        what: 'delete',
        before: added,
        atOnce: { reads: 2, commits: 2, writes: 2 },
        inSteps: { reads: 2, commits: 2, writes: 2 },
        call: () => list.delete(id()),
      },
    ]
    return { operations, close: async () => {} }
  },
}
