import { create, openStore, type Store, type Write } from '../../src/store/index.ts'

const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
const start = Date.parse('2026-01-01T00:00:00Z')

/** The id of the n-th task. */
export const idOf = (n: number): string => {
  const ms = (start + n).toString(16).padStart(12, '0')
  const rest = n.toString(16).padStart(12, '0')
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-${rest}`
}

/** How deep the spine is: the tasks 0 to 12, each below the one before. */
export const depth = 12
/** How many tasks are claimed. */
export const activeCount = 16

/**
 * So many tasks: the spine, and then families of ten, one parent with nine children; the first families have
 * one child in progress each. Written by hand, since 100,000 creations take a while.
 */
export async function planted(count: number): Promise<Store> {
  const store = await openStore('memory:')
  const writes: Write[] = []
  for (let n = 0; n < count; n++) {
    const family = Math.floor((n - depth - 1) / 10)
    const place = (n - depth - 1) % 10
    const parent = n === 0 || (n > depth && place === 0) ? null : n <= depth ? n - 1 : n - place
    const isActive = n > depth && place === 1 && family < activeCount
    const at = new Date(start + n).toISOString()
    const [id, parent_id] = [idOf(n), parent === null ? null : idOf(parent)]
    const task = {
      id,
      parent_id,
      title: `task ${n}`,
      body: null,
      type: 'task',
      status: isActive ? 'in_progress' : 'open',
      priority: 2,
      claimed_by: isActive ? 'ann' : null,
      claimed_at: isActive ? at : null,
      grimoire_hint: null,
      grimoire: null,
      tags: [],
      created_at: at,
      updated_at: at,
      deleted_at: null,
      change: { n: 0, at, by: 'user', fields: [] },
      doomed: null,
    }
    writes.push(create(`coven/tasks/${id}`, encode(task)))
    const mark = (key: string) => writes.push(create(key, new Uint8Array()))
    if (parent_id !== null) mark(`coven/children/${parent_id}/${id}`)
    mark(isActive ? `coven/active/${parent_id}/${id}` : `coven/ready/2/${id}`)
  }
  for (let at = 0; at < writes.length; at += 1000) await store.commit(writes.slice(at, at + 1000))
  return store
}
