import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { stateOf, type Task, TaskManager } from '../../src/jobs/index.ts'
import { loadEngine } from '../../src/store/drivers/sqlite/engine.ts'
import { limited, openStore, type Store, StoreError, type Write } from '../../src/store/index.ts'
import { altered } from '../store/altered.ts'
import { temporaryFolder } from '../store/ground.ts'
import { bytes, TestClock } from './kit.ts'
import { assertLayout } from './layout.ts'

const claimTtlMs = 2_000

const calls: Readonly<Record<string, (manager: TaskManager, id: string) => Promise<Task | null>>> =
  {
    claim: (manager, id) => manager.claim(id, 'worker-a'),
    claimNext: (manager) => manager.claimNext('worker-a'),
  }

const aboutTask = ({ key }: { key: string }) => key.startsWith('tasks/task/')
const aboutEntry = ({ key }: { key: string }) => key.startsWith('tasks/status/')

/** What takes longer than a claim lasts, the first time that it is asked for. */
const slows: Readonly<Record<string, (store: Store, wait: () => void) => Store>> = {
  'the look at the task': (store, wait) =>
    altered(store, {
      get: async (key) => {
        const entry = await store.get(key)
        if (aboutTask({ key })) wait()
        return entry
      },
    }),
  'the write of an entry': (store, wait) => slowCommit(store, aboutEntry, wait),
  'the write of the task': (store, wait) => slowCommit(store, aboutTask, wait),
}

const slowCommit = (store: Store, is: (write: Write) => boolean, wait: () => void): Store =>
  altered(store, {
    commit: async (writes) => {
      if (writes.some(is)) wait()
      return store.commit(writes)
    },
  })

describe('a claim is fresh when it is handed out, whatever was slow', () => {
  for (const writes of [1, 2, 3, 1000])
    for (const [slow, make] of Object.entries(slows))
      for (const [name, call] of Object.entries(calls))
        test(`${name} with ${writes} writes a commit, where ${slow} takes 2.6 s`, async () => {
          const clock = new TestClock()
          const store = limited(await openStore('memory:'), writes)
          const id = await new TaskManager(store, { now: clock.now }).submit({
            payload: bytes('x'),
          })
          let waits = 1
          const slowly = make(store, () => {
            if (waits-- > 0) clock.ms += 2_605
          })
          for (const ttl of [claimTtlMs, undefined]) {
            await using manager = new TaskManager(slowly, { now: clock.now, claimTtlMs: ttl })
            const task = await call(manager, id)
            assert.equal(task?.claimedAt?.getTime(), clock.ms)
            assert.deepEqual([task?.attempts, task?.claimedBy], [ttl ? 1 : 2, 'worker-a'])
            await assertLayout(store)
            assert.equal(await manager.releaseStale(), 0)
            await manager.retry(id)
            waits = 1
          }
        })

  test('where a claim of a seen state came so late that it was taken away, it is not made again', async () => {
    const clock = new TestClock()
    const inner = await openStore('memory:')
    await using others = new TaskManager(inner, { now: clock.now })
    const id = await others.submit({ payload: bytes('x') })
    const state = stateOf(await others.get(id))
    let isFirst = true
    const store = altered(inner, {
      commit: async (writes) => {
        const result = await inner.commit(writes)
        if (isFirst && writes.some(aboutTask)) {
          isFirst = false
          clock.ms += 2_605
          await others.fail(id, 'taken away')
        }
        return result
      },
    })
    await using manager = new TaskManager(store, { now: clock.now })
    await assert.rejects(manager.claim(id, 'worker-a', { state }), { code: 'unknown_outcome' })
    const { status, attempts } = await others.get(id)
    assert.deepEqual([status, attempts], ['pending', 1])
  })

  test('where a claim came so late that it was taken away, a failure after it is no "nothing happened"', async () => {
    const clock = new TestClock()
    const inner = await openStore('memory:')
    await using others = new TaskManager(inner, { now: clock.now, claimTtlMs })
    const id = await others.submit({ payload: bytes('x') })
    let isAway = false
    const store = altered(inner, {
      commit: async (writes) => {
        const result = await inner.commit(writes)
        if (!isAway && writes.some(aboutTask)) {
          clock.ms += 2_605
          await others.releaseStale()
          await others.claim(id, 'worker-b')
          isAway = true
        }
        return result
      },
      async *list(prefix, options) {
        if (isAway) throw new StoreError('down', 'The store is away.', 'Try again.')
        yield* inner.list(prefix, options)
      },
    })
    await using manager = new TaskManager(store, { now: clock.now, claimTtlMs })
    await assert.rejects(manager.claimNext('worker-a'), { code: 'unknown_outcome' })
  })

  test('a store that always takes longer than a claim lasts hands out none, and says why', async () => {
    const clock = new TestClock()
    const inner = await openStore('memory:')
    const store = slowCommit(inner, aboutTask, () => {
      clock.ms += 2_605
    })
    await using manager = new TaskManager(store, { now: clock.now, claimTtlMs })
    await manager.submit({ payload: bytes('x') })
    await assert.rejects(manager.claimNext('worker-a'), /Raise claimTtlMs/)
  })

  test('where stamping it again fails, and takes as long as the claim lasts, it is not handed out', async () => {
    for (const failMs of [100, 1_500]) {
      const clock = new TestClock()
      let commits = 0
      const inner = await openStore('memory:')
      const store = altered(inner, {
        commit: async (writes) => {
          if (!writes.some(aboutTask)) return inner.commit(writes)
          commits++
          clock.ms += commits === 1 ? 1_000 : failMs
          if (commits > 1) throw new StoreError('down', 'The store is away.', 'Try again.')
          return inner.commit(writes)
        },
      })
      await new TaskManager(inner, { now: clock.now }).submit({ payload: bytes('x') })
      await using manager = new TaskManager(store, { now: clock.now, claimTtlMs })
      if (failMs === 100) assert.ok(await manager.claimNext('worker-a'))
      else await assert.rejects(manager.claimNext('worker-a'), { code: 'unknown_outcome' })
    }
  })

  test('one that was released before it could be stamped again is claimed again, or left', async () => {
    for (const maxAttempts of [0, 1]) {
      const clock = new TestClock()
      const inner = await openStore('memory:')
      await using others = new TaskManager(inner, { now: clock.now, claimTtlMs })
      const id = await others.submit({ payload: bytes('x'), maxAttempts })
      let waits = 1
      const store = altered(inner, {
        commit: async (writes) => {
          const isSlow = writes.some(aboutTask) && waits-- > 0
          if (isSlow) clock.ms += 2_605
          const result = await inner.commit(writes)
          if (isSlow) assert.equal(await others.releaseStale(), 1)
          return result
        },
      })
      await using manager = new TaskManager(store, { now: clock.now, claimTtlMs })
      const task = await manager.claimNext('worker-a')
      assert.deepEqual([task?.id, task?.attempts], maxAttempts ? [undefined, undefined] : [id, 2])
      await assertLayout(inner)
    }
  })
})

test('a claim that waits for the lock of a SQLite file longer than it lasts is fresh when it is handed out', async () => {
  await using folder = await temporaryFolder()
  const path = folder.path('store.db')
  await using store = await openStore(`sqlite:${path}`)
  await using manager = new TaskManager(store, { claimTtlMs: 800 })
  for (const [name, call] of Object.entries(calls)) {
    const id = await manager.submit({ payload: bytes(name), maxAttempts: 1 })
    const other = loadEngine().open(path, { readOnly: false })
    other.exec('BEGIN IMMEDIATE')
    const claiming = call(manager, id)
    // Longer than a claim lasts.
    await sleep(1_200)
    other.exec('COMMIT')
    const freeAt = Date.now()
    other.close()
    const task = await claiming
    const ageMs = freeAt - (task?.claimedAt?.getTime() ?? 0)
    assert.ok(ageMs < 800, `${name}: ${ageMs} ms old`)
    await manager.complete(id, bytes('y'), { claimToken: task?.claimToken })
  }
})
