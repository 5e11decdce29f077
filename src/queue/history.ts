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
  const reverse: unknown[] = []
  let isMore = false
  for (let at = 0; at < changing.length; at++) {
    const name = changing[at] as (typeof changing)[number]
    if (before[name] === after[name]) continue
    reverse.push(at, before[name])
    if (name !== 'lease_expires_at') isMore = true
  }
  if (!isMore) return trail
  return { from: trail.from, changes: [...trail.changes, reverse], pages: trail.pages }
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
