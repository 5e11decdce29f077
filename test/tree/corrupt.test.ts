import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { openStore, remove, type Store, update } from '../../src/store/index.ts'
import { CorruptDocumentError, TaskTree } from '../../src/tree/index.ts'
import { refused } from './refused.ts'

/** Replaces what is stored of a task. */
async function spoil(store: Store, id: string, text = '{"id":'): Promise<void> {
  const entry = await store.get(`coven/tasks/${id}`)
  assert.ok(entry)
  await store.commit([update(entry, new TextEncoder().encode(text))])
}

async function planted() {
  const store = await openStore('memory:')
  const warnings: string[] = []
  const tree = new TaskTree(store, { onWarning: (warning) => warnings.push(warning) })
  const root = (await tree.create({ title: 'root' })).id
  const child = (await tree.create({ title: 'child', parent_id: root })).id
  const leaf = (await tree.create({ title: 'leaf', parent_id: child, tags: ['x'] })).id
  return { store, tree, warnings, root, child, leaf }
}

describe('a task that can not be read', () => {
  test('is named in a warning, left out of lists, and an error when it is asked for', async () => {
    const { store, tree, warnings, child } = await planted()
    await spoil(store, child)
    assert.deepEqual(
      (await tree.list()).tasks.map(({ title }) => title),
      ['root', 'leaf'],
    )
    assert.ok(warnings.length > 0 && warnings.every((warning) => warning.includes(child)))
    await assert.rejects(tree.get(child), CorruptDocumentError)
    await assert.rejects(tree.update(child, { title: 'x' }), CorruptDocumentError)
    await assert.rejects(tree.create({ title: 'x', parent_id: child }), refused('PARENT_NOT_FOUND'))
  })

  test('does not hide what is below it, and holds up nobody', async () => {
    const { store, tree, child, leaf, root } = await planted()
    await tree.claim(leaf, 'ann')
    await spoil(store, child)
    assert.equal((await tree.get(leaf)).title, 'leaf')
    assert.deepEqual(
      (await tree.ready()).tasks.map(({ title }) => title),
      ['root'],
    )
    await tree.complete(leaf, 'ann')
    await tree.reparent(leaf, root)
    await tree.maintain()
  })

  test('is never changed by repair, and goes by its full id', async () => {
    const { store, tree, child, leaf } = await planted()
    await spoil(store, child)
    const { corrupt, orphans } = await tree.repair()
    assert.deepEqual([corrupt, orphans], [[child], 0])
    await tree.delete(child)
    assert.equal(await store.get(`coven/tasks/${child}`), null)
    // What was below it is below nothing now.
    await assert.rejects(tree.get(leaf), refused('TASK_NOT_FOUND'))
  })

  test('what is no task by its fields is corrupt, too', async () => {
    const { store, tree, leaf } = await planted()
    const entry = await store.get(`coven/tasks/${leaf}`)
    const task = JSON.parse(new TextDecoder().decode(entry?.value))
    for (const flaw of [
      { id: 'x' },
      { status: 'x' },
      { type: 'x' },
      { priority: 9 },
      { tags: 'x' },
      { tags: [1] },
      { created_at: 'x' },
      { claimed_at: 'x' },
      { change: null },
      { body: 1 },
    ]) {
      await spoil(store, leaf, JSON.stringify({ ...task, ...flaw }))
      await assert.rejects(tree.get(leaf), CorruptDocumentError, JSON.stringify(flaw))
    }
  })
})

test('indexes that are gone are rebuilt, and entries that are wrong taken away', async () => {
  const { store, tree, root, leaf } = await planted()
  await tree.claim(leaf, 'ann')
  for (const prefix of ['children', 'tags', 'ready', 'active'])
    for await (const head of store.list(`coven/${prefix}`)) await store.commit([remove(head)])
  const { missing, stale, documents } = await tree.repair()
  assert.deepEqual([documents, stale], [3, 0])
  assert.equal(missing, 2 + 1 + 2 + 1)
  assert.equal((await tree.children(root)).length, 1)
})
