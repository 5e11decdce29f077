import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import type { ClientError } from '../../src/client/index.ts'
import { Ground } from './ground.ts'

const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

describe('lists', () => {
  test('by cursor and by offset, in pages of any size', async () => {
    await using ground = await Ground.open()
    const { jobs, list, plan } = ground.client
    for (let n = 0; n < 7; n++) {
      await jobs.submit({ payload: n })
      await list.add({ text: `task ${n}` })
      await plan.start({ directory: `/home/ann/${n}` })
    }
    const page = await jobs.list({ limit: 3 })
    assert.equal(page.items.length, 3)
    assert.equal((await page.next?.())?.items.length, 3)
    assert.deepEqual(
      (await jobs.list({ limit: 3, cursor: page.cursor ?? undefined })).items,
      (await page.next?.())?.items,
    )
    const payloads = (await collect(jobs.list.all({ limit: 2 }))).map(({ payload }) => payload)
    assert.deepEqual(payloads, [0, 1, 2, 3, 4, 5, 6])
    const pages = await collect(list.query.pages({ limit: 3 }))
    assert.deepEqual(
      pages.map(({ items, total }) => [items.length, total]),
      [
        [3, 7],
        [3, 7],
        [1, 7],
      ],
    )
    assert.equal((await collect(plan.list.all({ limit: 4 }))).length, 7)
    assert.equal((await collect(list.tags.all())).length, 0)
  })

  test('of more than 4 MB come page by page, and nothing of them is missing', async () => {
    await using ground = await Ground.open()
    const { list } = ground.client
    const text = 'x'.repeat(60_000)
    for (let n = 0; n < 100; n++) await list.add({ text: `${n} ${text}` })
    const pages = await collect(list.query.pages({ limit: 1000 }))
    assert.ok(pages.length > 1)
    assert.equal(new Set(pages.flatMap(({ items }) => items.map(({ id }) => id))).size, 100)
  })

  test('go on after an answer in between is lost, with nothing twice', async () => {
    await using ground = await Ground.open()
    const { jobs } = ground.client
    for (let n = 0; n < 6; n++) await jobs.submit({ payload: n })
    ground.relay.faults.push(null, 'halve', null, { status: 502 })
    const payloads = (await collect(jobs.list.all({ limit: 2 }))).map(({ payload }) => payload)
    assert.deepEqual(payloads, [0, 1, 2, 3, 4, 5])
  })

  test('are read no further than somebody looks', async () => {
    await using ground = await Ground.open()
    const { jobs } = ground.client
    for (let n = 0; n < 6; n++) await jobs.submit({ payload: n })
    ground.relay.seen.length = 0
    for await (const { payload } of jobs.list.all({ limit: 2 })) if (payload === 2) break
    assert.equal(ground.relay.seen.length, 2)
  })
})

describe('a plan of more than 4 MB', () => {
  const description = 'x'.repeat(60_000)
  const tasksOf = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => ({ title: `task ${from + n}`, description }))

  test('is read as a whole, after a change as well', async () => {
    await using ground = await Ground.open()
    const { plan } = ground.client
    const { sid } = (await plan.start({ directory: '/home/ann' })).session
    for (let n = 0; n < 90; n += 10) await plan.addTasks({ sid, tasks: tasksOf(n, 10) })
    const before = ground.relay.seen.length
    assert.equal((await plan.plan({ sid })).tasks.length, 90)
    assert.equal(ground.relay.seen.length, before + 2)
    assert.equal((await plan.plan({ sid, limit: 5 })).tasks.length, 5)
    const { tasks } = await plan.setGoal({ sid, title: 'Ship' })
    assert.equal(tasks.length, 90)
    ground.relay.faults.push(null, 'drop', 'drop', 'drop', 'drop')
    const lost = plan.updateGoal({ sid, title: 'Ship it', reason: 'words' })
    await assert.rejects(lost, (error: ClientError) => {
      assert.equal(error.code, 'unknown_outcome')
      assert.match(error.message, /was made/)
      return true
    })
    assert.equal((await plan.goal({ sid })).title, 'Ship it')
  })
})
