import type { Head, Store } from './store.ts'

/** What some stores can do and others can't; each is undefined where it can't be done. */
export interface Abilities {
  /**
   * Whether all of these, as this store has given them, are still so: seen at one moment, as late as a `get` would see
   * it, and without waiting. False where one is not, and where that can't be told at once: then `get` says more. Only
   * on a store that is at hand, where this costs less than to read; elsewhere it is undefined.
   */
  readonly isStill?: ((heads: readonly Head[]) => boolean) | undefined

  /** What keeps the data, and its version, for people to read; undefined where it does not tell. */
  readonly engine?: string | undefined

  /**
   * The states a key has had, newest first, removals included. Only on a store that keeps them by
   * itself; elsewhere it is undefined.
   */
  readonly versions?: ((key: string) => AsyncIterable<Version>) | undefined

  /**
   * Takes away for good what removals below a prefix have left, such as empty objects that every list passes over;
   * answers with the number of keys, and of superseded versions where those are to go. What is there, or created meanwhile, stays. Undefined where nothing is left.
   */
  readonly purge?: ((prefix: string, options: PurgeOptions) => Promise<number>) | undefined

  /**
   * Keys below a prefix at which another tool seems to have put an object without content: for this store nothing is
   * there, for that tool it may say something. A page, and what to give for the next one, null at the end. Undefined
   * where no such object can be.
   */
  readonly blanks?: ((prefix: string, after: string | null) => Promise<BlankPage>) | undefined

  /**
   * Writes a consistent copy beside the store, in place of the last one, and answers with where it is. Undefined
   * where the store is no file of this machine.
   */
  readonly backup?: (() => Promise<string>) | undefined

  /**
   * All of the store as of one moment, whatever is committed meanwhile, to read from until it is disposed of. Undefined
   * where the engine can't hold a moment.
   */
  readonly snapshot?: (() => Promise<Store>) | undefined
}

/** One state that a key has had; `value` is null where it was removed. */
export interface Version {
  /** Names this one state of this one key. */
  readonly revision: string
  /** The bytes; null where the key was removed. */
  readonly value: Uint8Array | null
  /** Milliseconds since the epoch by the store's clock. */
  readonly at: number
}

/** Some keys without content. */
export interface BlankPage {
  /** In order. */
  readonly keys: readonly string[]
  /** Where the next page begins; null where there is none. */
  readonly next: string | null
}

/** How much to purge. */
export interface PurgeOptions {
  /** Only what was removed longer ago than this; 0 for all of it. */
  readonly olderThanMs: number
  /** Only keys before this one; a full key, which need not exist. */
  readonly before?: string | undefined
  /** Also the older versions of keys that are still there: those that were overwritten longer ago than `olderThanMs`. */
  readonly superseded?: boolean | undefined
  /** Asked of each key that {@link Abilities.blanks} would name: true keeps what is there. */
  readonly spares?: ((key: string) => Promise<boolean>) | undefined
}
