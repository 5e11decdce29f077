import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import {
  TaskExistsError,
  TaskManager,
  TaskNotFoundError,
  TaskNotTerminalError,
} from '../../src/jobs/index.ts'
import {
  counted,
  limited,
  openStore,
  remove,
  type Store,
  type Write,
} from '../../src/store/index.ts'
import { altered } from '../store/altered.ts'
import { assertRefused, Bench, bytes } from './kit.ts'
import { assertLayout } from './layout.ts'

const oneByOne = async (): Promise<Store> => limited(await openStore('memory:'), 1)

/** A store on which something happens just before the first commit that `is` is true for. */
function interrupted(store: Store, is: (write: Write) => boolean, happen: () => Promise<unknown>) {
  let isOver = false
  return altered(store, {
    commit: async (writes) => {
      if (!isOver && writes.some(is)) {
        isOver = true
        await happen()
      }
      return store.commit(writes)
    },
  })
}

const isTask = ({ key, type }: Write): boolean => type === 'create' && key.startsWith('tasks/task/')

const removeKey = async (store: Store, key: string): Promise<void> => {
  const entry = await store.get(key)
  assert.ok(entry && (await store.commit([remove(entry)])).ok)
}

const submission = { idempotencyKey: 'k', payload: bytes('mine') }

describe('on a store that commits one write at a time', () => {
  test('a key that repair takes for a leftover while its task is brought stands in the end', async () => {
    const store = await oneByOne()
    await new Bench(store).put('tasks/idem/k', 'half')
    const sweeping = interrupted(store, isTask, () => new TaskManager(store).repair({ graceMs: 0 }))
    assert.equal(await new TaskManager(sweeping).submit(submission), 'half')
    await new TaskManager(store).repair({ graceMs: 0 })
    await assertLayout(store)
    assert.equal((await new TaskManager(store).getByIdempotencyKey('k')).id, 'half')
  })

  test('whoever is slow makes sure that the key still is its task’s', async () => {
    const store = await oneByOne()
    const slow = interrupted(store, isTask, async () => {
      await removeKey(store, 'tasks/idem/k')
      await sleep(1_100)
    })
    const id = await new TaskManager(slow).submit(submission)
    assert.equal((await new TaskManager(store).getByIdempotencyKey('k')).id, id)
    await assertLayout(store)
  })

  test('whoever is so slow that the key has become another’s brings no second task', async () => {
    const store = await oneByOne()
    let other = ''
    const slow = interrupted(store, isTask, async () => {
      await removeKey(store, 'tasks/idem/k')
      other = await new TaskManager(store).submit({ ...submission, payload: bytes('theirs') })
      await sleep(1_100)
    })
    assert.equal(await new TaskManager(slow).submit(submission), other)
    const { tasks } = await new TaskManager(store).list()
    assert.deepEqual(
      tasks.map(({ id }) => id),
      [other],
    )
    await assertLayout(store)
  })

  test('a task that was brought, done and deleted by others meanwhile is brought again, with its key', async () => {
    const store = await oneByOne()
    const late = interrupted(store, isTask, async () => {
      const others = new TaskManager(store)
      const id = await others.submit(submission)
      await others.claim(id, 'worker-a')
      await others.complete(id)
      await others.delete(id)
      await sleep(1_100)
    })
    const id = await new TaskManager(late).submit(submission)
    assert.equal((await new TaskManager(store).getByIdempotencyKey('k')).id, id)
    await new TaskManager(store).repair({ graceMs: 0 })
    await assertLayout(store)
  })

  test('of two who choose the same id for different keys one is refused, and leaves no key behind', async () => {
    const store = await oneByOne()
    const first = new TaskManager(
      interrupted(
        store,
        ({ key }) => key === 'tasks/task/same',
        () =>
          new TaskManager(store).submit({
            id: 'same',
            idempotencyKey: 'their key',
            payload: bytes('theirs'),
          }),
      ),
    )
    await assertRefused(first.submit({ ...submission, id: 'same' }), TaskExistsError)
    await assertLayout(store)
    assert.equal((await first.get('same')).idempotencyKey, 'their key')
    assert.notEqual(await first.submit(submission), 'same')
  })

  test('a task that is retried before it is deleted stays, and keeps its key', async () => {
    const store = await oneByOne()
    const own = new Bench(store)
    const id = await own.failed()
    const retried = interrupted(
      store,
      () => true,
      () => own.manager.retry(id, { attempts: 1 }),
    )
    await assertRefused(new TaskManager(retried).delete(id), TaskNotTerminalError)
    assert.equal((await own.manager.getByIdempotencyKey('bench-1')).status, 'pending')
    await assertLayout(store)
  })

  for (const place of ['idem', 'task'])
    test(`a task that is being deleted can't be retried before its ${place} entry goes, so no key is two tasks’`, async () => {
      const store = await oneByOne()
      const own = new Bench(store)
      const id = await own.failed()
      let submitted = ''
      const meanwhile = interrupted(
        store,
        ({ type, key }) => type === 'remove' && key.startsWith(`tasks/${place}/`),
        async () => {
          await assertRefused(own.manager.retry(id, { attempts: 1 }), TaskNotFoundError)
          const again = { idempotencyKey: 'bench-1', payload: bytes('again') }
          submitted = await own.manager.submit(again)
        },
      )
      await new TaskManager(meanwhile).delete(id)
      assert.equal(submitted === id, place === 'idem')
      const { tasks } = await own.manager.list()
      assert.deepEqual(
        tasks.map((task) => task.id),
        place === 'idem' ? [] : [submitted],
      )
      await assertLayout(store)
    })

  test('a key without a task is waited for a little before it is brought: most likely it is on its way', async () => {
    const store = await oneByOne()
    const others = counted(store)
    const second = new TaskManager(others)
    let other: Promise<string> | undefined
    const slow = interrupted(store, isTask, () => {
      other ??= second.submit(submission)
      return sleep(5)
    })
    const one = await new TaskManager(slow).submit(submission)
    assert.equal(await other, one)
    assert.equal(others.counts.writes, 0)
    await assertLayout(store)
  })
})

describe('on a store with transactions', () => {
  test('when one of many keys is taken meanwhile, the others still go in, in few commits', async () => {
    const store = await openStore('memory:')
    let commits = 0
    const racing = altered(store, {
      commit: async (writes) => {
        if (commits++ === 0) await new TaskManager(store).submit(submission)
        return store.commit(writes)
      },
    })
    const many = Array.from({ length: 1_000 }, (_, at) => ({
      idempotencyKey: at === 500 ? 'k' : `key ${at}`,
      payload: bytes('x'),
    }))
    const ids = await new TaskManager(racing).submitMany(many)
    assert.equal(new Set(ids).size, 1_000)
    assert.equal(ids[500], (await new TaskManager(store).getByIdempotencyKey('k')).id)
    assert.ok(commits <= 10, `${commits} commits`)
    await assertLayout(store)
  })

  test('payloads that are large go in commits that are not', async () => {
    const store = await openStore('memory:')
    let largest = 0
    const watched = altered(store, {
      commit: (writes) => {
        const bytesOf = (write: Write) => (write.type === 'remove' ? 0 : write.value.byteLength)
        largest = Math.max(
          largest,
          writes.reduce((sum, write) => sum + bytesOf(write), 0),
        )
        return store.commit(writes)
      },
    })
    const payload = new Uint8Array(256 * 1024)
    await new TaskManager(watched).submitMany(Array.from({ length: 30 }, () => ({ payload })))
    assert.ok(largest < 4_500_000, `${largest} bytes`)
  })
})
