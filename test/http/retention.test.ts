import assert from 'node:assert/strict'
import { test, vi } from 'vitest'
import { openStore, type Store } from '../../src/store/index.ts'
import { type RestoredTask, type Task, TaskTree } from '../../src/tree/index.ts'
import { Caller, served } from './served.ts'

const dayMs = 86_400_000
const treeAgo = (store: Store, days: number) =>
  new TaskTree(store, { now: () => Date.now() - days * dayMs })

/** A task that was closed so many days ago. */
async function closed(store: Store, title: string, days: number): Promise<string> {
  const tree = treeAgo(store, days)
  const { id } = await tree.create({ title })
  await tree.claim(id, 'ann')
  await tree.complete(id, 'ann', { skip_review: true })
  return id
}

const soon = { timeout: 20_000, interval: 20 }

test('a server hides what is old at its start and from time to time; restore brings back', async () => {
  await using store = await openStore('memory:')
  const [old, young] = [await closed(store, 'old', 31), await closed(store, 'young', 29)]
  await using serving = await served(store, { maintenanceMs: 20 })
  const api = await Caller.to(serving.url)
  const listed = async (query = '') =>
    (await api.get<Task[]>(`/api/tasks${query}`)).body.map(({ title }) => title).sort()
  assert.deepEqual(await listed(), ['young'])
  assert.deepEqual(await listed('?include_deleted=true'), ['old', 'young'])
  assert.notEqual((await api.get(`/api/tasks/${old}`)).body.deleted_at, null)
  const before = Date.now()
  const restored = await api.done('POST', `/api/tasks/${old}/restore`, { agent: 'ann' })
  assert.equal(restored.deleted_at, null)
  assert.ok(Date.parse(restored.updated_at) >= before)
  assert.deepEqual(await listed(), ['old', 'young'])
  const late = await closed(store, 'late', 31)
  await vi.waitFor(
    async () => assert.notEqual((await api.get(`/api/tasks/${late}`)).body.deleted_at, null),
    soon,
  )
  assert.equal((await api.get(`/api/tasks/${young}`)).body.deleted_at, null)
})

test('restore brings back what was hidden together, and says how many', async () => {
  await using store = await openStore('memory:')
  const tree = treeAgo(store, 31)
  const { id: epic } = await tree.create({ title: 'epic' })
  const parts = await Promise.all(
    ['a', 'b'].map((title) => tree.create({ title, parent_id: epic })),
  )
  for (const id of [...parts.map((part) => part.id), epic]) {
    await tree.claim(id, 'ann')
    await tree.complete(id, 'ann', { skip_review: true })
  }
  await using serving = await served(store)
  const api = await Caller.to(serving.url)
  const path = `/api/tasks/${epic}/restore`
  const hidden = await api.get(`/api/tasks/${epic}`)
  assert.notEqual(hidden.body.deleted_at, null)
  const headers = { 'If-Match': '"9-0"' }
  assert.equal((await api.ask('POST', path, { agent: 'ann', headers })).status, 412)
  const restored = await api.ask<RestoredTask>('POST', path, { agent: 'ann' })
  assert.deepEqual([restored.body.restored, restored.body.restored_below], [3, 2])
  assert.equal((await api.get<Task[]>('/api/tasks')).body.length, 3)
  const again = await api.ask<RestoredTask>('POST', path, { agent: 'ann' })
  assert.deepEqual([again.body.restored, again.headers.get('x-changed')], [0, 'false'])
})

test('a server removes for good what was hidden for long', async () => {
  await using store = await openStore('memory:')
  const [kept, gone] = [await closed(store, 'kept', 31), await closed(store, 'gone', 40)]
  await treeAgo(store, 8).maintain()
  await using serving = await served(store, { maintenanceMs: 20 })
  const api = await Caller.to(serving.url)
  assert.equal((await api.get(`/api/tasks/${gone}`)).status, 404)
  assert.notEqual((await api.get(`/api/tasks/${kept}`)).body.deleted_at, null)
  await using hasty = await served(store, { maintenanceMs: 20, softDeleteDays: 0 })
  await vi.waitFor(
    async () => assert.equal((await api.get(`/api/tasks/${kept}`)).status, 404),
    soon,
  )
  assert.ok(hasty.url)
})
