import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { TaskManager } from '../../src/jobs/index.ts'
import { create, limited, openStore, type Store, StoreError } from '../../src/store/index.ts'
import { altered, scheduled } from '../store/altered.ts'
import { bytes, text } from './kit.ts'
import { assertLayout } from './layout.ts'

const kinds: Readonly<Record<string, () => Promise<Store>>> = {
  'a store with transactions': () => openStore('memory:'),
  'a store with one write per commit': async () => limited(await openStore('memory:'), 1),
}
const submission = { idempotencyKey: 'k', payload: bytes('x') }

for (const [kind, open] of Object.entries(kinds))
  describe(`who created a task, on ${kind}`, () => {
    test('of all who submit one key at once, in every order, one did', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.scheduler(),
          fc.integer({ min: 2, max: 4 }),
          fc.boolean(),
          async (scheduler, racers, isCrashed) => {
            const store = await open()
            // A submission that died between key and task.
            if (isCrashed)
              assert.ok((await store.commit([create('tasks/idem/k', bytes('left'))])).ok)
            const racing = Promise.all(
              Array.from({ length: racers }, () =>
                new TaskManager(scheduled(store, scheduler)).ensure(submission),
              ),
            )
            const ends = await scheduler.waitFor(racing)
            assert.equal(new Set(ends.map(({ task }) => task.id)).size, 1)
            assert.equal(ends.filter(({ isNew }) => isNew).length, 1)
            await assertLayout(store)
          },
        ),
        { numRuns: 60 },
      )
    })

    test('whoever comes later did not, whatever became of the task', async () => {
      const manager = new TaskManager(await open())
      const { task, isNew } = await manager.ensure(submission)
      assert.equal(isNew, true)
      assert.deepEqual(task, await manager.get(task.id))
      await manager.claim(task.id, 'w')
      assert.deepEqual(await manager.ensure(submission), {
        task: await manager.get(task.id),
        isNew: false,
      })
      await manager.complete(task.id)
      await manager.delete(task.id)
      assert.equal((await manager.ensure(submission)).isNew, true)
    })

    test('whose answer was lost still knows that it did', async () => {
      const inner = await open()
      for (const given of [submission, { payload: bytes('y') }, { payload: bytes('z'), id: 'z' }]) {
        let isLost = false
        const store = altered(inner, {
          commit: async (writes) => {
            const result = await inner.commit(writes)
            if (isLost) return result
            isLost = true
            throw new StoreError('lost_answer', 'The answer is lost.', 'Read, then decide.')
          },
        })
        const { task, isNew } = await new TaskManager(store).ensure(given)
        assert.ok(isLost)
        assert.equal(isNew, true)
        assert.deepEqual(task, await new TaskManager(inner).get(task.id))
      }
      await assertLayout(inner)
    })
  })

test('a submitter whose key was stored, but not its task, does not take the task of another for its own', async () => {
  await using inner = await openStore('memory:')
  const slow = limited(inner, 1)
  const other = new TaskManager(slow)
  let isDue = true
  const store = altered(slow, {
    commit: async (writes) => {
      const result = await slow.commit(writes)
      if (!isDue || !writes.some(({ key }) => key.startsWith('tasks/idem/'))) return result
      isDue = false
      const { isNew } = await other.ensure({ idempotencyKey: 'a', payload: bytes('other') })
      assert.ok(isNew)
      throw new StoreError('lost_answer', 'The answer was lost.', 'Read again.')
    },
  })
  const { task, isNew } = await new TaskManager(store).ensure({
    idempotencyKey: 'a',
    payload: bytes('mine'),
  })
  assert.equal(text(task.payload), 'other')
  assert.equal(isNew, false)
})
