import sortedBtree from 'sorted-btree'
import { StoreError } from '../../error.ts'
import { Feed } from '../../feed.ts'
import { guarded } from '../../guard.ts'
import { compareKeys, keyRange } from '../../key.ts'
import { paged } from '../../pages.ts'
import { shownUrl } from '../../shown-url.ts'
import {
  type CommitResult,
  commitWritesMax,
  type Entry,
  type Head,
  type ListOptions,
  type Store,
  valueBytesMax,
  type WatchEvent,
  type Write,
} from '../../store.ts'

interface Stored {
  readonly value: Uint8Array
  readonly revision: string
}

/** Reads the items of a range after `after` (null at its start), at most `limit` of them, in order. */
type Pages<T> = (after: string | null, limit: number) => T[]

/** What a store in memory holds. It answers at once; `MemoryStore` gives it the form of other stores. */
export class Shelf {
  readonly feed = new Feed()
  readonly #entries = new sortedBtree.default<string, Stored>(undefined, compareKeys)
  #revision = 0

  get(key: string): Entry | null {
    const stored = this.#entries.get(key)
    return stored ? entryOf(key, stored) : null
  }

  heads(prefix: string, options: ListOptions): Pages<Head> {
    return this.#pages(prefix, options, (key, { revision }) => ({ key, revision }))
  }

  entries(prefix: string, options: ListOptions): Pages<Entry> {
    return this.#pages(prefix, options, entryOf)
  }

  commit(writes: readonly Write[]): CommitResult {
    const holds = (write: Write): boolean =>
      this.#entries.get(write.key)?.revision ===
      (write.type === 'create' ? undefined : write.revision)
    if (!writes.every(holds)) return { ok: false }
    const revisions = writes.map((write) => this.#apply(write))
    this.feed.publish(writes.map(({ key }) => key))
    return { ok: true, revisions }
  }

  isStill(heads: readonly Head[]): boolean {
    return heads.every(({ key, revision }) => this.#entries.get(key)?.revision === revision)
  }

  #apply(write: Write): string | null {
    if (write.type === 'remove') {
      this.#entries.delete(write.key)
      return null
    }
    const revision = String(++this.#revision)
    this.#entries.set(write.key, { value: new Uint8Array(write.value), revision })
    return revision
  }

  #pages<T>(
    prefix: string,
    options: ListOptions,
    toItem: (key: string, stored: Stored) => T,
  ): Pages<T> {
    const entries = this.#entries
    const { from, to } = keyRange(prefix, options)
    const step = (at: string): [string, Stored] | undefined =>
      options.reverse ? entries.nextLowerPair(at) : entries.nextHigherPair(at)
    const isInside = (key: string): boolean =>
      options.reverse ? compareKeys(key, from) > 0 : compareKeys(key, to) < 0
    return (last, limit) => {
      const page: T[] = []
      let pair = step(last ?? (options.reverse ? to : from))
      while (pair && isInside(pair[0]) && page.length < limit) {
        page.push(toItem(...pair))
        pair = step(pair[0])
      }
      return page
    }
  }
}

/** Named stores stay while nobody has them open, as long as the process lasts. */
const shelves = new Map<string, Shelf>()

/** A store in this process's memory: its own where the name is empty, else shared by that name. */
export function openMemory(name: string, { create = true } = {}): Store {
  const known = shelves.get(name)
  if (known) return openShelf(known)
  if (!create)
    throw new StoreError(
      'missing_store',
      `There is no store ${shownUrl(`memory:${name}`)} in this process.`,
      name === '' ? 'It is new each time: name one that lasts.' : 'Open it once with create: true.',
    )
  const shelf = new Shelf()
  if (name !== '') shelves.set(name, shelf)
  return openShelf(shelf)
}

/** A store over what a shelf holds; any number may be open at once. */
export const openShelf = (shelf: Shelf): Store => guarded(new MemoryStore(shelf))

class MemoryStore implements Store {
  readonly limits = {
    commitWritesMax,
    commitSpan: 'store',
    valueBytesMax,
    watch: 'push',
    durability: 'none',
  } as const
  readonly #shelf: Shelf

  constructor(shelf: Shelf) {
    this.#shelf = shelf
  }

  async get(key: string): Promise<Entry | null> {
    return this.#shelf.get(key)
  }

  list(prefix: string, options: ListOptions = {}): AsyncIterable<Head> {
    return paged(this.#shelf.heads(prefix, options), options.limit)
  }

  scan(prefix: string, options: ListOptions = {}): AsyncIterable<Entry> {
    return paged(this.#shelf.entries(prefix, options), options.limit)
  }

  async commit(writes: readonly Write[]): Promise<CommitResult> {
    return this.#shelf.commit(writes)
  }

  watch(prefix: string, signal?: AbortSignal): AsyncIterable<WatchEvent> {
    return this.#shelf.feed.watch(prefix, signal)
  }

  async now(): Promise<number> {
    return Date.now()
  }

  isStill(heads: readonly Head[]): boolean {
    return this.#shelf.isStill(heads)
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

/** Bytes are copied on the way in and out: nobody holds the store's own. (A Buffer's slice is no copy.) */
const entryOf = (key: string, { value, revision }: Stored): Entry => ({
  key,
  value: new Uint8Array(value),
  revision,
})
