import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { beforeAll, describe, test } from 'vitest'
import { TaskList } from '../../src/list/index.ts'
import { counted, remove, type Store } from '../../src/store/index.ts'
import { sized } from '../size.ts'
import { assertTagLists } from './layout.ts'
import { filled } from './planted.ts'

/** With fewer tasks there are fewer tags: each has 4,000 tasks in any case. `npm run soak -- list` has them all. */
const [many, tagsOfMany] = [sized(20_000, 100_000), sized(10, 50)]
const manyTasks = `${many.toLocaleString('en')} tasks`

describe('what an operation touches grows with its answer, not with the store', () => {
  let small: Store
  let large: Store
  beforeAll(async () => {
    small = await filled(1_000, tagsOfMany)
    large = await filled(many, tagsOfMany)
  })

  const costs = async (operate: (tasks: TaskList) => Promise<unknown>) => {
    const both = [counted(small), counted(large)]
    for (const store of both) await operate(new TaskList(store))
    return both.map(({ counts }) => ({ ...counts }))
  }

  test(`${manyTasks}: ls --all of two tags reads two lists and the ten tasks`, async () => {
    const [few, same] = await costs((tasks) => tasks.query({ all: ['rare', 'rarer'] }))
    assert.deepEqual(few, same)
    assert.equal(same?.get, 2 + 10)
    assert.ok((same?.entries ?? 0) <= 2, JSON.stringify(same))
  })

  test(`${manyTasks}: a prefix is resolved by the keys that start so`, async () => {
    const id = createHash('sha512')
      .update(String(many + 5))
      .digest('hex')
    await new TaskList(large).get(id)
    const store = counted(large)
    assert.equal(await new TaskList(store).resolve(id.slice(0, 10)), id)
    assert.ok(store.counts.get <= 1 && store.counts.entries === 1, JSON.stringify(store.counts))
    store.reset()
    await new TaskList(store).resolve(id)
    assert.deepEqual([store.counts.get, store.counts.list, store.counts.entries], [1, 0, 0])
  })

  test(`${manyTasks}: add, done and rm cost what they cost with 1,000`, async () => {
    const [few, same] = await costs(async (tasks) => {
      const { id } = await tasks.add('one more', ['rare', 'new'])
      await tasks.update(id, { done: true })
      await tasks.delete(id)
    })
    assert.deepEqual(few, same)
  })

  test(`${manyTasks}: adding to a tag of thousands rewrites one list of bounded length`, async () => {
    let largest = 0
    const watched = counted(large)
    const commit = watched.commit.bind(watched)
    watched.commit = (writes) => {
      for (const write of writes)
        if (write.type !== 'remove') largest = Math.max(largest, write.value.byteLength)
      return commit(writes)
    }
    const { id } = await new TaskList(watched).add('one more', ['tag7'])
    assert.ok(largest <= 500 * 129, `${largest} bytes`)
    assert.ok(
      watched.counts.writes === 2 && watched.counts.entries <= 2,
      JSON.stringify(watched.counts),
    )
    await new TaskList(large).delete(id)
  })

  test('an index that is gone is rebuilt with one write for each list, and a read or two for each task', async () => {
    await using store = counted(await filled(3_000, 50))
    for await (const head of store.list('utask_tags')) await store.commit([remove(head)])
    store.reset()
    const { tasks, tags, added } = await new TaskList(store).rebuildIndex()
    assert.deepEqual([tasks, tags, added], [3_010, 52, 3_010 * 2])
    await assertTagLists(store)
    assert.ok(store.counts.commit <= 52 + 10, JSON.stringify(store.counts))
    assert.ok(store.counts.get < 5 * 3_010 + 500, JSON.stringify(store.counts))
  })
})
