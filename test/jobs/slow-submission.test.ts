import assert from 'node:assert/strict'
import { beforeEach, describe, onTestFinished, test, vi } from 'vitest'
import { TaskManager } from '../../src/jobs/index.ts'
import { limited, openStore, type Store, StoreError, type Write } from '../../src/store/index.ts'
import { altered } from '../store/altered.ts'
import { bytes } from './kit.ts'
import { assertLayout } from './layout.ts'

const payload = bytes('x')

const pendingIn = async (store: Store): Promise<number> => {
  let count = 0
  for await (const _ of store.list('tasks/status/pending')) count++
  return count
}

/** Time passes only where a test says so, and pauses after a lost race, which grow with that time, are as short as can be. */
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const chance = vi.spyOn(Math, 'random').mockReturnValue(0)
  onTestFinished(() => {
    vi.useRealTimers()
    chance.mockRestore()
  })
})

test('the entry of a submission that takes long stays: how long it was seen counts, not how old its task is', async () => {
  const store = limited(await openStore('memory:'), 1)
  const worker = new TaskManager(store)
  const slow = altered(store, {
    commit: async (given) => {
      if (given.some(({ key }) => key.startsWith('tasks/status/'))) vi.advanceTimersByTime(20_000)
      if (given.some(({ key }) => key.startsWith('tasks/task/')))
        assert.equal(await worker.claimNext('worker-a'), null)
      return store.commit(given)
    },
  })
  const id = await new TaskManager(slow).submit({ payload })
  assert.equal((await worker.claimNext('worker-a'))?.id, id)
  await assertLayout(store)
})

describe('a creation whose answer was lost, and whose entries were taken for leftovers meanwhile, has them', () => {
  for (const idempotencyKey of [undefined, 'key'])
    for (const looks of [0, 1, 2])
      test(`${idempotencyKey ? 'with' : 'without'} a key, where it arrives after ${looks} more looks at the task`, async () => {
        const store = limited(await openStore('memory:'), 1)
        const worker = new TaskManager(store)
        let late: readonly Write[] | null = null
        let looksLeft = looks
        const slow = altered(store, {
          get: async (key) => {
            if (late !== null && key.startsWith('tasks/task/') && looksLeft-- === 0) {
              await store.commit(late)
            }
            return store.get(key)
          },
          commit: async (given) => {
            if (late !== null || !given.some(({ key }) => key.startsWith('tasks/task/')))
              return store.commit(given)
            for (let poll = 0; poll < 2; poll++) {
              assert.equal(await worker.claimNext('worker-a'), null)
              vi.advanceTimersByTime(10_000)
            }
            assert.equal(await pendingIn(store), 0)
            late = given
            throw new StoreError('lost_answer', 'The answer was lost.', 'Read again.')
          },
        })
        const submission = { payload, ...(idempotencyKey && { idempotencyKey }) }
        const id = await new TaskManager(slow).submit(submission).catch((error) => {
          // Without a key nobody can look again without a risk of a second task.
          assert.equal(idempotencyKey, undefined)
          assert.equal(error.code, 'unknown_outcome')
        })
        if (id === undefined) return
        assert.equal((await worker.claimNext('worker-a'))?.id, id)
        await assertLayout(store)
      })
})
