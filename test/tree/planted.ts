import { create, openStore, type Store, type Write } from '../../src/store/index.ts'
import type { Status } from '../../src/tree/index.ts'

const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
const start = Date.parse('2026-01-01T00:00:00Z')
const timeOf = (n: number): string => new Date(start + n).toISOString()

/** The id of the n-th task. */
export const idOf = (n: number): string => {
  const ms = (start + n).toString(16).padStart(12, '0')
  const rest = n.toString(16).padStart(12, '0')
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-${rest}`
}

/** What of a planted task is its own. */
export interface Seed {
  /** The number of its parent, which may come later. */
  readonly parent: number | null
  readonly status?: Status
  readonly tags?: readonly string[]
  /** When it was hidden, as a number of days since it was made. */
  readonly hiddenDay?: number
}

/** Tasks as an earlier session would have left them, by number. Written by hand, since 100,000 creations take a while. */
export async function plant(store: Store, count: number, seedOf: (n: number) => Seed) {
  let writes: Write[] = [create('coven/meta/structure', encode({ n: 0, intent: null, layout: 1 }))]
  for (let n = 0; n < count; n++) {
    writes.push(...writesOf(n, seedOf(n)))
    if (writes.length < 900) continue
    await store.commit(writes)
    writes = []
  }
  await store.commit(writes)
}

function writesOf(n: number, { parent, status = 'open', tags = [], hiddenDay }: Seed): Write[] {
  const isActive = status === 'in_progress' || status === 'pending_merge'
  const [id, at] = [idOf(n), timeOf(n)]
  const parent_id = parent === null ? null : idOf(parent)
  const deleted_at = hiddenDay === undefined ? null : timeOf(n + hiddenDay * 86_400_000)
  const task = {
    id,
    parent_id,
    title: `task ${n}`,
    body: null,
    type: 'task',
    status,
    priority: 2,
    claimed_by: isActive ? 'ann' : null,
    claimed_at: isActive ? at : null,
    grimoire_hint: null,
    grimoire: null,
    tags,
    created_at: at,
    updated_at: at,
    deleted_at,
    change: { n: 0, at, by: 'user', fields: [] },
    doomed: null,
  }
  const hex = (time: string) => Date.parse(time).toString(16).padStart(12, '0')
  const keys = tags.map((tag) => `tags/${tag}/${id}`)
  if (parent_id !== null) keys.push(`children/${parent_id}/${id}`)
  if (parent_id !== null && status !== 'closed') keys.push(`unfinished/${parent_id}/${id}`)
  if (isActive) keys.push(`active/${parent_id ?? '-'}/${id}`)
  if (status === 'open') keys.push(`ready/2/${id}`)
  if (status === 'closed' && deleted_at === null) keys.push(`closed/${hex(at)}/${id}`)
  if (deleted_at !== null) keys.push(`trash/${hex(deleted_at)}/${id}`)
  return [
    create(`coven/tasks/${id}`, encode(task)),
    ...keys.map((key) => create(`coven/${key}`, new Uint8Array())),
  ]
}

/** How deep the spine is: the tasks 0 to 12, each below the one before. */
export const depth = 12
/** How many tasks are claimed. */
const activeCount = 16

/**
 * So many tasks: the spine, and then families of ten, one parent with nine children; the first families have
 * one child in progress each.
 */
export async function planted(count: number): Promise<Store> {
  const store = await openStore('memory:')
  await plant(store, count, (n) => {
    const family = Math.floor((n - depth - 1) / 10)
    const place = (n - depth - 1) % 10
    const parent = n === 0 || (n > depth && place === 0) ? null : n <= depth ? n - 1 : n - place
    const isActive = n > depth && place === 1 && family < activeCount
    return { parent, status: isActive ? 'in_progress' : 'open' }
  })
  return store
}
