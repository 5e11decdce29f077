import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import { limited, openStore, type Store } from '../../src/store/index.ts'
import { TaskTree, type TreeError } from '../../src/tree/index.ts'
import { altered, scheduled } from '../store/altered.ts'
import { assertLayout } from './layout.ts'

const day = 86_400_000
const start = Date.parse('2026-01-01T00:00:00Z')
const treeOn = (store: Store, days: number) =>
  new TaskTree(store, { now: () => start + days * day })

/** A parent with a child, both hidden by retention. */
async function plant(isAtomic: boolean): Promise<{ store: Store; child: string }> {
  const memory = await openStore('memory:')
  const store = isAtomic ? memory : limited(memory, 1)
  const tree = treeOn(store, 0)
  const parent = await tree.create({ title: 'parent' })
  const child = await tree.create({ title: 'child', parent_id: parent.id })
  for (const { id } of [child, parent]) {
    await tree.claim(id, 'ann')
    await tree.complete(id, 'ann', { skip_review: true })
  }
  assert.equal((await treeOn(store, 31).maintain()).softDeleted.length, 2)
  return { store, child: child.id }
}

for (const isAtomic of [true, false])
  test(`what is restored while its parent is removed for good is refused, or kept, ${isAtomic ? 'with' : 'without'} transactions`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const { store, child } = await plant(isAtomic)
        const restored = treeOn(scheduled(store, scheduler), 39)
          .restore(child, 'ann')
          .then(
            () => 'restored',
            (error) => (error as TreeError).code,
          )
        const maintained = treeOn(scheduled(store, scheduler), 39).maintain()
        const [outcome] = await scheduler.waitFor(Promise.all([restored, maintained]))
        if (outcome === 'restored')
          assert.equal((await treeOn(store, 39).get(child)).deleted_at, null)
        else assert.equal(outcome, 'TASK_NOT_FOUND')
        await assertLayout(store)
      }),
      { numRuns: 30 },
    )
  })

test('a family that is deleted while retention hides it does not hold up the others', async () => {
  const store = await openStore('memory:')
  const tree = treeOn(store, 0)
  const parent = await tree.create({ title: 'parent' })
  const child = await tree.create({ title: 'child', parent_id: parent.id })
  const other = await tree.create({ title: 'other' })
  for (const { id } of [child, parent, other]) {
    await tree.claim(id, 'ann')
    await tree.complete(id, 'ann', { skip_review: true })
  }
  let isDeleted = false
  const slow = altered(store, {
    async commit(writes) {
      const result = await store.commit(writes)
      const hidden = writes.find(({ key }) => key.startsWith('coven/trash/'))
      if (hidden?.key.endsWith(child.id) && !isDeleted) {
        isDeleted = true
        await tree.delete(parent.id, 'bob')
      }
      return result
    },
  })
  const { softDeleted } = await treeOn(slow, 31).maintain()
  assert.ok(isDeleted)
  assert.deepEqual(softDeleted, [other.id])
  await assertLayout(store)
})
