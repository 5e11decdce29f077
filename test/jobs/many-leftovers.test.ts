import assert from 'node:assert/strict'
import { onTestFinished, test, vi } from 'vitest'
import { TaskManager } from '../../src/jobs/index.ts'
import { create, limited, openStore } from '../../src/store/index.ts'
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
