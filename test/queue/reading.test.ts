import assert from 'node:assert/strict'
import { test } from 'vitest'
import {
  AmbiguousIdError,
  InvalidTaskError,
  Queue,
  TaskNotFoundError,
} from '../../src/queue/index.ts'
import { onEveryStore } from '../models/stores.ts'
import { Hand } from './hand.ts'
import { Bench } from './kit.ts'
import { assertLayout } from './layout.ts'

onEveryStore('reading the queue', { check: assertLayout }, (ground) => {
  test('lists are newest first, by status, type and shard, and archived ones only when asked for', async () => {
    const queue = new Queue(ground.store)
    const hand = new Hand(ground.store)
    const ids: string[] = []
    for (const type of ['a', 'b', 'a', 'b', 'a', 'a'])
      ids.push((await queue.submit({ type, input: ids.length })).id)
    await hand.claim(ids[0] as string)
    await hand.claim(ids[1] as string)
    await hand.complete(ids[1] as string, 'x')
    await hand.claim(ids[2] as string)
    await hand.complete(ids[2] as string, 'x')
    await queue.archive(ids[2] as string)
    const numbers = async (options: Parameters<Queue['list']>[0]) =>
      (await queue.list(options)).tasks.map(({ input }) => input)
    assert.deepEqual(await numbers({}), [5, 4, 3, 1, 0])
    assert.deepEqual(await numbers({ all: true }), [5, 4, 3, 2, 1, 0])
    assert.deepEqual(await numbers({ status: 'archived' }), [2])
    assert.deepEqual(await numbers({ status: 'pending' }), [5, 4, 3])
    assert.deepEqual(await numbers({ status: 'running' }), [0])
    assert.deepEqual(await numbers({ status: 'completed' }), [1])
    assert.deepEqual(await numbers({ type: 'a', all: true }), [5, 4, 2, 0])
    const shard = ids[3]?.charAt(0) as string
    const inShard = ids.flatMap((id, at) => (id.startsWith(shard) && at !== 2 ? [at] : []))
    assert.deepEqual(await numbers({ shard }), inShard.reverse())
    const paged: unknown[] = []
    let cursor: string | null = null
    do {
      const page: Awaited<ReturnType<Queue['list']>> = await queue.list({ limit: 2, cursor })
      assert.ok(page.tasks.length <= 2)
      paged.push(...page.tasks.map(({ input }) => input))
      cursor = page.cursor
    } while (cursor !== null)
    assert.deepEqual(paged, [5, 4, 3, 1, 0])
    await assert.rejects(queue.list({ limit: 0 }), InvalidTaskError)
    await assert.rejects(queue.list({ cursor: 'nonsense' }), InvalidTaskError)
  })

  test('unique prefixes are resolved, with and without dashes', async () => {
    const queue = new Queue(ground.store)
    const common = { type: 'email' }
    await queue.submit({ ...common, id: 'f47ac10b-58cc-4372-a567-0e02b2c3d479' })
    await queue.submit({ ...common, id: 'f47ac10b-58cc-4372-a567-0e02b2c3d480' })
    await queue.submit({ ...common, id: 'f47a0000-58cc-4372-a567-0e02b2c3d479' })
    assert.equal(await queue.resolve('F47A0'), 'f47a0000-58cc-4372-a567-0e02b2c3d479')
    assert.equal(await queue.resolve('f47a000058'), 'f47a0000-58cc-4372-a567-0e02b2c3d479')
    const whole = 'f47ac10b-58cc-4372-a567-0e02b2c3d480'
    assert.equal(await queue.resolve(whole), whole)
    assert.equal(await queue.resolve(whole.replaceAll('-', '')), whole)
    await assert.rejects(queue.resolve('f47ac10b'), (error) => {
      assert.ok(error instanceof AmbiguousIdError)
      assert.equal(error.count, 2)
      assert.equal(error.candidates.length, 2)
      return true
    })
    await assert.rejects(queue.resolve('0000'), TaskNotFoundError)
    await assert.rejects(queue.resolve('f47'), InvalidTaskError)
    await assert.rejects(queue.resolve('xyz1'), InvalidTaskError)
  })

  test('stats count by status and type, and name types that nobody handles', async () => {
    const bench = new Bench(ground.store)
    const { queue } = bench
    await queue.submitMany([{ type: 'a' }, { type: 'a' }, { type: 'b', delayMs: 60_000 }])
    await new Hand(ground.store).claim((await queue.submit({ type: 'a' })).id)
    const stats = await queue.stats()
    assert.equal(stats.total, 4)
    assert.deepEqual([stats.by_status.pending, stats.by_status.running], [3, 1])
    assert.deepEqual([stats.by_type['a']?.pending, stats.by_type['b']?.pending], [2, 1])
    assert.deepEqual(stats.unhandled_types, ['a', 'b'])
  })
})
