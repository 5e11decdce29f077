import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import {
  ChangedMeanwhileError,
  stateOf,
  TaskManager,
  TaskNotFoundError,
} from '../../src/jobs/index.ts'
import { apply } from '../../src/jobs/rules.ts'
import { newTask } from '../../src/jobs/task.ts'
import { limited, openStore, type Store, StoreError } from '../../src/store/index.ts'
import { altered } from '../store/altered.ts'
import { assertRefused, Bench, bytes } from './kit.ts'
import { assertLayout } from './layout.ts'

const now = '2026-01-02T03:04:05.678Z'
const given = { id: 't', idempotencyKey: null, payload: '', maxAttempts: 2, createdAt: now }
const pending = newTask(given)

test('the state of a task is another after everything that happens to it', () => {
  const claim = { workerId: 'ann', token: 't', now }
  const claimed = apply('claim', pending, claim)
  const again = apply('retry', claimed, { attempts: 0 })
  const all = [
    pending,
    claimed,
    again,
    apply('claim', pending, { ...claim, workerId: 'bob' }),
    apply('claim', again, claim),
    apply('complete', claimed, { result: null, now }),
    apply('fail', claimed, { error: 'no', now }),
    apply('fail', { ...claimed, maxAttempts: 1 }, { error: 'no', now }),
    apply('retry', claimed, { attempts: 3 }),
    // A later task with the same id.
    newTask({ ...given, createdAt: '2026-01-02T03:04:05.679Z' }),
  ]
  assert.equal(new Set(all.map(stateOf)).size, all.length)
})

test('the state of a task does not depend on how its times are written', () => {
  const other = { ...pending, createdAt: '2026-01-02T04:04:05.678+01:00' }
  assert.equal(stateOf(other), stateOf(pending))
  assert.equal(stateOf({ ...pending, createdAt: new Date(now) }), stateOf(pending))
})

type Act = (manager: TaskManager, id: string, on: { state: string }) => Promise<unknown>

/** Everything that changes a task, with what it is done to, and what others do to that meanwhile. */
const acts: Readonly<Record<string, { from: 'pending' | 'claimed' | 'failed'; act: Act }>> = {
  claim: { from: 'pending', act: (manager, id, on) => manager.claim(id, 'me', on) },
  complete: { from: 'claimed', act: (manager, id, on) => manager.complete(id, bytes('me'), on) },
  fail: { from: 'claimed', act: (manager, id, on) => manager.fail(id, 'me', on) },
  'retry of a claimed task': { from: 'claimed', act: (manager, id, on) => manager.retry(id, on) },
  'retry of a failed task': {
    from: 'failed',
    act: (manager, id, on) => manager.retry(id, { attempts: 7, ...on }),
  },
  delete: { from: 'failed', act: (manager, id, on) => manager.delete(id, on) },
}

/** Others bring the task back and do it again: its status is the same then, but it is not what was seen. */
async function others({ manager }: Bench, id: string, from: string): Promise<void> {
  if (from === 'pending') await manager.claim(id, 'other')
  await manager.retry(id, { attempts: 1 })
  if (from !== 'pending') await manager.claim(id, 'other')
  if (from === 'failed') await manager.fail(id, 'again')
}

const kinds: Readonly<Record<string, (store: Store) => Store>> = {
  'a store with transactions': (store) => store,
  'a store with one write per commit': (store) => limited(store, 1),
}

for (const [kind, wrap] of Object.entries(kinds))
  describe(`what depends on a state, on ${kind}`, () => {
    for (const [name, { from, act }] of Object.entries(acts)) {
      test(`${name}: done in that state, refused in any later one`, async () => {
        const own = new Bench(wrap(await openStore('memory:')))
        const [meant, changed] = [await own[from](), await own[from]()]
        await act(own.manager, meant, { state: stateOf(await own.manager.get(meant)) })
        const seen = await own.manager.get(changed)
        await others(own, changed, from)
        const before = await own.manager.get(changed)
        const on = { state: stateOf(seen) }
        await assertRefused(act(own.manager, changed, on), ChangedMeanwhileError)
        assert.deepEqual(await own.manager.get(changed), before)
        await assertLayout(own.store)
      })

      test(`${name}: refused where others change it between the look and the write`, async () => {
        const own = new Bench(wrap(await openStore('memory:')))
        const id = await own[from]()
        const state = stateOf(await own.manager.get(id))
        let isOver = false
        const store = altered(own.store, {
          commit: async (writes) => {
            if (!isOver) {
              isOver = true
              await others(own, id, from)
            }
            return own.store.commit(writes)
          },
        })
        await assertRefused(act(new TaskManager(store), id, { state }), ChangedMeanwhileError)
        assert.ok(isOver)
        const { status, maxAttempts, error } = await own.manager.get(id)
        assert.deepEqual(
          [status, maxAttempts, error],
          [from, from === 'failed' ? 2 : 0, from === 'failed' ? 'again' : null],
        )
        await assertLayout(own.store)
      })

      test(`${name}: known as done where its answer is lost`, async () => {
        const own = new Bench(wrap(await openStore('memory:')))
        const id = await own[from]()
        const state = stateOf(await own.manager.get(id))
        let isLost = false
        const store = altered(own.store, {
          commit: async (writes) => {
            const result = await own.store.commit(writes)
            const isTask = writes.some(({ key }) => key.startsWith('tasks/task/'))
            if (isLost || !isTask) return result
            isLost = true
            throw new StoreError('lost_answer', 'The answer is lost.', 'Read, then decide.')
          },
        })
        await act(new TaskManager(store), id, { state })
        assert.ok(isLost)
        await assertLayout(own.store)
      })
    }

    test('of many who act on the same state at once, one does', async () => {
      for (const { from, act } of Object.values(acts)) {
        const own = new Bench(wrap(await openStore('memory:')))
        const id = await own[from]()
        const on = { state: stateOf(await own.manager.get(id)) }
        const ends = await Promise.allSettled(
          Array.from({ length: 5 }, () => act(new TaskManager(own.store), id, on)),
        )
        const reasons = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
        assert.equal(reasons.length, 4)
        for (const reason of reasons)
          assert.ok(reason instanceof ChangedMeanwhileError || reason instanceof TaskNotFoundError)
        await assertLayout(own.store)
      }
    })

    test('a task that can’t be read is deleted, but not by who saw it as it was', async () => {
      const own = new Bench(wrap(await openStore('memory:')))
      const id = await own.completed()
      const on = { state: stateOf(await own.manager.get(id)) }
      await own.put(`tasks/task/${id}`, 'no task')
      await assertRefused(own.manager.delete(id, on), ChangedMeanwhileError)
      await own.manager.delete(id)
      await assertLayout(own.store)
    })
  })
