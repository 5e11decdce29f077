import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import {
  type ClaimantOptions,
  type Task,
  type TaskError,
  TaskFailedError,
  TaskManager,
  TaskNotClaimedError,
  WrongWorkerError,
} from '../../src/jobs/index.ts'
import { limited, openStore, type Store } from '../../src/store/index.ts'
import { bytes, TestClock } from './kit.ts'

const claimTtlMs = 1_000

const kinds: Readonly<Record<string, (store: Store) => Store>> = {
  'a store with transactions': (store) => store,
  'a store with one write per commit': (store) => limited(store, 1),
}

/** What becomes of the task after the claim expired, and how its holder is refused then. */
const afterwards: Readonly<
  Record<
    string,
    {
      maxAttempts: number
      happens: (manager: TaskManager, id: string) => Promise<unknown>
      refusal: new (...args: never[]) => TaskError
    }
  >
> = {
  'is pending': { maxAttempts: 0, happens: async () => {}, refusal: TaskNotClaimedError },
  'is claimed by another': {
    maxAttempts: 0,
    happens: (manager, id) => manager.claim(id, 'worker-b'),
    refusal: WrongWorkerError,
  },
  'is claimed by a worker of the same name': {
    maxAttempts: 0,
    happens: (manager, id) => manager.claim(id, 'worker-a'),
    refusal: WrongWorkerError,
  },
  'has failed': { maxAttempts: 1, happens: async () => {}, refusal: TaskFailedError },
}

const partsOf = ({ claimToken, attempts }: Task): Readonly<Record<string, ClaimantOptions>> => ({
  'worker and attempt': { workerId: 'worker-a', attempt: attempts },
  'its token': { claimToken },
  'all of them': { workerId: 'worker-a', attempt: attempts, claimToken },
})

for (const [kind, wrap] of Object.entries(kinds))
  describe(`a worker whose claim expired is told so, on ${kind}`, () => {
    for (const [name, { maxAttempts, happens, refusal }] of Object.entries(afterwards))
      test(`when the task ${name}`, async () => {
        const clock = new TestClock()
        const store = wrap(await openStore('memory:'))
        await using manager = new TaskManager(store, { now: clock.now, claimTtlMs })
        const id = await manager.submit({ payload: bytes('x'), maxAttempts })
        const claimed = await manager.claim(id, 'worker-a')
        clock.ms += claimTtlMs
        assert.equal(await manager.releaseStale(), 1)
        await happens(manager, id)
        for (const claim of Object.values(partsOf(claimed))) {
          const error = await manager.complete(id, bytes('late'), claim).catch((thrown) => thrown)
          assert.ok(error instanceof refusal, String(error))
          assert.match(error.message, /The claim of worker worker-a expired after 1000 ms\./)
          assert.doesNotMatch(error.message, /Call claim\(\) first/)
        }
      })
  })
