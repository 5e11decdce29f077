import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { TaskManager, WrongWorkerError } from '../../src/jobs/index.ts'
import { byKey, KeyTaken } from '../../src/jobs/indexes.ts'
import { openStore, remove, type Store, StoreError, type Write } from '../../src/store/index.ts'
import { altered } from '../store/altered.ts'
import { assertRefused, Bench, bytes, TestClock } from './kit.ts'
import { assertLayout, storedTask } from './layout.ts'

/** A store on which others act between the first commit of a task and its answer, or before it. */
function disturbed(
  store: Store,
  when: 'before' | 'after, and the answer is lost',
  others: () => Promise<unknown>,
): Store {
  let isOver = false
  const isTask = ({ key }: Write) => key.startsWith('tasks/task/')
  return altered(store, {
    commit: async (writes) => {
      if (isOver || !writes.some(isTask)) return store.commit(writes)
      isOver = true
      if (when === 'before') await others()
      const result = await store.commit(writes)
      if (when === 'before') return result
      await others()
      throw new StoreError('lost_answer', 'The answer is lost.', 'Read, then decide.')
    },
  })
}

describe('a claim that ends while somebody ends it, and another that begins', () => {
  const endings: Readonly<Record<string, (manager: TaskManager, id: string) => Promise<unknown>>> =
    {
      complete: (manager, id) => manager.complete(id, bytes('mine')),
      fail: (manager, id) => manager.fail(id, 'mine'),
    }
  for (const [name, end] of Object.entries(endings)) {
    test(`${name} of the first does not end the second`, async () => {
      const own = new Bench(await openStore('memory:'))
      const id = await own.claimed()
      const store = disturbed(own.store, 'before', async () => {
        await own.manager.retry(id)
        await own.manager.claim(id, 'worker-b')
      })
      await assertRefused(end(new TaskManager(store), id), WrongWorkerError)
      const { status, claimedBy, attempts } = await own.manager.get(id)
      assert.deepEqual([status, claimedBy, attempts], ['claimed', 'worker-b', 2])
      await assertLayout(own.store)
    })
  }

  test('fail, whose answer is lost, is not done a second time, and says that it does not know', async () => {
    const own = new Bench(await openStore('memory:'))
    const id = await own.claimed()
    const store = disturbed(own.store, 'after, and the answer is lost', () =>
      own.manager.claim(id, 'worker-b'),
    )
    await assert.rejects(new TaskManager(store).fail(id, 'mine'), { code: 'unknown_outcome' })
    const { status, claimedBy, error } = await own.manager.get(id)
    assert.deepEqual([status, claimedBy, error], ['claimed', 'worker-b', 'mine'])
  })

  test('retry, whose answer is lost, neither takes a later claim away nor raises the limit twice', async () => {
    const own = new Bench(await openStore('memory:'))
    const id = await own.failed()
    const store = disturbed(own.store, 'after, and the answer is lost', () =>
      own.manager.claim(id, 'worker-b'),
    )
    // It happened, for the task was claimed again; nobody can tell by whom it was made pending.
    await new TaskManager(store).retry(id, { attempts: 2 }).catch(({ code }) => {
      assert.equal(code, 'unknown_outcome')
    })
    const { status, claimedBy, maxAttempts } = await own.manager.get(id)
    assert.deepEqual([status, claimedBy, maxAttempts], ['claimed', 'worker-b', 3])
  })

  for (const name of ['complete', 'claim', 'delete'])
    test(`${name}, whose answer is lost, is known by what it left`, async () => {
      const own = new Bench(await openStore('memory:'))
      const ids = { claim: own.pending(), complete: own.claimed(), delete: own.completed() }
      const id = await ids[name as keyof typeof ids]
      const manager = new TaskManager(
        disturbed(own.store, 'after, and the answer is lost', async () => {}),
      )
      if (name === 'claim') assert.equal((await manager.claim(id, 'worker-b')).attempts, 1)
      if (name === 'complete')
        assert.equal((await manager.complete(id, bytes('y'))).status, 'completed')
      if (name === 'delete') await manager.delete(id)
      await assertLayout(own.store)
    })

  test('claimNext that never arrived is not taken for that of a worker of the same name at the same time', async () => {
    const { now } = new TestClock()
    const own = new Bench(await openStore('memory:'), { now })
    const id = await own.pending()
    const others: (string | undefined)[] = []
    let isOver = false
    const store = altered(own.store, {
      commit: async (writes) => {
        if (isOver) return own.store.commit(writes)
        isOver = true
        others.push((await own.manager.claimNext('worker-a'))?.id)
        throw new StoreError('lost_answer', 'The answer is lost.', 'Read, then decide.')
      },
    })
    await assert.rejects(new TaskManager(store, { now }).claimNext('worker-a'), {
      code: 'unknown_outcome',
    })
    assert.deepEqual(others, [id])
    assert.equal((await own.manager.get(id)).attempts, 1)
    assert.deepEqual(
      Object.keys(await own.manager.get(id)),
      Object.keys(await own.manager.retry(id)),
    )
  })

  test('submit, whose answer is lost, finds what it left, with a key and without', async () => {
    for (const idempotencyKey of ['k', undefined]) {
      const inner = await openStore('memory:')
      const store = disturbed(inner, 'after, and the answer is lost', async () => {})
      const id = await new TaskManager(store).submit({ idempotencyKey, payload: bytes('x') })
      const { tasks } = await new TaskManager(inner).list()
      assert.deepEqual(
        tasks.map((task) => task.id),
        [id],
      )
      await assertLayout(inner)
    }
  })
})

test('claimNext does not say null while tasks change hands behind its back', async () => {
  const inner = await openStore('memory:')
  const own = new Bench(inner)
  const ids = [await own.pending(), await own.pending()] as const
  // Just before it looks at a task, another worker takes that; before the second, the first comes back.
  const steps = new Map<string, () => Promise<unknown>>([
    [ids[0], () => own.manager.claim(ids[0], 'worker-b')],
    [
      ids[1],
      async () => {
        await own.manager.fail(ids[0], 'again')
        await own.manager.claim(ids[1], 'worker-b')
      },
    ],
  ])
  const store = altered(inner, {
    get: async (key) => {
      const id = key.startsWith('tasks/task/') ? key.slice('tasks/task/'.length) : ''
      const step = steps.get(id)
      steps.delete(id)
      await step?.()
      return inner.get(key)
    },
  })
  assert.equal((await new TaskManager(store).claimNext('worker-a'))?.id, ids[0])
})

describe('repair', () => {
  const planted = async () => {
    const own = new Bench(await openStore('memory:'))
    const id = await own.completed()
    return { own, id, task: await storedTask(own.store, id) }
  }

  test('gives a task its key back, once that stands for nothing any more', async () => {
    const { own, id } = await planted()
    await own.put('tasks/idem/bench-1', 'ghost')
    const { missing, stale } = await own.manager.repair({ graceMs: 0 })
    assert.deepEqual([missing, stale], [1, 1])
    assert.equal((await own.manager.getByIdempotencyKey('bench-1')).id, id)
    await assertLayout(own.store)
  })

  test('leaves a key with whichever task has it, when two say that it is theirs', async () => {
    const { own, id, task } = await planted()
    await own.put('tasks/task/second', JSON.stringify({ ...task, id: 'second' }))
    await own.manager.repair({ graceMs: 0 })
    assert.equal((await own.manager.getByIdempotencyKey('bench-1')).id, id)
    const entry = await own.store.get('tasks/idem/bench-1')
    assert.ok(entry && (await own.store.commit([remove(entry)])).ok)
    await own.manager.repair({ graceMs: 0 })
    const winner = (await own.manager.getByIdempotencyKey('bench-1')).id
    assert.ok([id, 'second'].includes(winner))
    assert.deepEqual((await own.manager.repair()).missing, 0)
    assert.equal((await own.manager.getByIdempotencyKey('bench-1')).id, winner)
  })

  test('a key that is another’s is never written over', async () => {
    const { own, task } = await planted()
    const [mark] = byKey.marks('second', { ...task, id: 'second' } as never)
    await assert.rejects(mark!.put(own.store, false), KeyTaken)
  })

  test('what a crash left in the indexes shows no task twice, nor in a status that it has not', async () => {
    const { own, id } = await planted()
    const place = (ms: number) => `${String(ms).padStart(15, '0')}-${id}`
    const { createdAt } = await own.manager.get(id)
    await own.put(`tasks/status/pending/${place(createdAt.getTime())}`, '')
    await own.put(`tasks/status/completed/${place(7)}`, '')
    await own.put(`tasks/created/${place(7)}`, '')
    const idsOf = async (status?: 'pending' | 'completed') =>
      (await own.manager.list(status)).tasks.map((task) => task.id)
    assert.deepEqual([await idsOf(), await idsOf('completed')], [[id], [id]])
    assert.deepEqual(await idsOf('pending'), [])
    assert.equal((await own.manager.repair({ dryRun: true })).stale, 3)
    await own.manager.repair()
    await assertLayout(own.store)
  })
})

describe('mayTake', () => {
  test('is asked about the claim that the write takes away, and keeps it by throwing', async () => {
    await using inner = await openStore('memory:')
    const own = new Bench(inner)
    const id = await own.claimed(0, 'worker-a')
    // Between the look and the write the claim becomes another's.
    const store = disturbed(inner, 'before', async () => {
      await own.manager.retry(id)
      await own.manager.claim(id, 'worker-b')
    })
    const seen: string[] = []
    const mayTake = (workerId: string) => {
      seen.push(workerId)
      if (workerId !== 'worker-a') throw new RangeError('no')
    }
    await assert.rejects(new TaskManager(store).retry(id, { mayTake }), RangeError)
    assert.deepEqual(seen, ['worker-a', 'worker-b'])
    assert.equal((await own.manager.get(id)).claimedBy, 'worker-b')
    await own.manager.fail(id, 'x')
    assert.equal((await own.manager.retry(id, { mayTake })).status, 'pending')
  })
})
