import { create, type Entry, remove, type Store, update, type Write } from '../store/index.ts'
import { encodeText } from './codec.ts'

/**
 * A set of ids as a newline-delimited list under one key; where it outgrows that, as lists split by the
 * leading characters of the ids, under keys below: `tag` becomes `tag/0` … `tag/f`, and `tag/0`, when that
 * is full, `tag/00` … `tag/0f`. So adding an id never rewrites more than one list of bounded length.
 *
 * The set is the union of all its lists, wherever an id stands. That makes every step of a split or a merge
 * safe to be seen: first the copies are written, then what they replace is removed.
 */

/** The most ids in one list: about 64 KB of ids of 128 characters. */
export const listIdsMax = 500

/** How deep lists may lie without it being plain that something is wrong. */
const depthMax = 8

/** One list of a set. */
export interface List {
  readonly entry: Entry
  readonly ids: readonly string[]
}

const listOf = (entry: Entry): List => ({ entry, ids: idsIn(entry.value) })

/** Longer lines are no ids; nor could they be looked up. */
const idLengthMax = 200
const decoder = new TextDecoder()

/** Tolerant of what other programs left there: a list can always be rebuilt, so nothing in it is an error. */
const idsIn = (value: Uint8Array): string[] =>
  decoder
    .decode(value)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && line.length <= idLengthMax)

const bytesOf = (ids: readonly string[]): Uint8Array => encodeText(ids.join('\n'))

/** All lists of the set. */
export async function readLists(store: Store, key: string): Promise<List[]> {
  const plain = await store.get(key)
  const lists: List[] = []
  for await (const entry of store.scan(key)) lists.push(listOf(entry))
  // While the lists below were read, they may have been merged into the plain one.
  const late = plain ?? (lists.length === 0 ? null : await store.get(key))
  return late ? [listOf(late), ...lists] : lists
}

/** The writes that make an id a member, in an order in which each step is safe. */
export async function additionOf(store: Store, key: string, id: string): Promise<readonly Write[]> {
  const { at, entry } = await placeOf(store, key, id)
  if (entry === null) return [create(at, bytesOf([id]))]
  const { ids } = listOf(entry)
  // A member is written again all the same: whoever means to remove it by what they saw must lose.
  if (ids.includes(id)) return [update(entry, entry.value)]
  if (ids.length < listIdsMax) return [update(entry, bytesOf([...ids, id]))]
  return splitOf(store, key, listOf(entry), id)
}

/** The writes after which the id is in no list. */
export async function removalOf(store: Store, key: string, id: string): Promise<readonly Write[]> {
  const { entry } = await placeOf(store, key, id)
  const likely = entry ? [entry] : []
  const holding = likely.map(listOf).filter(({ ids }) => ids.includes(id))
  const lists = holding.length > 0 ? holding : await listsOnPath(store, key, id)
  return lists.map((list) => without(list, id))
}

/** The writes that merge lists which together fit into one, the deepest first; none where nothing does. */
export function mergeOf(key: string, lists: readonly List[]): readonly Write[] {
  const chunks = lists.filter(({ entry }) => entry.key !== key)
  if (chunks.length === 0) return []
  const parents = new Map<string, List[]>()
  for (const list of chunks) {
    const parent = parentOf(key, list.entry.key)
    parents.set(parent, [...(parents.get(parent) ?? []), list])
  }
  const depths = [...parents].sort(([a], [b]) => b.length - a.length)
  for (const [parent, children] of depths) {
    const below = lists.filter(({ entry }) =>
      entry.key.startsWith(parent === key ? `${key}/` : parent),
    )
    // Only where all that lies below the parent is its direct lists: deeper ones come first.
    if (below.some((list) => list.entry.key !== parent && !children.includes(list))) continue
    const own = lists.find(({ entry }) => entry.key === parent)
    const ids = [...new Set([...(own?.ids ?? []), ...children.flatMap((list) => list.ids)])]
    if (ids.length > listIdsMax) continue
    const merged = own ? update(own.entry, bytesOf(ids)) : create(parent, bytesOf(ids))
    return [merged, ...children.map(({ entry }) => remove(entry))]
  }
  return []
}

const parentOf = (key: string, chunk: string): string => {
  const digits = chunk.slice(key.length + 1)
  return digits.length <= 1 ? key : chunk.slice(0, -1)
}

/** The list an id belongs to: `entry` is null where that list is not there yet. */
async function placeOf(
  store: Store,
  key: string,
  id: string,
): Promise<{ at: string; entry: Entry | null }> {
  const plain = await store.get(key)
  if (plain) return { at: key, entry: plain }
  const path = `${key}/${id}`
  // The list with the longest name that the id starts with comes last before it in the order of keys.
  const below = await first(store, key, { before: path, reverse: true })
  if (below !== null && path.startsWith(below)) return { at: below, entry: await store.get(below) }
  const above = await first(store, key, { after: path })
  if (below === null && above === null) return { at: key, entry: null }
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
  const entries = await Promise.all(keys.map((each) => store.get(each)))
  return entries
    .filter((entry) => entry !== null)
    .map(listOf)
    .filter(({ ids }) => ids.includes(id))
}

function without({ entry, ids }: List, id: string): Write {
  const left = ids.filter((each) => each !== id)
  return left.length === 0 ? remove(entry) : update(entry, bytesOf(left))
}

/** A full list and one more id, as lists of ids that have more leading characters in common. */
async function splitOf(
  store: Store,
  key: string,
  { entry, ids }: List,
  id: string,
): Promise<readonly Write[]> {
  const depth = entry.key === key ? 0 : entry.key.length - key.length - 1
  const there = new Map<string, Entry>()
  for await (const chunk of store.scan(key)) there.set(chunk.key, chunk)
  const writes = partition([...ids, id], depth + 1).map(([digits, part]) => {
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
