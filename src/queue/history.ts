import { decodeText, encodeText } from '../collection/index.ts'
import { create, type Store } from '../store/internal.ts'
import { historyKeyOf } from './keys.ts'
import type { Task } from './task.ts'

/** What a change overwrote: numbers of fields, as {@link changing} has them, each with its old value. */
export type Reverse = readonly unknown[]

/**
 * The changes of a task, in its own document: from the newest state each difference leads one state back. So history
 * costs no further writes, and goes wherever the document goes. What would outgrow the document is moved to a key of
 * its own, written once, before the change that found it too long.
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
  if (!isSameOutput(a.output, b.output)) found.push(3, a.output)
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

/** States that were read one by one have outputs of their own, which may say the same. */
const isSameOutput = (a: Task['output'], b: Task['output']): boolean =>
  a === b ||
  (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b))

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

/** Which state of a task a trail belongs to, from 1 on. */
export const numberOf = ({ from, changes }: Trail): number => from + changes.length

/**
 * Whether a change of a task has happened, as the trail of what the task is now tells: what it made has a number. A mere
 * renewal of the lease has none, and is not told.
 */
export function recalls(now: Told, { before, after }: { before: Told; after: Told }): boolean {
  const number = numberOf(after.trail)
  const { from, changes } = now.trail
  if (number === numberOf(before.trail) || number < from || number > numberOf(now.trail))
    return false
  const since = changes.slice(number - from).reverse()
  return likenessOf(since.reduce(undone, now.task)) === likenessOf(after.task)
}

/** The trail without what has been put elsewhere, under this number. */
export const shortened = ({ changes, pages }: Trail, page: number): Trail => ({
  from: page + changes.length,
  changes: [],
  pages: [...pages, page],
})

/** Where a task keeps the changes that have outgrown its document: each page written once, as JSON. */
export interface Pages {
  /** False where there is one of this number. */
  create(page: number, json: string): Promise<boolean>
  read(page: number): Promise<string | null>
}

/** Keeps the changes of a trail; answers with the number of their page. Two who do it at once write the same. */
export async function keepPage(pages: Pages, { from, changes }: Trail): Promise<number> {
  const json = JSON.stringify(changes)
  for (let page = from; ; page += changes.length) {
    if (await pages.create(page, json)) return page
    // Another tool may have dropped an earlier trail, whose pages are still there.
    if ((await pages.read(page)) === json) return page
  }
}

export const pagesIn = (store: Store, id: string): Pages => ({
  async create(page, json) {
    const write = create(historyKeyOf(id, page), encodeText(json), { once: true })
    return (await store.commit([write])).ok
  },
  async read(page) {
    const entry = await store.get(historyKeyOf(id, page))
    return entry && decodeText(entry.value)
  },
})

/** A task and its trail, as a store had it at some time. */
export interface Told {
  readonly task: Task
  readonly trail: Trail
}

/**
 * All states of a task, oldest first, each once: those that a store has kept (null where it was removed), each preceded
 * by what its trail alone knows. That is all of it where no versions are kept, what came before the first version
 * otherwise, and what lies between two of them where versioning was off for a while. What other tools wrote has no trail,
 * and is known from the versions alone.
 */
export async function statesOf(kept: readonly (Told | null)[], pages: Pages): Promise<Task[]> {
  const states: Task[] = []
  const told = new Set<string>()
  let number = 0
  for (const each of kept) {
    if (each === null) {
      number = 0
      continue
    }
    const isTold = (task: Task) => told.has(likenessOf(task))
    const count = numberOf(each.trail) - number - 1
    for (const task of [...(await statesBefore(each, count, isTold, pages)), each.task]) {
      const last = states.at(-1)
      // The same but for its lease: the state, renewed.
      if (last && extended(newTrail, last, task) === newTrail) states[states.length - 1] = task
      else states.push(task)
      told.add(likenessOf(task))
    }
    number = numberOf(each.trail)
  }
  return states
}

/** At most so many states before one, back to the first that was told already; oldest first. */
async function statesBefore(
  { task, trail }: Told,
  count: number,
  isTold: (task: Task) => boolean,
  pages: Pages,
): Promise<Task[]> {
  const states: Task[] = []
  const left = [...trail.pages]
  let changes = [...trail.changes]
  let state = task
  while (states.length < count) {
    const page = changes.length === 0 ? left.pop() : undefined
    if (page !== undefined) changes = await changesOn(pages, page, task.id)
    const change = changes.pop()
    if (change === undefined) break
    state = undone(state, change)
    if (isTold(state)) break
    states.push(state)
  }
  return states.reverse()
}

async function changesOn(pages: Pages, page: number, id: string): Promise<Reverse[]> {
  const json = await pages.read(page)
  if (json !== null) return JSON.parse(json) as Reverse[]
  throw new Error(`the history of task ${id} from version ${page} on is missing`)
}

const lasting = changing.filter((name) => name !== 'lease_expires_at')

/** The same for two states that differ by a renewal at most. */
const likenessOf = (task: Task): string => JSON.stringify(lasting.map((name) => task[name]))

function undone(state: Task, change: Reverse): Task {
  const fields: Record<string, unknown> = {}
  for (let at = 0; at < change.length; at += 2) {
    const name = changing[change[at] as number]
    if (name !== undefined) fields[name] = change[at + 1]
  }
  return { ...state, ...fields }
}

/** How much of a history one document takes over at most. */
const foldedBytesMax = 400_000

/**
 * The trail of a task as it leaves a store that kept versions of its own: with what only they knew. */
export function folded({ trail }: Told, states: readonly Task[]): Trail {
  const changes: Reverse[] = []
  let bytes = 0
  for (let at = states.length - 1; at > 0 && bytes <= foldedBytesMax; at--) {
    const change = differences(states[at - 1] as Task, states[at] as Task)
    bytes += JSON.stringify(change).length
    changes.unshift(change)
  }
  // A number that none of its pages has.
  return { from: trail.pages.length === 0 ? 1 : numberOf(trail), changes, pages: [] }
}

/** Whether a task has not been touched since it was submitted. */
export const isUntouched = ({ status, attempt, retry_count, created_at, updated_at }: Task) =>
  status === 'pending' && attempt === 0 && retry_count === 0 && created_at === updated_at

export const numbered = (states: readonly Task[]): TaskVersion[] =>
  states.map((task, at) => ({ version: at + 1, at: task.updated_at, task }))
