import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { TaskList } from '../../src/list/index.ts'
import { limited, openStore, type Store } from '../../src/store/index.ts'
import { atEveryCrash } from '../models/crashes.ts'
import { assertNoTaskMissed, assertTagLists } from './layout.ts'

async function prepare(): Promise<Store> {
  const store = limited(await openStore('memory:'), 1)
  const tasks = new TaskList(store)
  await tasks.add('one', ['a', 'b'])
  await tasks.add('two', ['b', 'c'])
  return store
}

const idOf = async (tasks: TaskList, text: string) =>
  (await tasks.query()).find((task) => task.text === text)?.id as string

const operations: Readonly<Record<string, (tasks: TaskList) => Promise<unknown>>> = {
  add: (tasks) => tasks.add('three', ['a', 'c', 'd']),
  'update of the text': async (tasks) => tasks.update(await idOf(tasks, 'one'), { text: 'uno' }),
  'update of done': async (tasks) => tasks.update(await idOf(tasks, 'one'), { done: true }),
  'update of the tags': async (tasks) =>
    tasks.update(await idOf(tasks, 'one'), { tags: ['b', 'c', 'd'] }),
  delete: async (tasks) => tasks.delete(await idOf(tasks, 'one')),
  'rebuild of the index': (tasks) => tasks.rebuildIndex({ graceMs: 0 }),
}

describe('a crash at every write, on a store that commits one write at a time', () => {
  for (const [name, operate] of Object.entries(operations))
    test(`${name}: no acknowledged task is missed, and rebuildIndex brings the exact truth`, async () => {
      await atEveryCrash({
        prepare,
        operate: (store) => operate(new TaskList(store)),
        check: async (store, isAcknowledged) => {
          await assertNoTaskMissed(store)
          const tasks = new TaskList(store)
          const all = await tasks.query()
          if (name === 'add' && isAcknowledged) {
            assert.equal(all.length, 3)
            assert.equal((await tasks.query({ all: ['a', 'c', 'd'] })).length, 1)
          }
          // Whatever a list says too much, nobody is shown a task that does not have the tag.
          for (const tag of ['a', 'b', 'c', 'd'])
            assert.deepEqual(
              await tasks.query({ any: [tag] }),
              all.filter(({ tags }) => tags.includes(tag)),
            )
          await tasks.rebuildIndex({ graceMs: 0 })
          await assertTagLists(store)
        },
      })
    })
})
