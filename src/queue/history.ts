import { decodeText, encodeText } from '../collection/index.ts'
import { create, type Store } from '../store/index.ts'
import { historyKeyOf } from './keys.ts'
import type { Task } from './task.ts'

/** What a change overwrote: numbers of fields, as {@link changing} has them, each with its old value. */
export type Reverse = readonly unknown[]

/**
 * The changes of a task, in its own document: from the newest state each difference leads one state back. So history
 * costs no further writes. What would outgrow the document is moved to a key of its own, written once, before the
 * change that found it too long.
 */
export interface Trail {
  /** The version to which the first of the differences leads back, from 1 on. */
  readonly from: number
  readonly changes: readonly Reverse[]
  /** The versions from which the earlier ones, in keys of their own, go on. */
  readonly pages: readonly number[]
}

/** One state that a task has had. */
export interface TaskVersion {
  /** From 1 on. */
  readonly version: number
  /** When it came to be so, by the store's clock; RFC 3339. */
  readonly at: string
  /** The task as it was then. */
  readonly task: Task
}

export const newTrail: Trail = { from: 1, changes: [], pages: [] }

/** How much a document keeps of its history: about so many bytes, and about as many for one change. */
const trailBytesMax = 24_000
const changeBytes = 50

/** Input, identity and creation never change. The numbers of these are stored: add at the end only. */
export const changing = [
  'status',
  'available_at',
  'lease_expires_at',
  'output',
  'timeout_seconds',
  'max_retries',
  'retry_count',
  'updated_at',
  'completed_at',
  'worker_id',
  'lease_id',
  'attempt',
  'last_error',
  'cancel_requested',
  'archived_from',
  'output_ref',
] as const

/** The trail after a change; a mere renewal of the lease is none. */
export function extended(trail: Trail, before: Task, after: Task): Trail {
  const reverse = differences(before, after)
  const isRenewed = before.lease_expires_at !== after.lease_expires_at
  if (reverse.length <= (isRenewed ? 2 : 0)) return trail
  return { from: trail.from, changes: [...trail.changes, reverse], pages: trail.pages }
}

/** Written out, for it is done at every change: members by name take a tenth of what members by variable do. */
function differences(a: Task, b: Task): unknown[] {
  const found: unknown[] = []
  if (a.status !== b.status) found.push(0, a.status)
  if (a.available_at !== b.available_at) found.push(1, a.available_at)
  if (a.lease_expires_at !== b.lease_expires_at) found.push(2, a.lease_expires_at)
  if (a.output !== b.output) found.push(3, a.output)
  if (a.timeout_seconds !== b.timeout_seconds) found.push(4, a.timeout_seconds)
  if (a.max_retries !== b.max_retries) found.push(5, a.max_retries)
  if (a.retry_count !== b.retry_count) found.push(6, a.retry_count)
  if (a.updated_at !== b.updated_at) found.push(7, a.updated_at)
  if (a.completed_at !== b.completed_at) found.push(8, a.completed_at)
  if (a.worker_id !== b.worker_id) found.push(9, a.worker_id)
  if (a.lease_id !== b.lease_id) found.push(10, a.lease_id)
  if (a.attempt !== b.attempt) found.push(11, a.attempt)
  if (a.last_error !== b.last_error) found.push(12, a.last_error)
  if (a.cancel_requested !== b.cancel_requested) found.push(13, a.cancel_requested)
  if (a.archived_from !== b.archived_from) found.push(14, a.archived_from)
  if (a.output_ref !== b.output_ref) found.push(15, a.output_ref)
  return found
}

/** Whether what a trail holds is to be moved before the next change. What is moved depends on the trail alone. */
export function isLong({ changes }: Trail): boolean {
  if (changes.length < 2) return false
  let bytes = 0
  for (const change of changes) {
    bytes += changeBytes
    // Of the fields only errors are long.
    for (const value of change) if (typeof value === 'string') bytes += 2 * value.length
  }
  return bytes > trailBytesMax
}

/** The trail without what {@link keepPage} has put elsewhere. */
export const shortened = ({ from, changes, pages }: Trail): Trail => ({
  from: from + changes.length,
  changes: [],
  pages: [...pages, from],
})

/** Two who do it at once write the same. */
export async function keepPage(store: Store, id: string, { from, changes }: Trail): Promise<void> {
  const value = encodeText(JSON.stringify(changes))
  await store.commit([create(historyKeyOf(id, from), value, { once: true })])
}

/** All states of a task by its trail, oldest first. */
export async function versionsOf(store: Store, task: Task, trail: Trail): Promise<TaskVersion[]> {
  const earlier = await Promise.all(trail.pages.map((from) => pageAt(store, task.id, from)))
  const changes = [...earlier.flat(), ...trail.changes]
  const states = [task]
  let state = task
  for (const change of changes.reverse()) {
    state = undone(state, change)
    states.push(state)
  }
  return numbered(states.reverse())
}

function undone(state: Task, change: Reverse): Task {
  const fields: Record<string, unknown> = {}
  for (let at = 0; at < change.length; at += 2) {
    const name = changing[change[at] as number]
    if (name !== undefined) fields[name] = change[at + 1]
  }
  return { ...state, ...fields }
}

async function pageAt(store: Store, id: string, from: number): Promise<readonly Reverse[]> {
  const entry = await store.get(historyKeyOf(id, from))
  if (entry === null)
    throw new Error(`the history of task ${id} from version ${from} on is missing`)
  return JSON.parse(decodeText(entry.value)) as Reverse[]
}

/**
 * The states that a store has kept by itself, oldest first, as versions: without those that only renewed the lease, or
 * changed nothing.
 */
export function versionsAmong(states: readonly Task[]): TaskVersion[] {
  const told: Task[] = []
  for (const state of states) {
    const last = told.at(-1)
    if (last && extended(newTrail, last, state) === newTrail) told[told.length - 1] = state
    else told.push(state)
  }
  return numbered(told)
}

const numbered = (states: readonly Task[]): TaskVersion[] =>
  states.map((task, at) => ({ version: at + 1, at: task.updated_at, task }))
