import type { ListOptions, Store } from '../../store/index.ts'
import { bucketOf, firstAfter, readyPrefix } from '../keys.ts'
import { isCostlyToWatch, signalShard } from '../signal.ts'
import type { Settings } from './options.ts'
import type { Look } from './page-look.ts'
import type { Candidate, Sieve } from './sieve.ts'

/** How many entries one look takes. */
const entriesMax = 1_000
/** After a look that was cut, one shard at a time is looked at for so long. */
const crowdedMs = 60_000
const minuteMs = 60_000
/** While it goes through all shards for the first time, or has just found something, a worker hardly waits. */
const hurriedMs = 10
/** Of so many looks beside a crowd, one is not for signals; and of so many of those, one goes through old entries. */
const rangeEvery = 3
const throughEvery = 4
/** In the first pass through a crowd one of so many looks is for signals. */
const signalEvery = 4
/** For how long after its end a minute may get signals that were on their way. */
const lateMs = 10_000

/**
 * One look at all shards, which serves for many claims. For stores where a list costs all that lies below its prefix.
 *
 * Where there is more than one look can take, each look is one list still:
 *
 * - first all shards, page by page, once;
 * - then the shard where submitters put the first of what they submit (`signal.ts`), its present minute only;
 * - once in a while the minutes of another shard that have come since it was looked at, and a page of what is older.
 *
 * Whoever finds something looks at all shards for a while, without waiting.
 */
export class WideLook implements Look {
  readonly isExhausted = false
  readonly #store: Store
  readonly #settings: Settings
  readonly #sieve: Sieve
  /** Where nobody tells of what is new. */
  readonly #isDeaf: boolean
  #isCrowded = false
  #wideAt = 0
  /** How many looks at other shards are left since something was found. */
  #activeLooks = 0
  #nth = 0
  #nthRange = 0
  #shardAt: number
  readonly #unseen = new Set<string>()
  /** Where the pass through each shard has got to. */
  readonly #cursors = new Map<string, string>()
  /** Up to which time each shard was looked at, and where that goes on if it was too much. */
  readonly #seenMs = new Map<string, number>()
  readonly #ranges = new Map<string, string>()
  #signal: { readonly bucket: string; readonly last: string } | null = null

  constructor(store: Store, settings: Settings, sieve: Sieve) {
    this.#store = store
    this.#settings = settings
    this.#sieve = sieve
    this.#isDeaf = isCostlyToWatch(store)
    this.#shardAt = Math.floor(Math.random() * settings.shards.length)
  }

  get isCrowded(): boolean {
    return this.#isCrowded
  }

  pauseMs(idleMs: number): number {
    if (!this.#isCrowded) return idleMs
    if (this.#unseen.size > 0) return hurriedMs
    if (this.#activeLooks > 0) return Math.max(hurriedMs, idleMs / this.#settings.shards.length)
    return idleMs
  }

  noteUntagged(): void {}

  restart(): void {
    for (const shard of this.#settings.shards) this.#unseen.add(shard)
  }

  async take(_wanted: number, nowMs: number): Promise<Candidate[]> {
    if (!this.#isCrowded || performance.now() >= this.#wideAt) return this.#wide(nowMs)
    this.#nth++
    if (this.#unseen.size > 0)
      return this.#isDeaf && this.#nth % signalEvery === 0
        ? this.#atSignal(nowMs)
        : this.#through([...this.#unseen], nowMs)
    const isActive = this.#activeLooks > 0
    // Beside its look at all shards, what comes next is a signal again.
    if (this.#isDeaf && this.#nth % (isActive ? 2 : rangeEvery) !== 0) return this.#atSignal(nowMs)
    if (isActive) this.#activeLooks--
    if (isActive || ++this.#nthRange % throughEvery !== 0) return this.#range(this.#next(), nowMs)
    return this.#through(this.#settings.shards, nowMs)
  }

  #next(shards = this.#settings.shards): string {
    return shards[this.#shardAt++ % shards.length] as string
  }

  /** All shards at once. */
  async #wide(nowMs: number): Promise<Candidate[]> {
    const { shards } = this.#settings
    const prefix = shards.length === 1 ? `${readyPrefix}/${shards[0]}` : readyPrefix
    const { candidates, count } = await this.#list(prefix, { limit: entriesMax }, nowMs)
    if (count === entriesMax) {
      if (!this.#isCrowded) this.restart()
      this.#wideAt = performance.now() + crowdedMs
    }
    this.#isCrowded = count === entriesMax
    this.#sieve.isCrowded = this.#isCrowded
    // From somewhere in the middle, for other workers have the same page.
    const at = Math.floor(Math.random() * candidates.length)
    return [...candidates.slice(at), ...candidates.slice(0, at)]
  }

  /** A page of a shard from where the last one ended, with what is not due yet. */
  async #through(shards: readonly string[], nowMs: number): Promise<Candidate[]> {
    const shard = this.#next(shards)
    // Where all of a shard is sent whatever the limit, all of it is taken.
    const limit = this.#isDeaf ? entriesMax : undefined
    const bounds = { after: this.#cursors.get(shard), limit }
    const { candidates, count, last } = await this.#list(`${readyPrefix}/${shard}`, bounds, nowMs)
    if (count === limit) this.#cursors.set(shard, last)
    else {
      this.#cursors.delete(shard)
      this.#unseen.delete(shard)
    }
    return candidates
  }

  /** What has become ready in a shard since it was looked at. */
  async #range(shard: string, nowMs: number): Promise<Candidate[]> {
    const from = (this.#seenMs.get(shard) ?? nowMs) - minuteMs
    const after = this.#ranges.get(shard) ?? `${readyPrefix}/${shard}/${bucketOf(from)}`
    const bounds = { after, before: firstAfter(readyPrefix, shard, nowMs), limit: entriesMax }
    const { candidates, count, last } = await this.#list(`${readyPrefix}/${shard}`, bounds, nowMs)
    if (count === entriesMax) this.#ranges.set(shard, last)
    else {
      this.#ranges.delete(shard)
      this.#seenMs.set(shard, nowMs)
    }
    return this.#noted(candidates)
  }

  /** The present minute of the shard where signals are, or the one before, right after it has ended. */
  async #atSignal(nowMs: number): Promise<Candidate[]> {
    const isLate = nowMs % minuteMs < lateMs && this.#nth % 2 === 0
    const ms = isLate ? nowMs - minuteMs : nowMs
    const shard = signalShard(ms)
    if (!this.#settings.shards.includes(shard)) return this.#range(this.#next(), nowMs)
    const bucket = bucketOf(ms)
    const start = `${readyPrefix}/${shard}/${bucket}`
    const after = this.#signal?.bucket === bucket ? this.#signal.last : start
    const bounds = { after, before: firstAfter(readyPrefix, shard, ms), limit: entriesMax }
    const { candidates, count, last } = await this.#list(`${readyPrefix}/${shard}`, bounds, nowMs)
    if (count === entriesMax) this.#signal = { bucket, last }
    return this.#noted(candidates)
  }

  #noted(candidates: Candidate[]): Candidate[] {
    if (candidates.length > 0) this.#activeLooks = this.#settings.shards.length
    return candidates
  }

  async #list(prefix: string, bounds: ListOptions, nowMs: number) {
    const candidates: Candidate[] = []
    let [count, last] = [0, '']
    for await (const head of this.#store.list(prefix, bounds)) {
      count++
      last = head.key
      const candidate = this.#sieve.candidateOf(head, nowMs)
      if (candidate) candidates.push(candidate)
    }
    return { candidates, count, last }
  }
}
