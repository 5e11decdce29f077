import assert from 'node:assert/strict'
import { test } from 'vitest'
import { limited, openStore, type Store, StoreError, type Write } from '../../src/store/index.ts'
import { TaskTree } from '../../src/tree/index.ts'
import { altered } from '../store/altered.ts'
import { assertLayout } from './layout.ts'
import { refused } from './refused.ts'

const lostAnswer = () => new StoreError('lost_answer', 'The answer is lost.', 'Look.')
const unknown = (error: unknown) => error instanceof StoreError && error.code === 'unknown_outcome'

const stores: Readonly<Record<string, (store: Store) => Store>> = {
  'a store with transactions': (store) => store,
  'one write per commit': (store) => limited(store, 1),
}

/** The first commit that such a write is in goes through unheard, and something follows. */
function unheard(store: Store, isIt: (write: Write) => boolean, then: () => Promise<void>): Store {
  let isOver = false
  return altered(store, {
    async commit(writes) {
      const result = await store.commit(writes)
      if (isOver || !writes.some(isIt)) return result
      isOver = true
      await then()
      throw lostAnswer()
    },
  })
}

for (const [kind, wrapped] of Object.entries(stores)) {
  test(`a new task that somebody deletes before its creator has heard of it is not created again, on ${kind}`, async () => {
    await using store = wrapped(await openStore('memory:'))
    const tree = new TaskTree(store)
    const isTask = ({ key }: Write) => key.startsWith('coven/tasks/')
    const created: string[] = []
    const slow = unheard(store, isTask, async () => {
      for (const { id } of (await tree.list()).tasks) {
        created.push(id)
        await tree.delete(id)
      }
    })
    await assert.rejects(new TaskTree(slow).create({ title: 'x' }), unknown)
    assert.equal(created.length, 1)
    await assert.rejects(tree.get(created[0] as string), refused('TASK_NOT_FOUND'))
    await tree.repair({ graceMs: 0 })
    await assertLayout(store)
  })

  for (const [what, change] of [
    ['a move', (tree: TaskTree, id: string, other: string) => tree.reparent(id, other)],
    ['a deletion', (tree: TaskTree, id: string) => tree.delete(id)],
  ] as const)
    test(`${what} whose announcement got no answer does not say that nothing happened, on ${kind}`, async () => {
      await using store = wrapped(await openStore('memory:'))
      const tree = new TaskTree(store)
      const [{ id }, other] = [await tree.create({ title: 'a' }), await tree.create({ title: 'b' })]
      let isAway = false
      const isIntent = ({ key }: Write) => key === 'coven/meta/structure'
      const lossy = unheard(store, isIntent, async () => {
        isAway = true
      })
      const failing = altered(lossy, {
        get: async (key) => {
          if (isAway) throw new StoreError('down', 'The store is away.', 'Try again.')
          return store.get(key)
        },
      })
      await assert.rejects(change(new TaskTree(failing), id, other.id), unknown)
      // The next who changes the shape sees it through.
      await tree.reparent(other.id, null)
      await tree.maintain()
      const now = await tree.get(id).catch(() => null)
      assert.ok(now === null || now.parent_id === other.id)
      await assertLayout(store)
    })
}
