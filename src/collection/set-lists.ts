import {
  create,
  type Entry,
  keyBytesMax,
  remove,
  type Store,
  update,
  type Write,
} from '../store/internal.ts'
import { encodeText } from './codec.ts'

/**
 * A set of ids as a newline-delimited list under one key; where it outgrows that, as lists split by the
 * leading characters of the ids, under keys below: `tag` becomes `tag/0` … `tag/f`, and `tag/0`, when that
 * is full, `tag/00` … `tag/0f`. So adding an id never rewrites more than one list of bounded length.
 *
 * The set is the union of all its lists, wherever an id stands. That makes every step of a split or a merge
 * safe to be seen: first the copies are written, then what they replace is removed. On a store without
 * transactions a removal beside a split may leave a copy; readers look at the document, and repair takes it.
 */

/** The most ids in one list: about 64 KB of ids of 128 characters. */
export const listIdsMax = 500

/** Ids that have so many characters in common stay in one list, however long it gets. */
const depthMax = 8

/** One list of a set. */
export interface List {
  readonly entry: Entry
  readonly ids: readonly string[]
}

const decoder = new TextDecoder()
/** Sorts after every character that an id may have. */
const last = '\u{10FFFF}'

/** Tolerant of what other programs left there: a list can always be rebuilt, so nothing in it is an error. */
const listOf = (entry: Entry): List => ({
  entry,
  ids: decoder
    .decode(entry.value)
    .split('\n')
    .map((line) => line.trim())
    .filter(isId),
})

/** Whether a line can be the id of a document at all, and so be looked up. */
const isId = (line: string): boolean =>
  line !== '' && !/[/%\p{Cc}\u{FFFD}]/u.test(line) && Buffer.byteLength(line) <= keyBytesMax / 2

const bytesOf = (ids: readonly string[]): Uint8Array => encodeText(ids.join('\n'))

/** All lists of the set. */
export async function readLists(store: Store, key: string): Promise<List[]> {
  const plain = await store.get(key)
  const lists: List[] = []
  for await (const entry of store.scan(key)) lists.push(listOf(entry))
  // While the lists below were read, they may have been merged into the plain one.
  const late = plain ?? (await store.get(key))
  return late ? [listOf(late), ...lists] : lists
}

/** All lists of all sets below a prefix, in one go; not while somebody merges them. */
export async function* scanLists(store: Store, prefix: string): AsyncGenerator<List> {
  for await (const entry of store.scan(prefix)) yield listOf(entry)
}

/** The writes that make an id a member, in an order in which each step is safe. */
export async function additionOf(store: Store, key: string, id: string): Promise<readonly Write[]> {
  const { at, entry } = await placeOf(store, key, id)
  if (entry === null) return [create(at, bytesOf([id]))]
  const list = listOf(entry)
  // A member is written again all the same: whoever means to remove it by what they saw must lose.
  if (list.ids.includes(id)) return [update(entry, entry.value)]
  if (list.ids.length < listIdsMax || depthOf(key, at) >= depthMax)
    return [update(entry, bytesOf([...list.ids, id]))]
  return splitOf(store, key, list, id)
}

/** The writes that take an id out of the list where it belongs, or of others where it is not there. */
export async function removalOf(store: Store, key: string, id: string): Promise<readonly Write[]> {
  const { entry } = await placeOf(store, key, id)
  const likely = entry ? [listOf(entry)] : []
  const holding = likely.filter(({ ids }) => ids.includes(id))
  const lists = holding.length > 0 ? holding : await listsOnPath(store, key, id)
  return lists.map((list) => without(list, id))
}

/** The writes that add many ids to a set whose lists are all known. */
export function additionsOf(key: string, lists: readonly List[], ids: readonly string[]): Write[] {
  const there = new Set(lists.flatMap((list) => list.ids))
  const missing = ids.filter((id) => !there.has(id))
  return missing.length === 0 ? [] : laidOut(key, lists, [...there, ...missing])
}

/** The writes that bring the lists of a set into the order they should have; none where they are. */
export function tidyingOf(key: string, lists: readonly List[]): Write[] {
  const ids = [...new Set(lists.flatMap((list) => list.ids))]
  const isSplit = lists.some(({ entry }) => entry.key !== key)
  const isWhole = lists.every((list) => list.ids.length > 0)
  return isWhole && (!isSplit || ids.length > listIdsMax) ? [] : laidOut(key, lists, ids)
}

/**
 * The writes from some lists to those that hold the ids as they should: copies first, then removals. Where lists go, those
 * that stay are written again even if they are as they should be: a split or merge that has copied one of them into a list
 * that goes here, and means to remove it, must lose.
 */
function laidOut(key: string, lists: readonly List[], ids: readonly string[]): Write[] {
  const parts = ids.length <= listIdsMax ? [['', ids] as const] : partition(ids, 1)
  const wanted = new Map(
    parts
      .filter(([, part]) => part.length > 0)
      .map(([digits, part]) => [digits === '' ? key : `${key}/${digits}`, part]),
  )
  const byKey = new Map(lists.map((list) => [list.entry.key, list]))
  const gone = lists.filter(({ entry }) => !wanted.has(entry.key))
  const puts = [...wanted].flatMap(([at, part]) => {
    const list = byKey.get(at)
    if (!list) return [create(at, bytesOf(part))]
    const isDone = gone.length === 0 && isSame(list.ids, part)
    return isDone ? [] : [update(list.entry, bytesOf(part))]
  })
  return [...puts, ...gone.map(({ entry }) => remove(entry))]
}

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && new Set([...a, ...b]).size === a.length

/** The list an id belongs to: `entry` is null where that list is not there yet. */
async function placeOf(
  store: Store,
  key: string,
  id: string,
): Promise<{ at: string; entry: Entry | null }> {
  const plain = await store.get(key)
  if (plain) return { at: key, entry: plain }
  if ((await first(store, key, {})) === null) return { at: key, entry: null }
  const path = `${key}/${id}`
  // The list with the longest name that the id starts with comes last before it in the order of keys.
  const below = await first(store, key, { before: path, reverse: true })
  if (below !== null && path.startsWith(below)) return { at: below, entry: await store.get(below) }
  const above = await first(store, key, { after: path })
  const depth = 1 + Math.max(...[below, above].map((other) => sharedLength(path, other, key)))
  return { at: `${key}/${id.slice(0, depth)}`, entry: null }
}

async function first(
  store: Store,
  key: string,
  bounds: { after?: string; before?: string; reverse?: boolean },
): Promise<string | null> {
  for await (const head of store.list(key, { ...bounds, limit: 1 })) return head.key
  return null
}

/** How many leading characters of an id the name of another list has in common with it. */
function sharedLength(path: string, other: string | null, key: string): number {
  if (other === null) return 0
  let at = key.length + 1
  while (at < other.length && path[at] === other[at]) at++
  return at - key.length - 1
}

/** All lists that may hold the id, of whatever depth: for the odd case that it is not where it belongs. */
async function listsOnPath(store: Store, key: string, id: string): Promise<List[]> {
  const keys = Array.from({ length: depthMax + 1 }, (_, depth) =>
    depth === 0 ? key : `${key}/${id.slice(0, depth)}`,
  )
  const entries = await Promise.all([...new Set(keys)].map((each) => store.get(each)))
  return entries
    .filter((entry) => entry !== null)
    .map(listOf)
    .filter(({ ids }) => ids.includes(id))
}

function without({ entry, ids }: List, id: string): Write {
  const left = ids.filter((each) => each !== id)
  return left.length === 0 ? remove(entry) : update(entry, bytesOf(left))
}

const depthOf = (key: string, at: string): number => Math.max(0, at.length - key.length - 1)

/** A full list and one more id, as lists of ids that have more leading characters in common. */
async function splitOf(
  store: Store,
  key: string,
  { entry, ids }: List,
  id: string,
): Promise<readonly Write[]> {
  const there = new Map<string, Entry>()
  const bounds = entry.key === key ? {} : { after: entry.key, before: `${entry.key}${last}` }
  for await (const chunk of store.scan(key, bounds)) there.set(chunk.key, chunk)
  const parts = partition([...ids, id], depthOf(key, entry.key) + 1)
  const writes = parts.map(([digits, part]) => {
    const chunk = there.get(`${key}/${digits}`)
    if (!chunk) return create(`${key}/${digits}`, bytesOf(part))
    return update(chunk, bytesOf([...new Set([...listOf(chunk).ids, ...part])]))
  })
  return [...writes, remove(entry)]
}

/** Groups of ids by their leading characters, as many as it takes for each group to fit into a list. */
export function partition(
  ids: readonly string[],
  depth: number,
): (readonly [digits: string, ids: readonly string[]])[] {
  const groups = new Map<string, string[]>()
  for (const id of ids) {
    const digits = id.slice(0, depth)
    const group = groups.get(digits)
    if (group) group.push(id)
    else groups.set(digits, [id])
  }
  return [...groups].flatMap(([digits, group]) =>
    group.length <= listIdsMax || depth >= depthMax
      ? [[digits, group] as const]
      : partition(group, depth + 1),
  )
}
