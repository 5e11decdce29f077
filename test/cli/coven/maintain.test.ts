import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'vitest'
import { TaskTree } from '../../../src/tree/index.ts'
import { cleanUp, type Desk, memoryDesk } from './desk.ts'

cleanUp()

let desk: Desk
beforeEach(() => {
  desk = memoryDesk()
})

const dayMs = 86_400_000

/** A task that was closed so many days ago. */
const closedBefore = (days: number): Promise<string> =>
  desk.withStore(async (store) => {
    const tree = new TaskTree(store, { now: () => Date.now() - days * dayMs })
    const { id } = await tree.create({ title: `closed ${days} days ago` })
    await tree.claim(id, 'ann')
    await tree.complete(id, 'ann', { skip_review: true })
    return id
  })

describe('coven maintain', () => {
  test('takes stale claims back after half an hour, and no others', async () => {
    const stale = await desk.withStore(async (store) => {
      const tree = new TaskTree(store, { now: () => Date.now() - 31 * 60_000 })
      return tree.claim((await tree.create({ title: 'old' })).id, 'ann')
    })
    const fresh = await desk.claimed()
    assert.deepEqual(await desk.lines('maintain'), [
      `Released task ${stale.id}`,
      'Maintained: 1 released, 0 soft-deleted, 0 hard-deleted',
    ])
    assert.equal((await desk.task('show', fresh.id)).status, 'in_progress')
    const [entry] = (await desk.json('task', 'history', stale.id)).data
    assert.deepEqual([entry.changed_by, entry.new_value], ['system', 'open'])
  })

  test('soft-deletes what has been closed for 30 days, which restore brings back', async () => {
    const [old, young] = [await closedBefore(31), await closedBefore(29)]
    assert.deepEqual(await desk.lines('maintain'), [
      `Soft-deleted task ${old}`,
      'Maintained: 0 released, 1 soft-deleted, 0 hard-deleted',
    ])
    assert.ok((await desk.task('show', old)).deleted_at !== null)
    assert.equal((await desk.json('task', 'list')).data[0].id, young)
    const all = await desk.lines('task', 'list', '--include-deleted')
    assert.equal(all.length, 2)
    assert.match(all[0] as string, /\(deleted\)/)
    assert.equal(await desk.coven('task', 'restore', old), `Restored task ${old}\n`)
    assert.equal((await desk.task('show', old)).deleted_at, null)
    assert.match((await desk.lines('maintain'))[0] as string, /0 soft-deleted/)
  })

  test('restore brings back what was hidden together, and says how many; what was hidden earlier stays hidden', async () => {
    const [epic, child, early] = await desk.withStore(async (store) => {
      const treeAt = (days: number) => new TaskTree(store, { now: () => Date.now() - days * dayMs })
      const add = async (title: string, parent_id: string | null = null) =>
        (await treeAt(100).create({ title, parent_id })).id
      const close = async (id: string, days: number) => {
        await treeAt(days).claim(id, 'ann')
        await treeAt(days).complete(id, 'ann', { skip_review: true })
      }
      const top = await add('epic')
      const ids = [top, await add('child', top), await add('early', top)] as const
      await close(ids[2], 36)
      await close(ids[1], 32)
      await close(ids[0], 31)
      await treeAt(5).maintain()
      return ids
    })
    assert.match((await desk.lines('maintain')).at(-1) as string, /2 soft-deleted/)
    const hidden = (await desk.task('show', early)).deleted_at
    assert.equal(
      await desk.coven('task', 'restore', epic),
      `Restored task ${epic} (and 1 children)\n`,
    )
    assert.equal((await desk.task('show', child)).deleted_at, null)
    assert.equal((await desk.task('show', early)).deleted_at, hidden)
    const { data, changed } = await desk.json('task', 'restore', epic)
    assert.deepEqual([data.restored, changed], [0, false])
    const again = await desk.json('task', 'restore', early)
    assert.deepEqual([again.data.restored, again.data.restored_below], [1, 0])
  })

  test('hard-deletes after 7 days more', async () => {
    const id = await closedBefore(40)
    await desk.withStore((store) =>
      new TaskTree(store, { now: () => Date.now() - 8 * dayMs }).maintain(),
    )
    const { kind, data } = await desk.json('maintain')
    assert.deepEqual(
      [kind, data],
      ['maintenance', { released: [], soft_deleted: [], hard_deleted: [id], completed: [] }],
    )
    assert.equal((await desk.refusal('task', 'show', id)).exit, 10)
  })

  test('retention_days: 0 switches that off', async () => {
    await closedBefore(400)
    desk.place('.coven/config.yaml', 'task_store:\n  retention_days: 0\n')
    assert.deepEqual((await desk.json('maintain')).data.soft_deleted, [])
  })

  test('names 20 of a kind at most', async () => {
    for (let at = 0; at < 22; at++) await closedBefore(31)
    const lines = await desk.lines('maintain')
    assert.equal(lines.length, 22)
    assert.equal(lines[20], 'Soft-deleted task and 2 more')
    assert.equal(await desk.coven('maintain', '--quiet'), '')
  })
})
