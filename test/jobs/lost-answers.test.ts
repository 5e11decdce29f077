import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { type Submission, TaskManager } from '../../src/jobs/index.ts'
import { limited, openStore, type Store, StoreError, type Write } from '../../src/store/index.ts'
import { altered } from '../store/altered.ts'
import { bytes } from './kit.ts'
import { assertLayout } from './layout.ts'

const payload = bytes('x')

const submissions: Readonly<Record<string, Submission>> = {
  'without a key': { payload },
  'with a key': { payload, idempotencyKey: 'k' },
  'with an id': { payload, id: 'mine' },
  'with an id and a key': { payload, id: 'mine', idempotencyKey: 'k' },
}

/** What a worker does with the task before the submitter can look. */
const workers: Readonly<Record<string, (manager: TaskManager, id: string) => Promise<unknown>>> = {
  claims: async () => {},
  fails: (manager, id) => manager.fail(id, 'again'),
  'fails for good': (manager, id) => manager.fail(id, 'broken'),
  completes: (manager, id) => manager.complete(id),
  'completes and deletes': async (manager, id) => {
    await manager.complete(id)
    await manager.delete(id)
  },
}

/** A store that loses the answer of its n-th commit; something happens before the caller hears of that. */
function losing(store: Store, nth: number, happen: () => Promise<unknown>) {
  const seen = { commits: 0 }
  const failing = altered(store, {
    commit: async (writes) => {
      const result = await store.commit(writes)
      if (++seen.commits !== nth) return result
      await happen()
      throw new StoreError('lost_answer', 'The answer is lost.', 'Read, then decide.')
    },
  })
  return { failing, seen }
}

for (const writes of [1, 2, 3, 1000])
  describe(`a submission whose answer is lost, with ${writes} writes a commit`, () => {
    for (const [kind, submission] of Object.entries(submissions))
      for (const [what, act] of Object.entries(workers))
        test(`${kind}, while a worker ${what}: it is done once, and never said to exist already`, async () => {
          for (let nth = 1; ; nth++) {
            const store = limited(await openStore('memory:'), writes)
            const worker = new TaskManager(store)
            let runs = 0
            const { failing, seen } = losing(store, nth, async () => {
              const task = await worker.claimNext('worker-a')
              if (task === null) return
              runs++
              await act(worker, task.id)
            })
            const maxAttempts = what === 'fails for good' ? 1 : 0
            const given = { ...submission, maxAttempts }
            const outcome = await new TaskManager(failing).ensure(given).catch((thrown) => thrown)
            if (seen.commits < nth) break
            if (outcome instanceof Error)
              assert.equal((outcome as StoreError).code, 'unknown_outcome', `${nth}: ${outcome}`)
            else {
              assert.equal(outcome.isNew, true)
              assert.deepEqual(outcome.task, await worker.get(outcome.task.id))
            }
            if (outcome instanceof Error) assert.equal(what, 'completes and deletes', `${outcome}`)
            const { tasks } = await worker.list()
            const left = tasks.filter(({ attempts }) => attempts === 0)
            assert.equal(runs + left.length, 1, `${nth}: ${runs} runs, ${left.length} to come`)
            await worker.repair({ graceMs: 0 })
            await assertLayout(store)
          }
        })
  })

for (const writes of [1, 2, 3])
  describe(`a submission whose answer is lost, when its task was done and its key is taken, with ${writes} writes a commit`, () => {
    for (const isDeleted of [true, false])
      test(`does not bring it again (${isDeleted ? 'deleted' : 'half deleted'})`, async () => {
        const store = limited(await openStore('memory:'), writes)
        const isTask = ({ key }: Write) => key.startsWith('tasks/task/')
        const down = () => new StoreError('down', 'The store is away.', 'Try again.')
        /** Does nothing that comes with such a write. */
        const without = (isIt: (write: Write) => boolean) =>
          new TaskManager(
            altered(store, {
              commit: (given) => (given.some(isIt) ? Promise.reject(down()) : store.commit(given)),
            }),
          )
        const submission = { payload, idempotencyKey: 'k' }
        const worker = new TaskManager(store)
        let id = ''
        const failing = altered(store, {
          commit: async (given) => {
            const result = await store.commit(given)
            if (id !== '' || !given.some(isTask)) return result
            id = (await worker.claimNext('worker-a'))?.id as string
            await worker.complete(id)
            const deleter = without(
              (write) => !isDeleted && isTask(write) && write.type === 'remove',
            )
            await deleter.delete(id).catch((error) => assert.equal(isDeleted, false, error))
            // Its process is killed once it has the key.
            await assert.rejects(without(isTask).submit(submission))
            throw new StoreError('lost_answer', 'The answer is lost.', 'Read, then decide.')
          },
        })
        const outcome = new TaskManager(failing).ensure(submission)
        if (isDeleted) await assert.rejects(outcome, { code: 'unknown_outcome' })
        else assert.deepEqual([(await outcome).task.id, (await outcome).isNew], [id, true])
        assert.equal(await worker.claimNext('worker-a'), null)
        assert.notEqual(await worker.submit(submission), id)
      })
  })
