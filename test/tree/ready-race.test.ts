import assert from 'node:assert/strict'
import { test } from 'vitest'
import { openStore } from '../../src/store/index.ts'
import { TaskTree } from '../../src/tree/index.ts'
import { altered } from '../store/altered.ts'

test('a parent that gets a new child before its last one is closed is not ready in between', async () => {
  await using store = await openStore('memory:')
  const tree = new TaskTree(store)
  const parent = await tree.create({ title: 'parent' })
  const first = await tree.create({ title: 'first', parent_id: parent.id })
  let second = ''
  const slow = altered(store, {
    async *list(prefix, options) {
      yield* store.list(prefix, options)
      if (prefix !== 'coven/unfinished' || second !== '') return
      second = (await tree.create({ title: 'second', parent_id: parent.id })).id
      await tree.claim(first.id, 'ann')
      await tree.complete(first.id, 'ann', { skip_review: true })
    },
  })
  const { tasks } = await new TaskTree(slow).ready()
  assert.deepEqual(
    tasks.map(({ id }) => id),
    [second],
  )
})

test('a parent that was claimed before its last child went is not ready', async () => {
  await using store = await openStore('memory:')
  const tree = new TaskTree(store)
  const parent = await tree.create({ title: 'parent' })
  const child = await tree.create({ title: 'child', parent_id: parent.id })
  const other = await tree.create({ title: 'other' })
  let isClaimed = false
  const slow = altered(store, {
    async get(key) {
      if (key.endsWith(child.id) && !isClaimed) {
        isClaimed = true
        await tree.claim(parent.id, 'ann')
        await tree.delete(child.id, 'bob')
      }
      return store.get(key)
    },
  })
  const { tasks } = await new TaskTree(slow).ready()
  assert.ok(isClaimed)
  assert.deepEqual(
    tasks.map(({ id }) => id),
    [other.id],
  )
})
