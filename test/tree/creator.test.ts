import assert from 'node:assert/strict'
import { test } from 'vitest'
import { type Store, update } from '../../src/store/index.ts'
import { TaskTree } from '../../src/tree/index.ts'
import { onEveryStore } from '../models/stores.ts'
import { assertLayout } from './layout.ts'

async function keysBelow(store: Store, prefix: string): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of store.list(prefix)) keys.push(key)
  return keys
}

/** Rewrites a stored task as an older version of the program would have left it. */
async function forgetCreator(store: Store, id: string): Promise<void> {
  const entry = await store.get(`coven/tasks/${id}`)
  const { created_by: _, ...rest } = JSON.parse(Buffer.from(entry!.value).toString())
  await store.commit([update(entry!, Buffer.from(JSON.stringify(rest)))])
}

onEveryStore('the creator of a task', { check: assertLayout }, (ground) => {
  test('is what the first entry of its history says, whatever happens to it later', async () => {
    const tree = new TaskTree(ground.store)
    const root = await tree.create({ title: 'root' }, 'ann')
    const { id, created_at } = await tree.createSubtask(root.id, { title: 'sub' }, 'bob')
    const first = {
      task_id: id,
      field: 'created_by',
      old_value: '',
      new_value: 'bob',
      changed_at: created_at,
      changed_by: 'bob',
    }
    assert.deepEqual(await tree.history(id), [first])
    await tree.claim(id, 'cy')
    // It costs no write of its own.
    assert.deepEqual(await keysBelow(ground.store, `coven/history/${id}`), [])
    await tree.reparent(id, null, 'dan')
    await tree.block(id, 'cy')
    const other = new TaskTree(await ground.open())
    const history = await other.history(id)
    assert.deepEqual(history.at(-1), first)
    assert.deepEqual(
      history.map(({ field }) => field),
      ['status', 'claimed_by', 'parent_id', 'status', 'claimed_by', 'created_by'],
    )
    assert.deepEqual(await other.history(id, { field: 'created_by' }), [first])
    const since = new Date(Date.parse(created_at) + 1).toISOString()
    assert.ok((await other.history(id, { since })).every(({ field }) => field !== 'created_by'))
    assert.deepEqual(
      (await other.history((await other.create({ title: 'x' })).id))[0]?.changed_by,
      'user',
    )
  })

  test('of a task that an older version wrote is known until its next change, and kept from there on', async () => {
    const tree = new TaskTree(ground.store)
    const { id } = await tree.create({ title: 'a' }, 'ann')
    await forgetCreator(ground.store, id)
    const creators = async () =>
      (await new TaskTree(await ground.open()).history(id, { field: 'created_by' })).map(
        ({ changed_by }) => changed_by,
      )
    assert.deepEqual(await creators(), ['ann'])
    await new TaskTree(await ground.open()).update(id, { title: 'b' }, 'bob')
    await new TaskTree(await ground.open()).update(id, { title: 'c' }, 'cy')
    assert.deepEqual(await creators(), ['ann'])
    await forgetCreator(ground.store, id)
    assert.deepEqual(await creators(), [])
  })
})
