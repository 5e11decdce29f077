import {
  compete,
  escapeSegment,
  isSegment,
  lost,
  type Store,
  unescapeSegment,
  type Write,
} from '../store/internal.ts'
import { commitInOrder } from './commit.ts'
import type { DocumentMark, Index, Mark } from './mark.ts'
import { pooled } from './pooled.ts'
import {
  additionOf,
  additionsOf,
  type List,
  readLists,
  removalOf,
  scanLists,
  tidyingOf,
} from './set-lists.ts'

interface SetIndexOptions<T> {
  readonly prefix: string
  /** The names of the sets that a document is in. */
  sets(value: T, id: string): Iterable<string>
}

/**
 * An index of named sets: which documents each has, as newline-delimited lists of ids. Ids are made of letters,
 * digits and the like: no slash, per cent sign or control character.
 */
export class SetIndex<T> implements Index<T> {
  readonly prefix: string
  readonly #sets: SetIndexOptions<T>['sets']

  constructor({ prefix, sets }: SetIndexOptions<T>) {
    this.prefix = prefix
    this.#sets = sets
  }

  *marks(id: string, value: T): Iterable<Mark> {
    for (const name of this.#sets(value, id)) yield new Membership(this.#keyOf(name), id)
  }

  /** The ids that a set has, as hints: a document may have left it meanwhile. */
  async members(store: Store, name: string): Promise<ReadonlySet<string>> {
    return idsOf(await readLists(store, this.#keyOf(name)))
  }

  /** The names of all sets and how many ids each has, as the lists say; sets without any are none. */
  async sizes(store: Store): Promise<Map<string, number>> {
    const members = new Map<string, Set<string>>()
    for await (const { entry, ids } of scanLists(store, this.prefix)) {
      const name = this.#nameOf(entry.key)
      if (name === null || ids.length === 0) continue
      const set = members.get(name) ?? new Set()
      for (const id of ids) set.add(id)
      members.set(name, set)
    }
    return new Map([...members].map(([name, ids]) => [name, ids.size]))
  }

  async missing<M extends DocumentMark>(store: Store, marks: readonly M[]): Promise<readonly M[]> {
    const keys = [...new Set(marks.map(({ mark }) => (mark as Membership).shared))]
    const sets = await pooled(keys, async (key) => idsOf(await readLists(store, key)))
    const byKey = new Map(keys.map((key, at) => [key, sets[at]]))
    return marks.filter(({ id, mark }) => !byKey.get((mark as Membership).shared)?.has(id))
  }

  async *standing(store: Store): AsyncGenerator<DocumentMark> {
    for (const key of await this.#keys(store))
      for (const id of idsOf(await readLists(store, key)))
        yield { id, mark: new Membership(key, id) }
  }

  async putAll(store: Store, marks: readonly Mark[]): Promise<void> {
    const byKey = new Map<string, string[]>()
    for (const { shared, id } of marks as readonly Membership[])
      byKey.set(shared, [...(byKey.get(shared) ?? []), id])
    await pooled([...byKey], ([key, ids]) =>
      settled(store, key, (lists) => additionsOf(key, lists, ids)),
    )
  }

  /** Merges lists that fit into one again, and removes those without ids. */
  async tidy(store: Store, isDryRun: boolean): Promise<number> {
    const counts = await pooled(await this.#keys(store), async (key) => {
      if (isDryRun) return removalsIn(tidyingOf(key, await readLists(store, key)))
      return settled(store, key, (lists) => tidyingOf(key, lists))
    })
    return counts.reduce((sum, count) => sum + count, 0)
  }

  /** The keys of all sets. */
  async #keys(store: Store): Promise<string[]> {
    const names = new Set<string>()
    for await (const { key } of store.list(this.prefix)) {
      const name = this.#nameOf(key)
      if (name !== null) names.add(name)
    }
    return [...names].map((name) => this.#keyOf(name))
  }

  #keyOf(name: string): string {
    return `${this.prefix}/${escapeSegment(name)}`
  }

  /** Null for a key that no set of ours has. */
  #nameOf(key: string): string | null {
    const segment = key.slice(this.prefix.length + 1).split('/', 1)[0] as string
    return isSegment(segment) ? unescapeSegment(segment) : null
  }
}

const idsOf = (lists: readonly List[]): ReadonlySet<string> =>
  new Set(lists.flatMap(({ ids }) => ids))

const removalsIn = (writes: readonly Write[]): number =>
  writes.filter(({ type }) => type === 'remove').length

/** Writes what a plan makes of the lists of a set; says how many keys it removed. */
const settled = (
  store: Store,
  key: string,
  plan: (lists: readonly List[]) => readonly Write[],
): Promise<number> =>
  compete(key, async () => {
    const writes = plan(await readLists(store, key))
    return (await commitInOrder(store, writes)) ? removalsIn(writes) : lost
  })

/** A document's place in a set. */
class Membership implements Mark {
  readonly name: string
  readonly id: string
  readonly shared: string

  constructor(key: string, id: string) {
    this.name = `${key} ${id}`
    this.id = id
    this.shared = key
  }

  put(store: Store): Promise<readonly Write[]> {
    return additionOf(store, this.shared, this.id)
  }

  drop(store: Store): Promise<readonly Write[]> {
    return removalOf(store, this.shared, this.id)
  }
}
