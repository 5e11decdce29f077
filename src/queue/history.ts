import { decodeText, encodeText } from '../collection/index.ts'
import { create, type Store } from '../store/internal.ts'
import { changing } from './fields.ts'
import { historyKeyOf } from './keys.ts'
import type { Task } from './task.ts'
import { differences } from './task-codec.ts'

/** What a change overwrote: numbers of fields, as `changing` has them, each with its old value. */
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

/** The trail after a change; a mere renewal of the lease is none. */
export function extended(trail: Trail, before: Task, after: Task): Trail {
  const reverse = differences(before, after)
  const isRenewed = before.lease_expires_at !== after.lease_expires_at
  if (reverse.length <= (isRenewed ? 2 : 0)) return trail
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

/** Which state of a task a trail belongs to, from 1 on. */
const numberOf = ({ from, changes }: Trail): number => from + changes.length

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
interface Pages {
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

/** Whether two states are the same, or differ by a renewal alone. */
export const isAlike = (a: Task, b: Task): boolean => likenessOf(a) === likenessOf(b)

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

/** The trail of a task with what only the versions knew that its store has kept. */
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

/** Whether the trail of a task was dropped: by another tool, which wrote the task without it. */
export const isForgotten = ({ task, trail }: Told): boolean =>
  trail === newTrail && !isUntouched(task)

export const numbered = (states: readonly Task[]): TaskVersion[] =>
  states.map((task, at) => ({ version: at + 1, at: task.updated_at, task }))
