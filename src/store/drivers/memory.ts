import sortedBtree from 'sorted-btree'
import { StoreError } from '../error.ts'
import { Feed } from '../feed.ts'
import { guarded } from '../guard.ts'
import { compareKeys, keyRange } from '../key.ts'
import { type PageReader, paged } from '../pages.ts'
import { shownUrl } from '../shown-url.ts'
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
} from '../store.ts'

/** What stays of a named store while nobody has it open; it lasts as long as the process. */
interface Shelf {
  readonly entries: sortedBtree.default<string, Stored>
  readonly feed: Feed
  revision: number
}

interface Stored {
  readonly value: Uint8Array
  readonly revision: string
}

const shelves = new Map<string, Shelf>()

const newShelf = (): Shelf => ({
  entries: new sortedBtree.default<string, Stored>(undefined, compareKeys),
  feed: new Feed(),
  revision: 0,
})

/** A store in this process's memory: its own where the name is empty, else shared by that name. */
export function openMemory(name: string, { create = true } = {}): Store {
  const known = shelves.get(name)
  if (known) return guarded(new MemoryStore(known))
  if (!create)
    throw new StoreError(
      'missing_store',
      `There is no store ${shownUrl(`memory:${name}`)} in this process.`,
      name === '' ? 'It is new each time: name one that lasts.' : 'Open it once with create: true.',
    )
  const shelf = newShelf()
  if (name !== '') shelves.set(name, shelf)
  return guarded(new MemoryStore(shelf))
}

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
    const stored = this.#shelf.entries.get(key)
    return stored ? entryOf(key, stored) : null
  }

  list(prefix: string, options: ListOptions = {}): AsyncIterable<Head> {
    const head = (key: string, { revision }: Stored): Head => ({ key, revision })
    return paged(this.#pages(prefix, options, head), options.limit)
  }

  scan(prefix: string, options: ListOptions = {}): AsyncIterable<Entry> {
    return paged(this.#pages(prefix, options, entryOf), options.limit)
  }

  async commit(writes: readonly Write[]): Promise<CommitResult> {
    const { entries, feed } = this.#shelf
    const holds = (write: Write): boolean =>
      entries.get(write.key)?.revision === (write.type === 'create' ? undefined : write.revision)
    if (!writes.every(holds)) return { ok: false }
    const revisions = writes.map((write) => this.#apply(write))
    feed.publish(writes.map(({ key }) => key))
    return { ok: true, revisions }
  }

  watch(prefix: string, signal?: AbortSignal): AsyncIterable<WatchEvent> {
    return this.#shelf.feed.watch(prefix, signal)
  }

  async now(): Promise<number> {
    return Date.now()
  }

  isStill(heads: readonly Head[]): boolean {
    return heads.every(({ key, revision }) => this.#shelf.entries.get(key)?.revision === revision)
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #apply(write: Write): string | null {
    const { entries } = this.#shelf
    if (write.type === 'remove') {
      entries.delete(write.key)
      return null
    }
    const revision = String(++this.#shelf.revision)
    entries.set(write.key, { value: new Uint8Array(write.value), revision })
    return revision
  }

  #pages<T>(
    prefix: string,
    options: ListOptions,
    toItem: (key: string, stored: Stored) => T,
  ): PageReader<T> {
    const { entries } = this.#shelf
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

/** Bytes are copied on the way in and out: nobody holds the store's own. (A Buffer's slice is no copy.) */
const entryOf = (key: string, { value, revision }: Stored): Entry => ({
  key,
  value: new Uint8Array(value),
  revision,
})
