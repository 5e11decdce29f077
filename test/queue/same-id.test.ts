import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { Queue, TaskExistsError } from '../../src/queue/index.ts'
import { limited, openStore } from '../../src/store/index.ts'
import { between } from '../store/altered.ts'

const id = 'aaaaaaaa-0000-4000-8000-000000000001'
const availableAt = '2026-01-01T00:00:00.000Z'

describe('two submissions of one id, of different types', () => {
  for (const commitWritesMax of [1, 2, 3])
    test(`leave an entry of the type that won, at ${commitWritesMax} writes a commit`, async () => {
      for (let nth = 1; nth <= 8; nth++) {
        await using inner = await openStore('memory:')
        const store = limited(inner, commitWritesMax)
        const other = new Queue(store)
        const late = between(store, nth, async () => {
          await other.submit({ id, type: 'winner', availableAt })
        })
        const outcome = await new Queue(late).submit({ id, type: 'late', availableAt }).then(
          () => 'late',
          (error) => {
            assert.ok(error instanceof TaskExistsError, String(error))
            return 'winner'
          },
        )
        const { task_type } = await other.get(id)
        if (outcome === 'winner') assert.equal(task_type, 'winner')
        for await (const { value } of inner.scan('qo/ready'))
          assert.equal(new TextDecoder().decode(value), task_type, `before call ${nth}`)
      }
    })
})
