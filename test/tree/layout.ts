import assert from 'node:assert/strict'
import type { Store } from '../../src/store/index.ts'

interface Stored {
  readonly id: string
  readonly parent_id: string | null
  readonly tags: readonly string[]
  readonly status: string
  readonly priority: number
  readonly updated_at: string
  readonly deleted_at: string | null
  readonly doomed: string | null
  readonly change: { readonly n: number; readonly fields: readonly unknown[] }
}

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
const hex = (time: string): string => Date.parse(time).toString(16).padStart(12, '0')
const segment = (tag: string): string => tag.replaceAll('%', '%25').replaceAll('/', '%2F')

export async function storedTasks(store: Store): Promise<Map<string, Stored>> {
  const tasks = new Map<string, Stored>()
  for await (const { key, value } of store.scan('coven/tasks')) {
    const task = JSON.parse(text(value)) as Stored
    assert.equal(key, `coven/tasks/${task.id}`)
    tasks.set(task.id, task)
  }
  return tasks
}

/** What the indexes should hold, worked out by hand. */
export function impliedKeys({ id, parent_id, ...task }: Stored): string[] {
  if (task.doomed !== null) return [`coven/doomed/${id}`]
  const keys = task.tags.map((tag) => `coven/tags/${segment(tag)}/${id}`)
  const isShown = task.deleted_at === null
  if (parent_id !== null) keys.push(`coven/children/${parent_id}/${id}`)
  if (task.status === 'open' && isShown) keys.push(`coven/ready/${task.priority}/${id}`)
  if (['in_progress', 'pending_merge'].includes(task.status))
    keys.push(`coven/active/${parent_id ?? '-'}/${id}`)
  if (task.status !== 'closed' && isShown && parent_id !== null)
    keys.push(`coven/unfinished/${parent_id}/${id}`)
  if (task.status === 'closed' && isShown) keys.push(`coven/closed/${hex(task.updated_at)}/${id}`)
  if (task.deleted_at !== null) keys.push(`coven/trash/${hex(task.deleted_at)}/${id}`)
  return keys
}

const indexes = [
  ...['tags', 'children', 'ready', 'active'],
  ...['unfinished', 'closed', 'trash', 'doomed'],
]

async function indexKeys(store: Store): Promise<string[]> {
  const keys: string[] = []
  for (const index of indexes)
    for await (const { key } of store.list(`coven/${index}`)) keys.push(key)
  return keys.sort()
}

/** No index lacks a task, whatever it may have too much. */
export async function assertNothingMissed(store: Store): Promise<void> {
  const tasks = await storedTasks(store)
  const keys = new Set(await indexKeys(store))
  for (const task of tasks.values())
    for (const key of impliedKeys(task)) assert.ok(keys.has(key), `${key} is missing`)
}

/** Every index is exactly what the tasks say, nothing is half done, and the history has no gap. */
export async function assertLayout(store: Store): Promise<void> {
  const tasks = await storedTasks(store)
  assert.deepEqual(await indexKeys(store), [...tasks.values()].flatMap(impliedKeys).sort())
  for (const { id, parent_id, doomed } of tasks.values()) {
    assert.equal(doomed, null, `${id} is deleted, but not removed`)
    assert.ok(parent_id === null || tasks.has(parent_id), `${id} has lost its parent`)
  }
  assertNoCycle(tasks)
  for await (const { key, value } of store.scan('coven/history')) {
    const [, , id, digits] = key.split('/') as [string, string, string, string]
    const change = JSON.parse(text(value)) as { n: number }
    assert.equal(Number.parseInt(digits, 16), change.n)
    const now = tasks.get(id)?.change
    assert.ok(now && change.n <= now.n, `${key} has no task that has come so far`)
    // Who dies on the way to the next change leaves the last one in both places.
    if (change.n === now.n) assert.deepEqual(change, now)
  }
  const register = await store.get('coven/meta/structure')
  if (register) assert.equal(JSON.parse(text(register.value)).intent, null)
}

export function assertNoCycle(tasks: ReadonlyMap<string, Stored>): void {
  for (const start of tasks.values()) {
    let steps = 0
    for (let at: Stored | undefined = start; at?.parent_id; at = tasks.get(at.parent_id))
      assert.ok(steps++ <= tasks.size, `${start.id} is on a cycle`)
  }
}
