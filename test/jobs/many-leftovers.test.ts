import assert from 'node:assert/strict'
import { onTestFinished, test, vi } from 'vitest'
import { TaskManager } from '../../src/jobs/index.ts'
import { create, limited, openStore, update } from '../../src/store/index.ts'
import { altered } from '../store/altered.ts'
import { bytes } from './kit.ts'

test('of more entries without a task than a worker remembers, all go', async () => {
  // Time passes only where this test says so.
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const store = limited(await openStore('memory:'), 1)
  const count = 10_500
  const startedMs = Date.now() - 60_000
  for (let nth = 0; nth < count; nth++) {
    const place = `${String(startedMs + nth).padStart(15, '0')}-gone-${nth}`
    await store.commit([create(`tasks/status/pending/${place}`, bytes(''))])
  }
  const pending = async () => {
    let standing = 0
    for await (const _ of store.list('tasks/status/pending')) standing++
    return standing
  }
  const manager = new TaskManager(store)
  assert.equal(await manager.claimNext('worker-a'), null)
  vi.advanceTimersByTime(10_000)
  assert.equal(await manager.claimNext('worker-a'), null)
  assert.equal(await pending(), 500)
  for (let look = 0; look < 2; look++) {
    vi.advanceTimersByTime(10_000)
    assert.equal(await manager.claimNext('worker-a'), null)
  }
  assert.equal(await pending(), 0)
})

test.each(['before the look', 'after the look'])(
  'an entry that was seen long ago, and was put again %s, stays for the task that is to come',
  async (moment) => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const store = limited(await openStore('memory:'), 1)
    const key = `tasks/status/pending/${String(Date.now()).padStart(15, '0')}-slow`
    await store.commit([create(key, bytes(''))])
    const putAgain = async () => {
      const entry = await store.get(key)
      assert.ok(entry)
      await store.commit([update(entry, entry.value)])
    }
    let isAsked = false
    const watched = altered(store, {
      get: async (asked) => {
        if (isAsked && asked === 'tasks/task/slow') await putAgain()
        return store.get(asked)
      },
    })
    const manager = new TaskManager(watched)
    assert.equal(await manager.claimNext('worker-a'), null)
    vi.advanceTimersByTime(10_000)
    if (moment === 'before the look') await putAgain()
    else isAsked = true
    assert.equal(await manager.claimNext('worker-a'), null)
    assert.ok(await store.get(key))
  },
)
