import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { Counts } from '../../../src/http/queue/counts.ts'
import { Queue } from '../../../src/queue/index.ts'
import { openStore } from '../../../src/store/index.ts'
import { opened } from './served.ts'

describe('the counts of the queue', () => {
  test('an answer says in Age how old they are', async () => {
    await using store = await openStore('memory:')
    const { api, serving } = await opened(store)
    await using _ = serving
    assert.match((await api.get('/api/queue/stats')).headers.get('age') ?? '', /^\d+$/)
  })

  test('counts that take long are given again, with the time at which they were begun', async () => {
    await using store = await openStore('memory:')
    const queue = new Queue(store)
    // It takes as long as with many tasks.
    const stats = queue.stats.bind(queue)
    queue.stats = async (options) => {
      await sleep(100)
      return stats(options)
    }
    const counts = new Counts(queue)
    const from = performance.now()
    const first = await counts.now()
    assert.ok(first.startedAt >= from && first.startedAt <= performance.now() - 90)
    await queue.submit({ type: 'x' })
    assert.deepEqual(await counts.now(), first)
    counts.forget()
    const later = await counts.now()
    assert.equal(later.stats.total, 1)
    assert.ok(later.startedAt > first.startedAt)
    await queue.close()
  })
})
