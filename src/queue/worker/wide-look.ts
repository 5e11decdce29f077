import type { ListOptions, Store } from '../../store/internal.ts'
import { bucketOf, firstAfter, readyPrefix } from '../keys.ts'
import { isCostlyToWatch, signalMs, signalShard } from '../signal.ts'
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
/** How seldom a worker looks beside a crowd where the store names what is new: a look there takes long. */
const quietMs = 2_000
/** Of so many looks beside a crowd, one is not for signals; and of so many of those, one goes through old entries. */
const rangeEvery = 3
const throughEvery = 4
/** In the first pass through a crowd one of so many looks is for signals. */
const signalEvery = 4
/** When a minute that has ended is looked at once more: signals may have been on their way. */
const endLooksMs = [300, 1_000, 3_000, 10_000]
/** For how long after a signal others may come without one; clocks may differ a little. */
const followedMs = 2 * signalMs

/**
 * One look at all shards, which serves for many claims. For stores where a list costs all that lies below its prefix.
 *
 * Where there is more than one look can take, each look is one list still:
 *
 * - first all shards, page by page, once;
 * - then the shard where submitters put the first of what they submit (`signal.ts`): its present minute, and each minute
 *   that has ended since, for what came after the last look at it;
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
  /** How many looks at other shards are left since something was found, and from when on they count. */
  #activeLooks = 0
  #activeAt = 0
  /** When the signals of the minute before were last looked at, by the store's clock. */
  #endSeenMs = 0
  #isHurried = false
  /** Whether the last look was at a minute that has ended: the next one is for signals again, or these would wait too long. */
  #isSignalNext = false
  #lookedAt = 0
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
    if (this.#unseen.size > 0 || this.#isHurried) return hurriedMs
    if (this.#activeLooks > 0) return Math.max(hurriedMs, idleMs / this.#settings.shards.length)
    return idleMs
  }

  noteUntagged(): void {}

  noteMissed(): void {
    this.#activeLooks = this.#settings.shards.length
  }

  noteDue(): void {
    if (this.#isDeaf) this.noteMissed()
  }

  restart(): void {
    for (const shard of this.#settings.shards) this.#unseen.add(shard)
  }

  async take(_wanted: number, nowMs: number): Promise<Candidate[]> {
    this.#isHurried = false
    if (!this.#isCrowded) return this.#wide(nowMs)
    if (performance.now() >= this.#wideAt)
      return this.#isDeaf ? this.#wide(nowMs) : this.#again(nowMs)
    if (this.#isEndDue(nowMs, 0)) return this.#atEnd(nowMs)
    if (this.#isQuiet()) return []
    this.#lookedAt = performance.now()
    this.#nth++
    if (this.#unseen.size > 0)
      return this.#isDeaf && this.#nth % signalEvery === 0
        ? this.#atSignal(nowMs)
        : this.#through([...this.#unseen], nowMs)
    const isActive = this.#activeLooks > 0
    const isSignalNext = this.#isSignalNext
    this.#isSignalNext = !isSignalNext && endLooksMs.some((each) => this.#isEndDue(nowMs, each))
    if (this.#isSignalNext) return this.#atEnd(nowMs)
    // Beside its look at all shards, what comes next is a signal again.
    const isRange = this.#nth % (isActive ? 2 : rangeEvery) === 0
    if (this.#isDeaf && (isSignalNext || !isRange)) return this.#atSignal(nowMs)
    if (isActive && performance.now() >= this.#activeAt) this.#activeLooks--
    if (isActive) return this.#range(this.#next(), nowMs)
    if (++this.#nthRange % throughEvery !== 0) return this.#range(this.#next(), nowMs)
    return this.#through(this.#settings.shards, nowMs)
  }

  #isQuiet(): boolean {
    if (this.#isDeaf || this.#unseen.size > 0 || this.#activeLooks > 0) return false
    return performance.now() < this.#lookedAt + quietMs
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

  /** On stores that send a whole list regardless of its limit, lists one shard to see if the index is still crowded. */
  async #again(nowMs: number): Promise<Candidate[]> {
    const { shards } = this.#settings
    const { candidates, count } = await this.#list(`${readyPrefix}/${this.#next()}`, {}, nowMs)
    if (count * shards.length < entriesMax) return this.#wide(nowMs)
    this.#wideAt = performance.now() + crowdedMs
    return candidates
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

  /** Whether the minute before was not looked at since so long after its end. */
  #isEndDue(nowMs: number, afterMs: number): boolean {
    const dueMs = nowMs - (nowMs % minuteMs) + afterMs
    return this.#isDeaf && nowMs >= dueMs && this.#endSeenMs < dueMs
  }

  /** What was put into the minute before, after the last look at it. Of more minutes than one, all shards tell. */
  async #atEnd(nowMs: number): Promise<Candidate[]> {
    // Only the first comes on top of the other looks.
    this.#isHurried = this.#isEndDue(nowMs, 0)
    if (nowMs - this.#endSeenMs > 2 * minuteMs) this.#activeLooks = this.#settings.shards.length
    const { found, isCut } = await this.#signals(nowMs - minuteMs)
    if (!isCut) this.#endSeenMs = nowMs
    return found
  }

  /** The present minute of the shard where signals are. */
  async #atSignal(nowMs: number): Promise<Candidate[]> {
    const isOurs = this.#settings.shards.includes(signalShard(nowMs))
    return isOurs ? (await this.#signals(nowMs)).found : this.#range(this.#next(), nowMs)
  }

  async #signals(ms: number): Promise<{ found: Candidate[]; isCut: boolean }> {
    const shard = signalShard(ms)
    if (!this.#settings.shards.includes(shard)) return { found: [], isCut: false }
    const bucket = bucketOf(ms)
    const start = `${readyPrefix}/${shard}/${bucket}`
    const after = this.#signal?.bucket === bucket ? this.#signal.last : start
    const bounds = { after, before: firstAfter(readyPrefix, shard, ms), limit: entriesMax }
    const { candidates, count, last } = await this.#list(`${readyPrefix}/${shard}`, bounds, ms)
    const isCut = count === entriesMax
    if (isCut) this.#signal = { bucket, last }
    return { found: this.#noted(candidates), isCut }
  }

  #noted(candidates: Candidate[]): Candidate[] {
    if (candidates.length === 0) return candidates
    this.#activeLooks = this.#settings.shards.length
    this.#activeAt = performance.now() + followedMs
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
