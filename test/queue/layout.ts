import assert from 'node:assert/strict'
import type { Task } from '../../src/queue/index.ts'
import { tagIn, tagOf } from '../../src/queue/type-tag.ts'
import type { Store } from '../../src/store/index.ts'

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

const minute = (time: string): string =>
  String(Math.floor(Date.parse(time) / 60_000)).padStart(10, '0')

/** What stands in the indexes, and what should by the tasks: worked out by hand, not by what is tested. */
async function indexesOf(store: Store) {
  const there = new Map<string, string>()
  const implied = new Map<string, string>()
  for await (const { key, value } of store.scan('qo')) {
    const [, folder] = key.split('/')
    if (folder === 'ready' || folder === 'leases' || folder === 'holdfast')
      there.set(key, text(value))
    if (folder !== 'tasks') continue
    const task = JSON.parse(text(value)) as Task
    const { id, shard, status, available_at, lease_expires_at, task_type } = task
    assert.equal(key, `qo/tasks/${shard}/${id}.json`)
    assert.equal(shard, id.charAt(0))
    if (status === 'pending')
      implied.set(`qo/ready/${shard}/${minute(available_at)}/${id}`, task_type)
    const isByType = task.updated_at !== task.created_at || tagIn(id) !== tagOf(task_type)
    if (status === 'pending' && isByType)
      implied.set(`qo/holdfast/strays/${tagOf(task_type)}/${minute(available_at)}/${id}`, task_type)
    if (status === 'running')
      implied.set(`qo/leases/${shard}/${minute(lease_expires_at as string)}/${id}`, task_type)
  }
  return { there, implied }
}

const sorted = (map: ReadonlyMap<string, string>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1))

/** The indexes are exactly what the tasks say. */
export async function assertLayout(store: Store): Promise<void> {
  const { there, implied } = await indexesOf(store)
  assert.deepEqual(sorted(there), sorted(implied))
}

/** There may be an entry too many, never one too few. */
export async function assertNoneMissing(store: Store): Promise<void> {
  const { there, implied } = await indexesOf(store)
  for (const [key, type] of implied) assert.equal(there.get(key), type, `${key} is missing`)
}

/** The stored JSON of a task. */
export async function storedTask(store: Store, id: string): Promise<Record<string, unknown>> {
  const entry = await store.get(`qo/tasks/${id.charAt(0)}/${id}.json`)
  assert.ok(entry, `there is no task ${id}`)
  return JSON.parse(text(entry.value))
}
