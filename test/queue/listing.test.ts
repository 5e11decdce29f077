import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { InvalidTaskError, Queue, type TaskPage, type TaskStatus } from '../../src/queue/index.ts'
import { counted, create, openStore, remove, type Store } from '../../src/store/index.ts'
import { onEveryStore } from '../models/stores.ts'
import { Hand } from './hand.ts'
import { assertLayout } from './layout.ts'

const encoded = (value: string): Uint8Array => new TextEncoder().encode(value)

/** All pages of a list, and how many there were. */
async function paged(queue: Queue, status: TaskStatus, limit: number) {
  const ids: string[] = []
  let pages = 0
  let cursor: string | null = null
  do {
    const page: TaskPage = await queue.list({ status, limit, cursor })
    assert.ok(page.tasks.length <= limit)
    assert.ok(page.tasks.every((task) => task.status === status))
    ids.push(...page.tasks.map(({ id }) => id))
    cursor = page.cursor
    pages++
  } while (cursor !== null)
  return { ids, pages }
}

/** Takes away what an index says of a task. */
async function unindex(store: Store, index: 'ready' | 'leases', id: string): Promise<void> {
  for await (const head of store.list(`qo/${index}`))
    if (head.key.endsWith(id)) assert.ok((await store.commit([remove(head)])).ok)
}

const uuidOf = (n: number, shard: string): string =>
  `${shard}${n.toString(16).padStart(7, '0')}-1111-4111-8111-111111111111`

/** Tasks that have ended, as another tool would write them. */
async function finish(store: Store, count: number): Promise<void> {
  const created_at = '2026-01-02T03:04:05Z'
  for (let at = 0; at < count; at += 500)
    await store.commit(
      Array.from({ length: Math.min(500, count - at) }, (_, n) => {
        const id = uuidOf(at + n, ((at + n) % 16).toString(16))
        const task = { id, task_type: 'old', status: 'completed', created_at }
        return create(`qo/tasks/${id.charAt(0)}/${id}.json`, encoded(JSON.stringify(task)))
      }),
    )
}

onEveryStore('lists by status', { check: assertLayout }, (ground) => {
  test('give each task once, also one without an entry and one with several, whatever the page', async () => {
    const queue = new Queue(ground.store)
    const hand = new Hand(ground.store)
    const made = await queue.submitMany(
      Array.from({ length: 12 }, (_, n) => ({ type: 't', delayMs: n })),
    )
    const ids = made.map(({ id }) => id)
    for (const id of ids.slice(0, 5)) await hand.claim(id)
    await hand.complete(ids[0] as string, 'done')
    const [running, pending] = [ids.slice(1, 5), ids.slice(5)]
    const [lost, unleased, doubled] = [ids[6], ids[2], ids[7]] as [string, string, string]
    await unindex(ground.store, 'ready', lost)
    await unindex(ground.store, 'leases', unleased)
    const later = [doubled, ids[0] as string, ids[1] as string]
    for (const [nth, id] of later.entries())
      await ground.store.commit([
        create(`qo/ready/${id.charAt(0)}/000000000${nth + 1}/${id}`, encoded('t')),
      ])
    for (const limit of [1, 3, 100]) {
      assert.deepEqual((await paged(queue, 'pending', limit)).ids.sort(), [...pending].sort())
      assert.deepEqual((await paged(queue, 'running', limit)).ids.sort(), [...running].sort())
    }
    const { tasks, cursor } = await queue.list({ status: 'pending' })
    assert.deepEqual(
      tasks.map(({ id }) => id),
      [...pending].reverse(),
      'newest first',
    )
    assert.equal(cursor, null)
    const shard = lost.charAt(0)
    const inShard = await queue.list({ status: 'pending', shard })
    assert.deepEqual(
      inShard.tasks.map(({ id }) => id).sort(),
      pending.filter((id) => id.startsWith(shard)).sort(),
    )
    await queue.repair()
  })
})

describe('lists of pending tasks at scale', () => {
  test('6,000 pending tasks with a stale entry, and one without any, are 6,000', async () => {
    await using store = await openStore('memory:')
    const queue = new Queue(store)
    const made = await queue.submitMany(Array.from({ length: 6_000 }, () => ({ type: 't' })))
    const ids = made.map(({ id }) => id)
    const [first, lost] = [ids[0], ids[3_000]] as [string, string]
    await store.commit([create(`qo/ready/${first.charAt(0)}/0000000001/${first}`, encoded('t'))])
    await unindex(store, 'ready', lost)
    for (const limit of [999, 1_000])
      assert.deepEqual((await paged(queue, 'pending', limit)).ids.sort(), [...ids].sort())
  })

  test('no more is read where many more tasks have ended, and those only once', async () => {
    const reads = async (ended: number) => {
      await using store = counted(await openStore('memory:'))
      const queue = new Queue(store)
      await finish(store, ended)
      const made = await queue.submitMany(Array.from({ length: 20 }, () => ({ type: 't' })))
      const read = async () => {
        store.reset()
        const { tasks } = await queue.list({ status: 'pending' })
        assert.equal(tasks.length, made.length)
        const { get, entries } = store.reset()
        assert.ok(entries <= 5_000, `${entries} keys were listed`)
        return get
      }
      return [await read(), await read()]
    }
    const few = await reads(2_000)
    assert.deepEqual(await reads(10_000), few)
    assert.deepEqual(few, [20 + 1_000, 20], 'what has ended is known by its revision')
  })

  test('20,000 pending tasks cost a few looks at the index, not one for each page', async () => {
    await using store = counted(await openStore('memory:'))
    const queue = new Queue(store)
    const made = await queue.submitMany(Array.from({ length: 20_000 }, () => ({ type: 't' })))
    store.reset()
    const { ids, pages } = await paged(queue, 'pending', 1_000)
    assert.deepEqual(ids.sort(), made.map(({ id }) => id).sort())
    const { entries, get } = store.reset()
    assert.ok(pages <= 21, String(pages))
    assert.ok(entries <= 100_000, `${entries} keys were listed`)
    assert.ok(get <= 20_000 + 256 * pages, `${get} documents were read`)
    store.reset()
    await queue.list({ status: 'pending', limit: 50 })
    assert.ok(store.counts.get <= 60, `${store.counts.get} documents for a page of 50`)
  })

  test('a task without an entry behind many that have ended comes with a later page', async () => {
    await using store = await openStore('memory:')
    const queue = new Queue(store)
    await finish(store, 5_000)
    const { id } = await queue.submit({ type: 't', id: uuidOf(9_999, 'f') })
    await unindex(store, 'ready', id)
    const first = await queue.list({ status: 'pending' })
    assert.deepEqual([first.tasks.length, first.isThroughIndex], [0, true])
    assert.deepEqual((await paged(queue, 'pending', 50)).ids, [id])
    const second = await queue.list({ status: 'pending', readMax: 100 })
    assert.notEqual(second.cursor, null)
  })

  test('a cursor that is none of such a list is refused', async () => {
    await using store = await openStore('memory:')
    const queue = new Queue(store)
    for (const cursor of ['rest-x', 'rest-', 'x'])
      await assert.rejects(queue.list({ status: 'pending', cursor }), InvalidTaskError)
    await assert.rejects(queue.list({ status: 'failed', cursor: 'rest' }), InvalidTaskError)
  })
})
