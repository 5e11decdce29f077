import {
  compete,
  escapeSegment,
  lost,
  type Store,
  unescapeSegment,
  type Write,
} from '../store/index.ts'
import { commitInOrder } from './commit.ts'
import type { Index, Mark, StandingMark } from './mark.ts'
import { additionOf, mergeOf, readLists, removalOf } from './set-lists.ts'

export interface SetIndexOptions<T> {
  readonly prefix: string
  /** The names of the sets that a document is in. */
  sets(value: T, id: string): Iterable<string>
}

/** An index of named sets: which documents each has, as newline-delimited lists of ids. */
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
    const lists = await readLists(store, this.#keyOf(name))
    return new Set(lists.flatMap(({ ids }) => ids))
  }

  /** The names of all sets. */
  async names(store: Store): Promise<string[]> {
    const segments = new Set<string>()
    for await (const { key } of store.list(this.prefix)) segments.add(this.#segmentOf(key))
    return [...segments].map(unescapeSegment)
  }

  async missing(store: Store, marks: readonly Mark[]): Promise<readonly Mark[]> {
    const members = new Map<string, ReadonlySet<string>>()
    for (const mark of marks) {
      const { shared } = mark as Membership
      if (members.has(shared)) continue
      const lists = await readLists(store, shared)
      members.set(shared, new Set(lists.flatMap(({ ids }) => ids)))
    }
    return marks.filter((mark) => !members.get((mark as Membership).shared)?.has(mark.value))
  }

  async *standing(store: Store): AsyncGenerator<StandingMark> {
    for (const name of await this.names(store))
      for (const id of await this.members(store, name))
        yield { id, mark: new Membership(this.#keyOf(name), id) }
  }

  /** Merges lists that fit into one again. */
  async tidy(store: Store, isDryRun: boolean): Promise<number> {
    let count = 0
    for (const name of await this.names(store)) count += await this.#merge(store, name, isDryRun)
    return count
  }

  #merge(store: Store, name: string, isDryRun: boolean): Promise<number> {
    const key = this.#keyOf(name)
    let merged = 0
    return compete(`the lists of ${name}`, async () => {
      for (;;) {
        const writes = mergeOf(key, await readLists(store, key))
        if (writes.length === 0) return merged
        if (isDryRun) return writes.length - 1
        if (!(await commitInOrder(store, writes))) return lost
        merged += writes.length - 1
      }
    })
  }

  #keyOf(name: string): string {
    return `${this.prefix}/${escapeSegment(name)}`
  }

  #segmentOf(key: string): string {
    return key.slice(this.prefix.length + 1).split('/', 1)[0] as string
  }
}

/** A document's place in a set. */
class Membership implements Mark {
  readonly name: string
  readonly value: string
  readonly shared: string

  constructor(key: string, id: string) {
    this.name = `${key} ${id}`
    this.value = id
    this.shared = key
  }

  put(store: Store): Promise<readonly Write[]> {
    return additionOf(store, this.shared, this.value)
  }

  drop(store: Store): Promise<readonly Write[]> {
    return removalOf(store, this.shared, this.value)
  }
}
