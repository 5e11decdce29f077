import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { TaskManager } from '../../src/jobs/index.ts'
import { limited, openStore } from '../../src/store/index.ts'
import { altered } from '../store/altered.ts'
import { bytes } from './kit.ts'
import { assertLayout } from './layout.ts'

describe('repair beside a submission that is under way', () => {
  for (const writes of [1, 2, 3, 4, 1000])
    test(`takes nothing away from it, with ${writes} writes a commit`, async () => {
      const store = limited(await openStore('memory:'), writes)
      let repairing: Promise<unknown> = Promise.resolve()
      const slow = altered(store, {
        commit: async (given) => {
          if (given.some(({ key }) => key.startsWith('tasks/task/'))) {
            repairing = new TaskManager(store).repair({ graceMs: 400 })
            await sleep(100)
          }
          return store.commit(given)
        },
      })
      const id = await new TaskManager(slow).submit({ idempotencyKey: 'k', payload: bytes('x') })
      await repairing
      await assertLayout(store)
      assert.equal((await new TaskManager(store).claimNext('worker-a'))?.id, id)
    })
})
