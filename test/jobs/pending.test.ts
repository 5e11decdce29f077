import assert from 'node:assert/strict'
import { describe, onTestFinished, test, vi } from 'vitest'
import { TaskManager } from '../../src/jobs/index.ts'
import { counted, flaky, openStore, type Store } from '../../src/store/index.ts'
import { altered } from '../store/altered.ts'
import { Bench, bytes, TestClock } from './kit.ts'

/** A store that counts, on which a list costs all that lies below its prefix, as on NATS and S3. */
const costly = (store: Store) => {
  const counting = counted(store)
  const limits = { ...store.limits, listCost: 'prefix' as const }
  return { counting, store: altered(counting, { limits }) }
}

const submit = (manager: TaskManager, count: number): Promise<string[]> =>
  manager.submitMany(Array.from({ length: count }, () => ({ payload: bytes('x') })))

const claimAll = async (manager: TaskManager, count: number): Promise<(string | undefined)[]> => {
  const claims = Array.from({ length: count }, (_, at) => manager.claimNext(`worker-${at}`))
  return (await Promise.all(claims)).map((task) => task?.id)
}

describe('entries that mean nothing', () => {
  for (const kind of ['a crash left', 'stand for a corrupt record'])
    test(`claimNext passes over those that ${kind}, however many ask at once, and says null`, async () => {
      const own = new Bench(counted(await openStore('memory:')))
      const store = own.store as ReturnType<typeof counted>
      const id = kind === 'a crash left' ? await own.completed() : await own.pending()
      const { createdAt } = await own.manager.get(id)
      const place = `${String(createdAt.getTime()).padStart(15, '0')}-${id}`
      if (kind === 'a crash left') await own.put(`tasks/status/pending/${place}`, '')
      else await own.put(`tasks/task/${id}`, 'garbage')
      store.reset()
      assert.deepEqual(await claimAll(own.manager, 50), Array(50).fill(undefined))
      assert.ok(store.counts.list <= 50 * 4, JSON.stringify(store.counts))
      const good = await own.pending()
      assert.equal((await own.manager.claimNext('worker-a'))?.id, good)
    })
})

describe('where a list costs its answer', () => {
  test('each claim lists a few entries, whatever is pending', async () => {
    const store = counted(await openStore('memory:'))
    const manager = new TaskManager(store)
    const ids = await submit(manager, 500)
    store.reset()
    for (const id of ids.slice(0, 20)) assert.equal((await manager.claimNext('worker-a'))?.id, id)
    assert.equal(store.counts.list, 20)
    assert.ok(store.counts.entries <= 20 * 33, JSON.stringify(store.counts))
  })

  test('what another manager has just given back is next, for it is older', async () => {
    const store = await openStore('memory:')
    const [one, other] = [new TaskManager(store), new TaskManager(altered(store, {}))]
    const ids = await submit(one, 3)
    assert.equal((await one.claimNext('worker-a'))?.id, ids[0])
    await other.fail(ids[0] as string, 'again')
    assert.equal((await one.claimNext('worker-a'))?.id, ids[0])
  })
})

describe('where a list costs all that is pending', () => {
  test('one list serves many claims, in order; null is never said without a new one', async () => {
    const { counting, store } = costly(await openStore('memory:'))
    const manager = new TaskManager(store)
    const ids = await submit(manager, 50)
    counting.reset()
    for (const id of ids) assert.equal((await manager.claimNext('worker-a'))?.id, id)
    assert.ok(counting.counts.list <= 3, JSON.stringify(counting.counts))
    counting.reset()
    assert.equal(await manager.claimNext('worker-a'), null)
    assert.equal(await manager.claimNext('worker-a'), null)
    assert.equal(counting.counts.list, 2)
  })

  test('what comes back meanwhile is next, for it is older', async () => {
    const { store } = costly(await openStore('memory:'))
    const manager = new TaskManager(store, { claimTtlMs: 3_600_000 })
    const ids = await submit(manager, 4)
    const next = async () => (await manager.claimNext('worker-a'))?.id
    assert.deepEqual([await next(), await next()], ids.slice(0, 2))
    await manager.fail(ids[1] as string, 'again')
    await manager.retry(ids[0] as string)
    assert.deepEqual([await next(), await next(), await next(), await next()], ids)
    assert.equal(await next(), undefined)
    await manager.close()
  })

  test('what releaseStale takes away meanwhile is next, for it is older', async () => {
    const { store } = costly(await openStore('memory:'))
    const clock = new TestClock()
    const manager = new TaskManager(store, { claimTtlMs: 3_600_000, now: clock.now })
    const ids = await submit(manager, 3)
    const next = async () => (await manager.claimNext('worker-a'))?.id
    assert.equal(await next(), ids[0])
    clock.ms += 3_600_000
    assert.equal(await manager.releaseStale(), 1)
    assert.equal(await next(), ids[0])
    await manager.close()
  })

  test('those who ask while a list is under way share the next', async () => {
    // What a list has told holds for a while, which does not pass here.
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const { counting, store } = costly(flaky(await openStore('memory:'), { delayMsMax: 1 }))
    const manager = new TaskManager(store)
    const ids = await submit(manager, 30)
    counting.reset()
    const got = await claimAll(manager, 40)
    assert.deepEqual(got.filter((id) => id !== undefined).sort(), ids.toSorted())
    assert.ok(counting.counts.list <= 8, JSON.stringify(counting.counts))
    assert.equal(counting.counts.conflicts, 0)
  })

  test('when others have taken what was listed, it is listed again after at most 70 reads', async () => {
    // Otherwise a slow machine lists again by time, and nothing is read in vain.
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const inner = await openStore('memory:')
    const [mine, others] = [costly(inner), costly(inner)]
    const [manager, other] = [new TaskManager(mine.store), new TaskManager(others.store)]
    const ids = await submit(manager, 101)
    assert.equal((await manager.claimNext('worker-a'))?.id, ids[0])
    for (let count = 0; count < 99; count++) await other.claimNext('worker-b')
    mine.counting.reset()
    assert.equal((await manager.claimNext('worker-a'))?.id, ids[100])
    assert.ok(mine.counting.counts.get < 70, JSON.stringify(mine.counting.counts))
    const late = await other.submit({ payload: bytes('late') })
    assert.equal((await manager.claimNext('worker-a'))?.id, late)
    assert.equal(await manager.claimNext('worker-a'), null)
  })

  test('a list that fails is told to who asked, and others list anew', async () => {
    const inner = await openStore('memory:')
    let isDown = true
    const { store } = costly(inner)
    const failing = altered(store, {
      list: (prefix, options) => {
        if (isDown) throw new Error('down')
        return store.list(prefix, options)
      },
    })
    const manager = new TaskManager(failing)
    const [id] = await submit(manager, 1)
    const first = manager.claimNext('worker-a')
    const second = manager.claimNext('worker-b')
    await assert.rejects(first, /down/)
    await assert.rejects(second, /down/)
    isDown = false
    assert.equal((await manager.claimNext('worker-a'))?.id, id)
  })
})

describe('workers of one process', () => {
  test('never try the same task at once, and take up what another had to leave', async () => {
    const inner = await openStore('memory:')
    const store = counted(inner)
    let failures = 3
    const failing = altered(store, {
      commit: async (writes) => {
        const isClaim = writes.some(({ key }) => key.startsWith('tasks/status/claimed/'))
        if (isClaim && failures-- > 0) throw new Error('down')
        return store.commit(writes)
      },
    })
    const manager = new TaskManager(failing)
    const ids = await submit(manager, 10)
    const claims = Array.from({ length: 20 }, (_, at) =>
      manager.claimNext(`worker-${at}`).catch(() => 'failed' as const),
    )
    const got = await Promise.all(claims)
    assert.equal(got.filter((task) => task === 'failed').length, 3)
    const claimed = got.filter((task) => task !== null && task !== 'failed')
    assert.deepEqual(claimed.map(({ id }) => id).sort(), ids.toSorted())
    assert.equal(store.counts.conflicts, 0)
  })
})
