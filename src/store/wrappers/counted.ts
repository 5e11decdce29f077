import type { CommitResult, Entry, Head, ListOptions, Store, WatchEvent, Write } from '../store.ts'
import { ForwardingStore } from './forwarding.ts'

/** What was asked of a store. `entries` are the items that lists and scans gave. */
export interface StoreCounts {
  /** Calls of `get`. */
  get: number
  /** Calls of `list`. */
  list: number
  /** Calls of `scan`. */
  scan: number
  /** Keys that lists and scans gave. */
  entries: number
  /** Calls of `commit`. */
  commit: number
  /** Writes in them. */
  writes: number
  /** Commits that found something else than they expected. */
  conflicts: number
  /** Watches that were begun. */
  watch: number
}

/** A store that counts what is asked of it. */
export interface CountedStore extends Store {
  /** Since the start or the last {@link CountedStore.reset}. */
  readonly counts: Readonly<StoreCounts>
  /** Back to zero; answers with what was counted so far. */
  reset(): StoreCounts
}

/**
 * Counts what passes through, so that a test can say what an operation costs.
 *
 * @example
 * ```js
 * import { TaskList } from 'holdfast/list'
 * import { counted, openStore } from 'holdfast/store'
 *
 * const store = counted(await openStore('memory:'))
 * await new TaskList(store).add('Buy milk', ['errand'])
 * console.log(store.counts.commit, store.counts.writes) // 1 2
 * await store[Symbol.asyncDispose]()
 * ```
 */
export const counted = (store: Store): CountedStore => new Counter(store)

const zero = (): StoreCounts => ({
  get: 0,
  list: 0,
  scan: 0,
  entries: 0,
  commit: 0,
  writes: 0,
  conflicts: 0,
  watch: 0,
})

class Counter extends ForwardingStore implements CountedStore {
  #counts = zero()

  get counts(): Readonly<StoreCounts> {
    return this.#counts
  }

  reset(): StoreCounts {
    const counts = this.#counts
    this.#counts = zero()
    return counts
  }

  override get(key: string): Promise<Entry | null> {
    this.#counts.get++
    return this.inner.get(key)
  }

  override list(prefix: string, options?: ListOptions): AsyncIterable<Head> {
    this.#counts.list++
    return this.#each(() => this.inner.list(prefix, options))
  }

  override scan(prefix: string, options?: ListOptions): AsyncIterable<Entry> {
    this.#counts.scan++
    return this.#each(() => this.inner.scan(prefix, options))
  }

  override async commit(writes: readonly Write[]): Promise<CommitResult> {
    this.#counts.commit++
    // Whatever it is: the store refuses what is no list.
    this.#counts.writes += writes?.length ?? 0
    const result = await this.inner.commit(writes)
    if (!result.ok) this.#counts.conflicts++
    return result
  }

  override watch(prefix: string, signal?: AbortSignal): AsyncIterable<WatchEvent> {
    this.#counts.watch++
    return this.inner.watch(prefix, signal)
  }

  /** As often as it is iterated, like what it wraps. */
  #each<T>(start: () => AsyncIterable<T>): AsyncIterable<T> {
    const counts = this.#counts
    return {
      async *[Symbol.asyncIterator]() {
        for await (const item of start()) {
          counts.entries++
          yield item
        }
      },
    }
  }
}
