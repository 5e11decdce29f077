import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { StoreError } from '../error.ts'
import { guarded } from '../guard.ts'
import type { CommitResult, Entry, Head, ListOptions, Store, WatchEvent, Write } from '../store.ts'
import { ForwardingStore } from './forwarding.ts'

/** What goes wrong, and when. Commits are counted from 1. */
export interface Faults {
  /** This commit is not applied: `unavailable`. */
  readonly failBefore?: number
  /** This commit is applied, but its answer is lost: `unknown_outcome`. */
  readonly failAfter?: number
  /** After the commit named above every call fails, as if the process had died there. */
  readonly crash?: boolean
  /** The share of commits, 0 to 1, that never arrive: `unavailable`. */
  readonly loseRequests?: number
  /** The share of commits, 0 to 1, that are applied but whose answer is lost: `unknown_outcome`. */
  readonly loseAnswers?: number
  /** Every call waits for up to so many milliseconds. */
  readonly delayMsMax?: number
  /** The same seed, calls and order give the same faults and delays. */
  readonly seed?: number | string
}

/**
 * A store that fails as real ones do, on purpose and repeatably.
 *
 * @example
 * ```js
 * import { create, flaky, openStore } from 'holdfast/store'
 *
 * const store = flaky(await openStore('memory:'), { failAfter: 1 })
 * const write = create('shop/visits', Uint8Array.of(1))
 * await store.commit([write]).catch(({ code }) => console.log(code)) // unknown_outcome
 * console.log((await store.get('shop/visits')).value[0]) // 1
 * await store[Symbol.asyncDispose]()
 * ```
 */
export const flaky = (store: Store, faults: Faults): Store => guarded(new FlakyStore(store, faults))

class FlakyStore extends ForwardingStore {
  readonly #faults: Faults
  #calls = 0
  #commits = 0
  #isDead = false

  constructor(store: Store, faults: Faults) {
    super(store)
    this.#faults = faults
  }

  override async get(key: string): Promise<Entry | null> {
    await this.#arrive()
    return this.inner.get(key)
  }

  override list(prefix: string, options?: ListOptions): AsyncIterable<Head> {
    return this.#late(() => this.inner.list(prefix, options))
  }

  override scan(prefix: string, options?: ListOptions): AsyncIterable<Entry> {
    return this.#late(() => this.inner.scan(prefix, options))
  }

  override async commit(writes: readonly Write[]): Promise<CommitResult> {
    await this.#arrive()
    const nth = ++this.#commits
    const { failBefore, failAfter, crash = false, loseRequests = 0, loseAnswers = 0 } = this.#faults
    const chance = this.#random()
    this.#isDead ||= crash && nth === failBefore
    if (nth === failBefore || chance < loseRequests) throw requestFailed()
    const result = await this.inner.commit(writes)
    this.#isDead ||= crash && nth === failAfter
    if (nth === failAfter || chance < loseRequests + loseAnswers) throw lostAnswer()
    return result
  }

  override async now(): Promise<number> {
    await this.#arrive()
    return this.inner.now()
  }

  override watch(prefix: string, signal?: AbortSignal): AsyncIterable<WatchEvent> {
    return this.#late(() => this.inner.watch(prefix, signal))
  }

  #late<T>(start: () => AsyncIterable<T>): AsyncIterable<T> {
    const arrive = () => this.#arrive()
    return {
      async *[Symbol.asyncIterator]() {
        await arrive()
        for await (const item of start()) {
          await arrive()
          yield item
        }
      },
    }
  }

  async #arrive(): Promise<void> {
    const { delayMsMax = 0 } = this.#faults
    if (delayMsMax > 0) await sleep(this.#random() * delayMsMax)
    if (this.#isDead) throw requestFailed()
  }

  /** From 0 to 1, by the seed and how many were drawn before. */
  #random(): number {
    const digest = createHash('sha256')
      .update(`${this.#faults.seed ?? 0}:${this.#calls++}`)
      .digest()
    return digest.readUInt32BE(0) / 2 ** 32
  }
}

const requestFailed = (): StoreError =>
  new StoreError('down', 'The store failed on purpose; nothing was written.', 'Try again.')

const lostAnswer = (): StoreError =>
  new StoreError(
    'lost_answer',
    'The answer was lost on purpose; the write may be there.',
    'Read the keys again, then decide.',
  )
