import assert from 'node:assert/strict'
import { test } from 'vitest'
import { TaskList } from '../../src/list/index.ts'
import { openStore, type Store, StoreError } from '../../src/store/index.ts'
import { altered } from '../store/altered.ts'

const isUnknown = (error: unknown) => (error as StoreError).code === 'unknown_outcome'

/** A store that loses the answer to its first commit; others do something before it is found out. */
function losing(store: Store, meanwhile: () => Promise<unknown>): Store {
  let isLost = false
  return altered(store, {
    commit: async (writes) => {
      const result = await store.commit(writes)
      if (isLost) return result
      isLost = true
      await meanwhile()
      throw new StoreError('lost_answer', 'The answer was lost.', 'Look again.')
    },
  })
}

test('a task whose answer was lost is not added again after others have deleted it', async () => {
  const store = await openStore('memory:')
  const others = new TaskList(store)
  const deleteAll = async () => {
    for (const { id } of await others.query()) await others.delete(id)
  }
  await assert.rejects(new TaskList(losing(store, deleteAll)).add('Buy milk', ['a']), isUnknown)
  assert.deepEqual(await others.query(), [])
})

test('an edit whose answer was lost does not overwrite what others have made of it since', async () => {
  const store = await openStore('memory:')
  const others = new TaskList(store)
  const { id } = await others.add('Buy milk')
  const edit = () => others.update(id, { text: 'Buy bread' })
  const list = new TaskList(losing(store, edit))
  await assert.rejects(list.update(id, { text: 'Buy butter' }), isUnknown)
  assert.equal((await others.get(id)).text, 'Buy bread')
})

test('an edit that others were faster than is still made', async () => {
  const store = await openStore('memory:')
  const others = new TaskList(store)
  const { id } = await others.add('Buy milk')
  let isFirst = true
  const slow = altered(store, {
    commit: async (writes) => {
      if (isFirst) await others.update(id, { done: true })
      isFirst = false
      return store.commit(writes)
    },
  })
  const task = await new TaskList(slow).update(id, { text: 'Buy butter' })
  assert.deepEqual([task.text, task.done], ['Buy butter', true])
})
