/// <reference lib="esnext.disposable" preserve="true" />

import type { Abilities } from './abilities.ts'

/**
 * The store port: all that Holdfast asks of whatever keeps its data.
 *
 * A store is an ordered map from keys to bytes in which every write is a compare-and-swap. It knows
 * nothing of tasks. Whoever writes a driver implements {@link Store}, passes it through `guarded`
 * (which checks arguments and runs the life cycle), and runs the suite of `holdfast/store/conformance`.
 *
 * ## Keys
 *
 * A key is two or more segments joined by `/`, at most 512 bytes of UTF-8. The first segment is the
 * namespace, `[a-z0-9_]{1,32}`. Any other segment holds every character but control characters, and is
 * not empty, `.` or `..`. `key.ts` builds keys and escapes what users type. A driver hides what its
 * engine can't hold: every legal key works on every store.
 *
 * ## Writes
 *
 * Writes are data, made by {@link create}, {@link update} and {@link remove}. There is no unconditional
 * put. `commit` applies all writes of a call or none; the order of the writes means nothing, and no key
 * may stand in them twice. Whether more than one write fits is a number, `limits.commitWritesMax`, and how
 * far they may lie apart is `limits.commitSpan`: beyond either, `commit` throws `too_many_writes` before
 * anything is written. No driver emulates.
 *
 * A conflict is a returned value, `{ ok: false }`: some write did not find what it expected. Everything
 * else that goes wrong throws a `StoreError`. What `commit` acknowledged survives the death of the
 * process and of the machine, as far as the engine can promise it. A caller leaves the bytes of a write
 * alone until `commit` has settled.
 *
 * ## Revisions
 *
 * A revision is an opaque string that names one state of one key. It is never used again: not for equal
 * bytes written later (A, B, A), not after the key was removed and created anew. `commit` answers with
 * the revisions in the order of the writes, null for a removal; the next `get` shows the same one.
 *
 * ## Reading in order
 *
 * `list` and `scan` ascend by the UTF-8 bytes of the whole key. A prefix is whole segments without a
 * trailing slash: `list('a/b')` gives `a/b/…` but not `a/b` itself; `''` spans all namespaces. A key that
 * nobody touches during the iteration appears exactly once; one that changes may appear as it was or as
 * it is. Nothing but `snapshot` promises one moment, and any read may be stale: it is a hint, and every decision ends in
 * a compare-and-swap.
 *
 * ## Watching
 *
 * `watch` is a hint too: it says that a key may have changed, not how, and several changes of a key may be
 * told once. It starts with `resync` ("anything may have changed: read it all") and sends it again after
 * any gap, such as a lost connection or a reader more than {@link watchPendingMax} keys behind. Who watches
 * must read again. `limits.watch` tells whether the engine pushes or is polled; both name keys.
 *
 * ## Life cycle
 *
 * Disposing lets commits in flight finish, ends watches quietly, and makes every later call throw
 * `closed`. Disposing twice is fine. Aborting the signal of a watch ends that watch quietly.
 *
 * What only some stores can do stands in {@link Abilities}.
 */
export interface Store extends Abilities, AsyncDisposable {
  /** What this store can do. */
  readonly limits: StoreLimits

  /**
   * The entry of a key, or null where there is none.
   *
   * @throws `StoreError`: `bad_key` for a key that can't be one, `closed`, or what the engine could not do.
   */
  get(key: string): Promise<Entry | null>

  /** Keys and revisions below a prefix, in key order. Cheaper than {@link scan}: no values are read. */
  list(prefix: string, options?: ListOptions): AsyncIterable<Head>

  /** The same with values. */
  scan(prefix: string, options?: ListOptions): AsyncIterable<Entry>

  /**
   * Applies all writes or none. An empty list is fine.
   *
   * @throws `StoreError`: `too_many_writes` beyond the limits, `bad_key`, `too_large`, `read_only`, `unavailable` where
   * nothing happened, `unknown_outcome` where the answer was lost. A conflict is no error: it is `{ ok: false }`.
   */
  commit(writes: readonly Write[]): Promise<CommitResult>

  /** Hints of changes below a prefix, until the signal is aborted or the store disposed of. */
  watch(prefix: string, signal?: AbortSignal): AsyncIterable<WatchEvent>

  /** Milliseconds since the epoch by the store's own clock, where it has one. */
  now(): Promise<number>
}

/** What a store can do, for programs that must do without where it can't. */
export interface StoreLimits {
  /** How many writes one `commit` may hold. 1 means that the store has no transactions. */
  readonly commitWritesMax: number
  /** Whether the writes of one commit may lie in several namespaces, or in one only. */
  readonly commitSpan: 'store' | 'namespace'
  /** The most bytes a value may have. */
  readonly valueBytesMax: number
  /** Whether the engine tells of changes, or is asked for them. */
  readonly watch: 'push' | 'poll'
  /**
   * What an acknowledged commit survives: nothing, the death of the process and of the machine, or, where
   * the engine does not tell how it syncs, what its operator has set up.
   */
  readonly durability: 'none' | 'durable' | 'unverified'
  /**
   * What a list costs: the keys that it gives, or all that lie below its prefix, and may have lain there, whatever
   * its bounds say. Who lists often keeps what the second kind gave for a while. Left out, it is the first.
   */
  readonly listCost?: 'answer' | 'prefix'
}

/** A key and the state it is in. */
export interface Head {
  /** The whole key, its namespace included. */
  readonly key: string
  /** Names this one state of this one key. */
  readonly revision: string
}

/** A key, the state it is in, and its bytes. */
export interface Entry extends Head {
  /** The bytes. They are the caller's own: nothing else holds them. */
  readonly value: Uint8Array
}

/** Which part of what lies below a prefix, and in which order. */
export interface ListOptions {
  /** Only keys after this one; a full key, which need not exist. */
  readonly after?: string | undefined
  /** Only keys before this one; a full key, which need not exist. */
  readonly before?: string | undefined
  /** At most so many, at least 1. */
  readonly limit?: number | undefined
  /** Descending instead of ascending; `after` and `before` keep their meaning. */
  readonly reverse?: boolean | undefined
}

/** One compare-and-swap, as data; {@link create}, {@link update} and {@link remove} make them. */
export type Write =
  | {
      readonly type: 'create'
      /** Which key. */
      readonly key: string
      /** What it is to hold. */
      readonly value: Uint8Array
      readonly once?: true
    }
  | {
      readonly type: 'update'
      readonly key: string
      /** The state that the key must still be in. */
      readonly revision: string
      readonly value: Uint8Array
    }
  | { readonly type: 'remove'; readonly key: string; readonly revision: string }

/** What became of a commit: done, or nothing at all because some write did not find what it expected. */
export type CommitResult =
  | {
      readonly ok: true
      /** The new states in the order of the writes, null for a removal. */
      readonly revisions: readonly (string | null)[]
    }
  | { readonly ok: false }

/** A hint of a change: this key may be another now, or, after a gap, any may be. */
export type WatchEvent =
  | { readonly type: 'resync' }
  | { readonly type: 'key' /** Which one. */; readonly key: string }

/** The most bytes a value may have, on every store (NATS counts headers in its 1 MiB). */
export const valueBytesMax = 1_000_000

/** How many writes a commit may hold on a store that has transactions. */
export const commitWritesMax = 1000

/** How many changed keys a watch keeps for a slow reader before it says `resync` instead. */
export const watchPendingMax = 1024

/**
 * Succeeds only where the key is absent. `once` promises that this key is never updated, and never created
 * again after a removal: a store may then keep the bytes exactly as they are, for other programs to read.
 */
export const create = (key: string, value: Uint8Array, options?: { once?: boolean }): Write =>
  options?.once ? { type: 'create', key, value, once: true } : { type: 'create', key, value }

/** Succeeds only where the key is still in the state that `head` names. */
export const update = ({ key, revision }: Head, value: Uint8Array): Write => ({
  type: 'update',
  key,
  revision,
  value,
})

/** Succeeds only where the key is still in the state that `head` names. */
export const remove = ({ key, revision }: Head): Write => ({ type: 'remove', key, revision })
