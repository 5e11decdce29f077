import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, onTestFinished, test, vi } from 'vitest'
import { type TaskError, TaskManager } from '../../src/jobs/index.ts'
import { counted, create, flaky, limited, openStore, type Store } from '../../src/store/index.ts'
import { altered } from '../store/altered.ts'
import { bytes, TestClock } from './kit.ts'
import { assertLayout } from './layout.ts'

const payload = bytes('x')

const submit = (store: Store, count: number): Promise<string[]> =>
  new TaskManager(store).submitMany(Array.from({ length: count }, () => ({ payload })))

/** Claims tasks, and dies each time between the task and the entry that no longer holds. */
async function claimAndDie(store: Store, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    // The new entry, then the task.
    const dying = flaky(store, { failAfter: 2, crash: true })
    await new TaskManager(dying).claim(id, 'dead').catch(() => {})
  }
}

const pendingIn = async (store: Store): Promise<number> => {
  let count = 0
  for await (const _ of store.list('tasks/status/pending')) count++
  return count
}

/** Time passes only where a test says so. */
function standStill(): void {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
}

const kinds: Readonly<Record<string, (store: Store) => Store>> = {
  'a list costs its answer': (store) => store,
  'a list costs all that is pending': (store) =>
    altered(store, { limits: { ...store.limits, listCost: 'prefix' } }),
}

for (const [kind, wrap] of Object.entries(kinds))
  for (const writes of [1, 2])
    describe(`entries that a crash left, with ${writes} writes a commit, where ${kind}`, () => {
      test('a lone worker gets the oldest task each time, and they go', async () => {
        const inner = limited(await openStore('memory:'), writes)
        const ids = await submit(inner, 100)
        await claimAndDie(inner, ids.slice(0, 10))
        assert.equal(await pendingIn(inner), 100)
        const manager = new TaskManager(wrap(inner))
        for (const id of ids.slice(10, 40))
          assert.equal((await manager.claimNext('worker-a'))?.id, id)
        assert.equal(await pendingIn(inner), 60)
        await assertLayout(inner)
      })

      test('an idle worker reads each once, and nothing after that', async () => {
        const inner = limited(await openStore('memory:'), writes)
        const ids = await submit(inner, 50)
        await claimAndDie(inner, ids)
        const store = counted(wrap(inner))
        const manager = new TaskManager(altered(store, { limits: wrap(inner).limits }))
        assert.equal(await manager.claimNext('worker-a'), null)
        await assertLayout(inner)
        store.reset()
        for (let poll = 0; poll < 10; poll++)
          assert.equal(await manager.claimNext('worker-a'), null)
        assert.deepEqual([store.counts.get, store.counts.commit], [0, 0])
      })
    })

test('an entry whose task is just being submitted stays; one that a crash left a while ago goes', async () => {
  standStill()
  const store = limited(await openStore('memory:'), 1)
  const dying = flaky(store, { failBefore: 3, crash: true })
  await new TaskManager(dying).submit({ payload }).catch(() => {})
  assert.equal(await pendingIn(store), 1)
  const manager = new TaskManager(store)
  assert.equal(await manager.claimNext('worker-a'), null)
  assert.equal(await pendingIn(store), 1)
  vi.advanceTimersByTime(10_000)
  assert.equal(await manager.claimNext('worker-a'), null)
  assert.equal(await pendingIn(store), 0)
})

test('a worker whose clock is hours ahead, or jumps by hours, leaves the entries of a submission alone', async () => {
  const store = limited(await openStore('memory:'), 1)
  const submitter = new TestClock()
  const worker = new TestClock()
  worker.ms = submitter.ms + 8 * 3_600_000
  const manager = new TaskManager(store, { now: worker.now })
  let looks = 0
  const slow = altered(store, {
    // Between the entries and the task.
    async commit(writes) {
      if (writes.some(({ key }) => key.startsWith('tasks/task/')))
        for (; looks < 2; looks++) {
          assert.equal(await manager.claimNext('worker-a'), null)
          worker.ms += 3_600_000
        }
      return store.commit(writes)
    },
  })
  const id = await new TaskManager(slow, { now: submitter.now }).submit({ payload })
  assert.equal(looks, 2)
  assert.equal((await manager.claimNext('worker-a'))?.id, id)
})

test('a submission of which a worker sees the entry first still gets its task claimed', async () => {
  const store = limited(await openStore('memory:'), 1)
  const worker = new TaskManager(store)
  const slow = altered(store, {
    commit: async (given) => {
      if (given.some(({ key }) => key.startsWith('tasks/task/')))
        for (let poll = 0; poll < 3; poll++) assert.equal(await worker.claimNext('worker-a'), null)
      return store.commit(given)
    },
  })
  const id = await new TaskManager(slow).submit({ payload })
  assert.equal((await worker.claimNext('worker-a'))?.id, id)
  await assertLayout(store)
})

test('an entry that is older than its task does not bring it before older ones', async () => {
  await using inner = await openStore('memory:')
  const store = limited(inner, 1)
  const clock = new TestClock()
  const given = String(clock.ms).padStart(15, '0')
  clock.ms += 1_000
  const manager = new TaskManager(store, { now: clock.now })
  const older = await manager.submit({ payload })
  clock.ms += 1_000
  const younger = await manager.submit({ payload })
  // What a submission left that began first, with the id of a key under which another then brought the task.
  await store.commit([create(`tasks/status/pending/${given}-${younger}`, bytes(''))])
  assert.equal((await manager.claimNext('worker'))?.id, older)
  assert.equal((await manager.claimNext('worker'))?.id, younger)
  assert.equal(await pendingIn(store), 0)
  await assertLayout(store)
})

test('workers who sweep beside others who claim, fail and give back: every attempt is one claim, none is lost', async () => {
  const inner = limited(await openStore('memory:'), 1)
  const ids = await submit(inner, 40)
  const claims: string[] = []
  const work = async (name: string) => {
    const manager = new TaskManager(flaky(inner, { delayMsMax: 2, seed: name }))
    for (let empty = 0; empty < 3; ) {
      const task = await manager.claimNext(name)
      if (task === null) {
        empty++
        await sleep(5)
        continue
      }
      claims.push(`${task.id} ${task.attempts}`)
      const { claimToken } = task
      if (task.attempts < 3) await manager.fail(task.id, 'again', { claimToken })
      else await manager.complete(task.id, null, { claimToken })
    }
  }
  await Promise.all(Array.from({ length: 8 }, (_, at) => work(`worker-${at}`)))
  assert.equal(new Set(claims).size, claims.length)
  assert.equal(claims.length, 3 * ids.length)
  await assertLayout(inner)
})

test('claims that expired leave no entries that releaseStale reads again and again', async () => {
  const clock = new TestClock()
  const inner = limited(await openStore('memory:'), 1)
  const options = { now: clock.now, claimTtlMs: 60_000 }
  await using own = new TaskManager(inner, options)
  const ids = await own.submitMany(Array.from({ length: 20 }, () => ({ payload })))
  for (const id of ids) {
    const { claimToken } = await own.claim(id, 'worker-a')
    const dying = flaky(inner, { failAfter: 2, crash: true })
    const dead = new TaskManager(dying, { now: clock.now })
    await dead.complete(id, null, { claimToken }).catch(() => {})
  }
  clock.ms += 60_000
  const store = counted(inner)
  await using manager = new TaskManager(store, options)
  assert.equal(await manager.releaseStale(), 0)
  store.reset()
  assert.equal(await manager.releaseStale(), 0)
  assert.deepEqual([store.counts.get, store.counts.commit], [0, 0])
  await assertLayout(inner)
})

describe('tasks that a manager can not read', () => {
  const words = {
    '~standard': {
      version: 1 as const,
      vendor: 'test',
      validate: (value: unknown) => ({ value: value as string }),
    },
  }

  for (const [kind, wrap] of Object.entries(kinds))
    test(`are passed over, and read again seldom, where ${kind}`, async () => {
      standStill()
      const inner = await openStore('memory:')
      const alien = await submit(inner, 400)
      const typed = new TaskManager(inner, { payload: words })
      const id = await typed.submit({ payload: 'hello' })
      const store = counted(inner)
      const warnings: string[] = []
      const manager = new TaskManager(altered(store, { limits: wrap(inner).limits }), {
        payload: words,
        onWarning: (warning) => warnings.push(warning),
      })
      assert.equal((await manager.claimNext('worker-a'))?.id, id)
      assert.equal(warnings.length, alien.length)
      store.reset()
      for (let poll = 0; poll < 10; poll++) assert.equal(await manager.claimNext('worker-a'), null)
      assert.equal(store.counts.get, 0)
      assert.ok(store.counts.list <= 10 * 12, JSON.stringify(store.counts))
      const later = await typed.submit({ payload: 'again' })
      assert.equal((await manager.claimNext('worker-a'))?.id, later)
      // Twice as long each time.
      for (const [waitMs, reads] of [
        [10_000, 400],
        [10_000, 0],
        [10_000, 400],
      ] as const) {
        vi.advanceTimersByTime(waitMs)
        store.reset()
        assert.equal(await manager.claimNext('worker-a'), null)
        assert.equal(store.counts.get, reads)
      }
    })

  for (const [kind, wrap] of Object.entries(kinds))
    test(`are had by others who can, at the same moment, where ${kind}`, async () => {
      for (let round = 0; round < 20; round++) {
        const store = wrap(flaky(await openStore('memory:'), { delayMsMax: 1, seed: round }))
        const [raw, typed] = [new TaskManager(store), new TaskManager(store, { payload: words })]
        const id = await raw.submit({ payload: bytes('no JSON') })
        const [none, task] = await Promise.all([
          typed.claimNext('worker-a'),
          raw.claimNext('worker-b'),
        ])
        assert.equal(none, null)
        assert.equal(task?.id, id)
      }
    })

  for (const writes of [1, 2, 3, 1000])
    for (const status of ['pending', 'completed', 'failed'] as const)
      test(`are deleted by their id with their key, when ${status}, with ${writes} writes a commit`, async () => {
        const store = limited(await openStore('memory:'), writes)
        const [raw, typed] = [new TaskManager(store), new TaskManager(store, { payload: words })]
        const id = await raw.submit({ payload: bytes('no'), idempotencyKey: 'k', maxAttempts: 1 })
        if (status !== 'pending') await raw.claim(id, 'worker-a')
        if (status === 'completed') await raw.complete(id)
        if (status === 'failed') await raw.fail(id, 'no')
        const error = await typed.get(id).catch((thrown: TaskError) => thrown)
        assert.match((error as TaskError).message, /delete\(id\) removes the task and its key/)
        await typed.delete(id)
        for await (const { key } of store.list('tasks')) assert.fail(key)
        assert.notEqual(await typed.submit({ payload: 'x', idempotencyKey: 'k' }), id)
      })

  test('are not claimed while they are deleted', async () => {
    const store = limited(await openStore('memory:'), 1)
    const [raw, typed] = [new TaskManager(store), new TaskManager(store, { payload: words })]
    const id = await raw.submit({ payload: bytes('no'), idempotencyKey: 'k' })
    let commits = 0
    const slow = altered(store, {
      commit: async (given) => {
        if (commits++ > 0) {
          assert.equal(await raw.claimNext('worker-a'), null)
          await assert.rejects(raw.claim(id, 'worker-a'), { code: 'TASK_NOT_FOUND' })
        }
        return store.commit(given)
      },
    })
    await new TaskManager(slow, { payload: words }).delete(id)
    assert.ok(commits > 2)
    await assert.rejects(typed.get(id), { code: 'TASK_NOT_FOUND' })
    for await (const { key } of store.list('tasks')) assert.fail(key)
  })

  test('are read again after a while: somebody may have put them right', async () => {
    standStill()
    const store = await openStore('memory:')
    const manager = new TaskManager(store)
    const place = '000001700000000000-x'.slice(3)
    const key = `tasks/status/pending/${place}`
    await store.commit([create(key, bytes('')), create('tasks/task/x', bytes('garbage'))])
    assert.equal(await manager.claimNext('worker-a'), null)
    const entry = await store.get('tasks/task/x')
    assert.ok(entry)
    const createdAt = new Date(1_700_000_000_000).toISOString()
    const task = { id: 'x', payload: '', status: 'pending', attempts: 0, createdAt }
    await store.commit([{ type: 'update', ...entry, value: bytes(JSON.stringify(task)) }])
    assert.equal(await manager.claimNext('worker-a'), null)
    vi.advanceTimersByTime(10_000)
    assert.equal((await manager.claimNext('worker-a'))?.id, 'x')
  })
})
