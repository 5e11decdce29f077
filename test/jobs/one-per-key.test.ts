import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { pooled } from '../../src/collection/index.ts'
import { TaskManager } from '../../src/jobs/index.ts'
import { limited, openStore, type Store, StoreError, type Write } from '../../src/store/index.ts'
import { isSoak, sized } from '../size.ts'
import { altered, scheduled } from '../store/altered.ts'
import { bytes } from './kit.ts'
import { assertLayout } from './layout.ts'

const submission = { idempotencyKey: 'k', payload: bytes('x') }
const isTask = ({ key, type }: Write): boolean => type === 'create' && key.startsWith('tasks/task/')

/** Claims what is pending, completes it and deletes it, so many times. */
async function work(store: Store, times: number): Promise<string[]> {
  const manager = new TaskManager(store)
  const done: string[] = []
  for (let nth = 0; nth < times; nth++) {
    const task = await manager.claimNext('worker-a')
    if (task === null) continue
    const { claimToken } = task
    await manager.complete(task.id, null, { claimToken })
    await manager.delete(task.id)
    done.push(task.id)
  }
  return done
}

/** The tasks that somebody will yet do, or does. */
async function liveOf(store: Store): Promise<string[]> {
  const { tasks } = await new TaskManager(store).list()
  return tasks.filter(({ status }) => /pending|claimed/.test(status)).map(({ id }) => id)
}

/** What submitters and workers were told, by which the end is judged. */
class Told {
  readonly store: Store
  readonly #created: string[] = []
  readonly #done: string[] = []

  constructor(store: Store) {
    this.store = store
  }

  async submit(store: Store): Promise<void> {
    const { task, isNew } = await new TaskManager(store).ensure(submission)
    if (isNew) this.#created.push(task.id)
  }

  async work(store: Store, times: number): Promise<void> {
    this.#done.push(...(await work(store, times)))
  }

  /** What was created is either done, once, or the one live task. */
  async assertOne(): Promise<void> {
    const live = await liveOf(this.store)
    assert.ok(live.length <= 1, `${live}`)
    assert.deepEqual([...this.#done, ...live].sort(), this.#created.toSorted())
    await assertLayout(this.store)
  }
}

/** A store whose n-th read or write waits, before or after it, while something else happens. */
function stalled(
  store: Store,
  { nth, isAfter }: { nth: number; isAfter: boolean },
  happen: () => Promise<void>,
): Store {
  let calls = 0
  const stall = async <T>(call: () => Promise<T>): Promise<T> => {
    const isIt = ++calls === nth
    if (isIt && !isAfter) await happen()
    const result = await call()
    if (isIt && isAfter) await happen()
    return result
  }
  return altered(store, {
    get: (key) => stall(() => store.get(key)),
    commit: (given) => stall(() => store.commit(given)),
  })
}

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at)

for (const writes of [1, 2, 3])
  describe(`one key is one live task, with ${writes} writes a commit`, () => {
    for (const stallMs of isSoak ? [0, 300, 900] : [0, 300])
      for (const isClaimed of [false, true])
        test(`when the first submitter stalls ${stallMs} ms between key and task, while the task is brought, done, deleted and submitted again${isClaimed ? ', and a worker gets the late one' : ''}`, async () => {
          const store = limited(await openStore('memory:'), writes)
          const [second, worker, third] = [1, 2, 3].map(() => new TaskManager(store)) as [
            TaskManager,
            TaskManager,
            TaskManager,
          ]
          let [brought, again] = ['', '']
          let isStalled = false
          const slow = altered(store, {
            commit: async (given) => {
              if (isStalled || !given.some(isTask)) return store.commit(given)
              isStalled = true
              await sleep(stallMs)
              brought = await second.submit(submission)
              assert.deepEqual(await work(store, 1), [brought])
              again = await third.submit(submission)
              const result = await store.commit(given)
              if (isClaimed) await worker.claim(brought, 'worker-b')
              return result
            },
          })
          const { task, isNew } = await new TaskManager(slow).ensure(submission)
          assert.deepEqual([task.id, isNew], [again, false])
          assert.deepEqual(await liveOf(store), [again])
          await assertLayout(store)
        })

    for (const end of ['pending', 'claimed', 'completed'] as const)
      test(`once a repair has found what a late creation has left whose submitter was killed; a ${end} one`, async () => {
        const store = limited(await openStore('memory:'), writes)
        const others = new TaskManager(store)
        let [brought, again] = ['', '']
        const doomed = altered(store, {
          commit: async (given) => {
            if (brought !== '' || !given.some(isTask)) return store.commit(given)
            brought = await others.submit(submission)
            assert.deepEqual(await work(store, 1), [brought])
            again = await others.submit(submission)
            assert.equal((await store.commit(given)).ok, true)
            throw new Error('killed')
          },
        })
        // Not in the millisecond of the others: their entries are not to be the same.
        const earlier = { now: () => Date.now() - 1_000 }
        await assert.rejects(new TaskManager(doomed, earlier).ensure(submission), /killed/)
        assert.deepEqual((await liveOf(store)).sort(), [brought, again].sort())
        if (end !== 'pending') await others.claim(brought, 'worker-b')
        if (end === 'completed') await others.complete(brought, null)
        const left = end === 'completed' ? [] : [brought]
        assert.equal((await others.repair({ dryRun: true })).stale, left.length)
        assert.equal((await others.repair({ graceMs: 0 })).stale, left.length)
        assert.deepEqual(await liveOf(store), [again])
        assert.equal(await others.submit(submission), again)
        if (end !== 'completed') await assertLayout(store)
      })

    test('when its late creation gets no answer, after the task was brought, done and deleted: the key stands again', async () => {
      const store = limited(await openStore('memory:'), writes)
      const others = new TaskManager(store)
      let brought = ''
      const slow = altered(store, {
        commit: async (given) => {
          if (brought !== '' || !given.some(isTask)) return store.commit(given)
          brought = await others.submit(submission)
          assert.deepEqual(await work(store, 1), [brought])
          await store.commit(given)
          throw new StoreError('lost_answer', 'The answer was lost.', 'Read again.')
        },
      })
      const { task } = await new TaskManager(slow).ensure(submission)
      assert.equal((await others.getByIdempotencyKey('k')).id, task.id)
      assert.equal(await others.submit(submission), task.id)
      assert.deepEqual(await liveOf(store), [task.id])
      await assertLayout(store)
    })

    test('in every order of submitters, workers and deletions that all go on', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.scheduler(),
          fc.integer({ min: 2, max: 4 }),
          fc.integer({ min: 1, max: 2 }),
          async (scheduler, submitters, workers) => {
            const store = limited(await openStore('memory:'), writes)
            const open = () => limited(scheduled(store, scheduler), writes)
            const told = new Told(store)
            const all = Promise.all([
              ...Array.from({ length: submitters }, () => told.submit(open())),
              ...Array.from({ length: workers }, () => told.work(open(), 3)),
            ])
            await scheduler.waitFor(all)
            await told.assertOne()
          },
        ),
        { numRuns: sized(40, 400) },
      )
    })

    test('wherever two submitters stall, while the others go on', async () => {
      const places = isSoak ? range(1, 14) : [1, 4, 5, 6]
      for (const isAfter of [false, true])
        for (const first of range(1, 14)) {
          let isReached = false
          await pooled(places, async (second) => {
            const told = new Told(limited(await openStore('memory:'), writes))
            const { store } = told
            const others = async () => {
              isReached = true
              const inner = async () => {
                await told.work(store, 1)
                await told.submit(store)
              }
              await told.submit(stalled(store, { nth: second, isAfter }, inner))
              await told.work(store, 1)
              await told.submit(store)
            }
            await told.submit(stalled(store, { nth: first, isAfter }, others))
            await told.assertOne()
          })
          if (!isReached) break
        }
    })
  })
