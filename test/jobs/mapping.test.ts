import assert from 'node:assert/strict'
import { test } from 'vitest'
import { TaskNotFoundError } from '../../src/jobs/index.ts'
import { counted } from '../../src/store/index.ts'
import { onEveryStore } from '../models/stores.ts'
import { assertRefused, Bench, bytes } from './kit.ts'
import { assertLayout } from './layout.ts'

// The rows of the specification's table; the name of a test is the words of its row.

onEveryStore('Operations Mapping', { check: assertLayout }, (ground, kind) => {
  const bench = () => new Bench(ground.store)
  const countedBench = () => {
    const store = counted(ground.store)
    return { store, own: new Bench(store) }
  }

  test('Submit() | Get() + Put() (check then create)', async () => {
    const { store, own } = countedBench()
    const id = await own.pending()
    // Key, task, and its place in two indexes. Where that took long, the key is written again.
    if (!kind.startsWith('s3')) assert.equal(store.counts.writes, 4)
    store.reset()
    const again = await own.manager.submit({ payload: bytes('y'), idempotencyKey: 'bench-1' })
    assert.equal(again, id)
    assert.deepEqual([store.counts.get, store.counts.writes], [2, 0])
  })

  test('Claim() | Get() + Put() (read-modify-write)', async () => {
    const { store, own } = countedBench()
    const id = await own.pending()
    store.reset()
    await own.manager.claim(id, 'worker-a')
    assert.deepEqual([store.counts.get, store.counts.writes, store.counts.list], [2, 3, 0])
  })

  test('Complete() | Get() + Put()', async () => {
    const { store, own } = countedBench()
    const id = await own.claimed()
    store.reset()
    await own.manager.complete(id, bytes('x'))
    assert.deepEqual([store.counts.get, store.counts.writes, store.counts.list], [2, 3, 0])
  })

  test('Fail() | Get() + Put()', async () => {
    const { store, own } = countedBench()
    const id = await own.claimed()
    store.reset()
    await own.manager.fail(id, 'x')
    assert.deepEqual([store.counts.get, store.counts.writes, store.counts.list], [2, 3, 0])
  })

  test('Get() | Get()', async () => {
    const { store, own } = countedBench()
    const id = await own.pending()
    store.reset()
    await own.manager.get(id)
    assert.deepEqual([store.counts.get, store.counts.writes, store.counts.list], [1, 0, 0])
  })

  test('List() | Keys() + multiple Get()', async () => {
    const { store, own } = countedBench()
    const ids = [await own.pending(), await own.pending(), await own.pending()]
    await own.completed()
    store.reset()
    const { tasks } = await own.manager.list('pending')
    assert.deepEqual(
      tasks.map(({ id }) => id),
      ids,
    )
    assert.deepEqual([store.counts.get, store.counts.writes, store.counts.list], [3, 0, 1])
  })

  test('Delete() | Delete() × 2 (task + idem key)', async () => {
    const own = bench()
    const id = await own.completed()
    await own.manager.delete(id)
    for await (const { key } of ground.store.list('tasks')) assert.fail(key)
    await assertRefused(own.manager.delete(id), TaskNotFoundError)
  })
})
