import assert from 'node:assert/strict'
import { test } from 'vitest'
import { TaskTree } from '../../src/tree/index.ts'
import { onEveryStore } from '../models/stores.ts'
import { assertLayout } from './layout.ts'
import { refused } from './refused.ts'

const day = 86_400_000
const start = Date.parse('2026-01-01T00:00:00Z')

onEveryStore('maintenance', { check: assertLayout }, (ground) => {
  function timed(options: { retentionDays?: number } = {}) {
    const clock = { ms: start }
    const tree = new TaskTree(ground.store, { now: () => clock.ms, ...options })
    const closed = async (title: string, parent_id: string | null = null) => {
      const { id } = await tree.create({ title, parent_id })
      await tree.claim(id, 'ann')
      await tree.complete(id, 'ann', { skip_review: true })
      return id
    }
    return { tree, clock, closed }
  }

  test('a claim older than the timeout is taken back by "system", a younger one is not', async () => {
    const { tree, clock } = timed()
    const [old, young] = [
      await tree.create({ title: 'old' }),
      await tree.create({ title: 'young' }),
    ]
    await tree.claim(old.id, 'ann')
    clock.ms += 20 * 60_000
    await tree.claim(young.id, 'bob')
    clock.ms += 11 * 60_000
    assert.deepEqual((await tree.maintain()).released, [old.id])
    const { status, claimed_by, claimed_at } = await tree.get(old.id)
    assert.deepEqual([status, claimed_by, claimed_at], ['open', null, null])
    assert.equal((await tree.get(young.id)).claimed_by, 'bob')
    const [last] = await tree.history(old.id, { field: 'status' })
    assert.equal(last?.changed_by, 'system')
    await assert.rejects(tree.complete(old.id, 'ann'), refused('INVALID_TRANSITION'))
    assert.deepEqual((await tree.maintain()).released, [])
  })

  test('closed tasks are hidden after 30 days, found by id, restored, and removed 7 days later', async () => {
    const { tree, clock, closed } = timed()
    const [gone, kept] = [await closed('gone'), await closed('kept')]
    clock.ms += 30 * day + 1
    assert.deepEqual((await tree.maintain()).softDeleted.length, 2)
    assert.deepEqual((await tree.list()).total, 0)
    assert.equal((await tree.list({ include_deleted: true })).total, 2)
    assert.notEqual((await tree.get(gone)).deleted_at, null)
    const restored = await tree.restore(kept, 'ann')
    assert.deepEqual([restored.deleted_at, Date.parse(restored.updated_at)], [null, clock.ms])
    clock.ms += 7 * day + 1
    assert.deepEqual((await tree.maintain()).hardDeleted, [gone])
    await assert.rejects(tree.get(gone), refused('TASK_NOT_FOUND'))
    assert.equal((await tree.get(kept)).status, 'closed')
  })

  test('what has an unclosed descendant is kept; a hidden task takes no children', async () => {
    const { tree, clock, closed } = timed()
    const root = await closed('root')
    const middle = await closed('middle', root)
    const leaf = await tree.create({ title: 'leaf', parent_id: middle })
    const alone = await closed('alone')
    clock.ms += 31 * day
    assert.deepEqual((await tree.maintain()).softDeleted, [alone])
    await assert.rejects(tree.create({ title: 'x', parent_id: alone }), refused('PARENT_NOT_FOUND'))
    await assert.rejects(tree.reparent(leaf.id, alone), refused('PARENT_NOT_FOUND'))
    await tree.claim(leaf.id, 'ann')
    await tree.complete(leaf.id, 'ann', { skip_review: true })
    // The leaf was closed later, so what is above it waits for it: a family is hidden together.
    assert.deepEqual((await tree.maintain()).softDeleted, [])
    clock.ms += 8 * day
    assert.deepEqual((await tree.maintain()).hardDeleted, [alone])
    clock.ms += 23 * day
    assert.equal((await tree.maintain()).softDeleted.length, 3)
    clock.ms += 8 * day
    assert.equal((await tree.maintain()).hardDeleted.length, 3)
    assert.equal((await tree.list({ include_deleted: true })).total, 0)
  })

  test('retention_days 0 hides nothing', async () => {
    const { tree, clock, closed } = timed({ retentionDays: 0 })
    await closed('a')
    clock.ms += 1000 * day
    assert.deepEqual((await tree.maintain()).softDeleted, [])
  })
})
