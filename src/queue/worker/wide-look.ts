import type { ListOptions, Store } from '../../store/internal.ts'
import { bucketOf, firstAfter, readyPrefix } from '../keys.ts'
import { signalMs, signalShard } from '../signal.ts'
import type { Settings } from './options.ts'
import { type Look, straysSeldomMs } from './page-look.ts'
import type { Candidate, Sieve } from './sieve.ts'
import type { Strays } from './strays.ts'

/** How many entries one look takes. */
const entriesMax = 1_000
/** After a look that was cut, one shard at a time is looked at for so long. */
const crowdedMs = 60_000
const minuteMs = 60_000
/** While it goes through all shards for the first time, or has just found something, a worker hardly waits. */
const hurriedMs = 10
/** Of so many looks in the first pass through a crowd, and after something was found, one is for signals and one by type. */
const newsEvery = 4
/** After so many looks of an idle worker beside a crowd there is one more; of so many of those one goes through old entries. */
const moreEvery = 8
const throughEvery = 4
/** For how long after something was found two lists make a look. */
const livelyMs = 60_000
/** How many tasks a look gives that must be read to know whether they are ours. */
const untoldMax = 10
/** When a minute that has ended is looked at once more: signals may have been on their way. */
const endLooksMs = [300, 1_000, 3_000, 10_000]
/** For how long after a signal others may come without one; clocks may differ a little. */
const followedMs = 2 * signalMs

/**
 * One look at all shards, which serves for many claims. For stores that can only be listed, where nobody tells of what is new.
 *
 * Where there is more than one look can take, each look is one list still:
 *
 * - first the index by type (`strays.ts`), then all shards, page by page, once;
 * - then in turns, or both for a while after something was found, the index by type and the present minute of the shard
 *   where submitters put the first of what they submit (`signal.ts`);
 * - besides, each minute of signals that has ended, for what came after the last look at it, and once in a while the
 *   minutes of another shard that have come since it was looked at, or a page of what is older: for other tools' tasks.
 *
 * Whoever finds something looks at all shards for a while, without waiting.
 */
export class WideLook implements Look {
  readonly isExhausted = false
  readonly #store: Store
  readonly #settings: Settings
  readonly #sieve: Sieve
  #isCrowded = false
  #wideAt = 0
  /** How many looks at other shards are left since something was found, and from when on they count. */
  #activeLooks = 0
  #activeAt = 0
  /** When the signals of the minute before were last looked at, by the store's clock. */
  #endSeenMs = 0
  #isHurried = false
  /** Whether the last look was besides the others. */
  #wasMore = false
  #isByTypeNext = true
  #foundAt = Number.NEGATIVE_INFINITY
  #nth = 0
  #nthRange = 0
  #shardAt: number
  readonly #unseen = new Set<string>()
  /** Where the pass through each shard has got to. */
  readonly #cursors = new Map<string, string>()
  /** Up to which time each shard was looked at, and where that goes on if it was too much. */
  readonly #seenMs = new Map<string, number>()
  readonly #ranges = new Map<string, string>()
  /** What must be read to know whether it is ours. */
  readonly #untold = new Map<string, Candidate>()
  readonly #strays: Strays
  #signal: { readonly bucket: string; readonly last: string } | null = null

  constructor(store: Store, settings: Settings, sieve: Sieve, strays: Strays) {
    this.#store = store
    this.#settings = settings
    this.#sieve = sieve
    this.#strays = strays
    this.#shardAt = Math.floor(Math.random() * settings.shards.length)
  }

  get isCrowded(): boolean {
    return this.#isCrowded
  }

  pauseMs(idleMs: number): number {
    if (!this.#isCrowded) return idleMs
    if (this.#isPassing || this.#isHurried) return hurriedMs
    if (this.#activeLooks > 0) return Math.max(hurriedMs, idleMs / this.#settings.shards.length)
    return idleMs
  }

  /** Beside a crowd a look may be one at the index by type. */
  get straysMs(): number {
    return this.#isCrowded ? Number.POSITIVE_INFINITY : straysSeldomMs
  }

  noteHeard(): void {}

  noteMissed(): void {
    this.#activeLooks = this.#settings.shards.length
  }

  noteDue(): void {
    this.noteMissed()
  }

  restart(): void {
    for (const shard of this.#settings.shards) this.#unseen.add(shard)
  }

  async take(_wanted: number, nowMs: number): Promise<Candidate[]> {
    this.#isHurried = false
    if (!this.#isCrowded) return this.#wide(nowMs)
    const found = await this.#beside(nowMs)
    if (found.length > 0) this.#foundAt = performance.now()
    const untold = [...this.#untold.values()].slice(0, untoldMax)
    for (const { id } of untold) this.#untold.delete(id)
    return [...found, ...untold]
  }

  /** Whether it has not seen all there was when it became crowded. */
  get #isPassing(): boolean {
    return this.#unseen.size > 0 || this.#untold.size > 0
  }

  async #beside(nowMs: number): Promise<Candidate[]> {
    if (performance.now() >= this.#wideAt) return this.#wide(nowMs)
    const wasMore = this.#wasMore
    this.#wasMore = true
    if (!wasMore && endLooksMs.some((each) => this.#isEndDue(nowMs, each)))
      return this.#atEnd(nowMs)
    this.#wasMore = false
    const turn = ++this.#nth % newsEvery
    if (this.#isPassing || this.#activeLooks > 0) {
      if (turn === 0) return this.#atSignal(nowMs)
      if (turn === 2 || !this.#strays.isThrough) return this.#strays.look(nowMs)
      if (this.#untold.size > 0) return []
      if (this.#unseen.size > 0) return this.#through([...this.#unseen], nowMs)
      if (performance.now() >= this.#activeAt) this.#activeLooks--
      return this.#range(this.#next(), nowMs)
    }
    if (!wasMore && this.#nth % moreEvery === 0) {
      this.#wasMore = true
      this.#isHurried = true
      const isRange = ++this.#nthRange % throughEvery !== 0
      return isRange
        ? this.#range(this.#next(), nowMs)
        : this.#through(this.#settings.shards, nowMs)
    }
    const isByType = this.#isByTypeNext
    this.#isByTypeNext = !isByType
    if (!isByType) return this.#atSignal(nowMs)
    // Where tasks come, both are looked at each time.
    this.#isHurried = performance.now() < this.#foundAt + livelyMs
    return this.#strays.look(nowMs)
  }

  #next(shards = this.#settings.shards): string {
    return shards[this.#shardAt++ % shards.length] as string
  }

  /** All shards at once. */
  async #wide(nowMs: number): Promise<Candidate[]> {
    const { shards } = this.#settings
    const prefix = shards.length === 1 ? `${readyPrefix}/${shards[0]}` : readyPrefix
    const { candidates, count, untold } = await this.#list(prefix, { limit: entriesMax }, nowMs)
    if (count === entriesMax) {
      if (!this.#isCrowded) this.restart()
      this.#wideAt = performance.now() + crowdedMs
    }
    this.#isCrowded = count === entriesMax
    this.#sieve.isCrowded = this.#isCrowded
    if (!this.#isCrowded) candidates.push(...untold)
    // From somewhere in the middle, for other workers have the same page.
    const at = Math.floor(Math.random() * candidates.length)
    return [...candidates.slice(at), ...candidates.slice(0, at)]
  }

  /** A page of a shard from where the last one ended, with what is not due yet. */
  async #through(shards: readonly string[], nowMs: number): Promise<Candidate[]> {
    const shard = this.#next(shards)
    const bounds = { after: this.#cursors.get(shard), limit: entriesMax }
    const { candidates, count, last } = await this.#list(`${readyPrefix}/${shard}`, bounds, nowMs)
    if (count === entriesMax) this.#cursors.set(shard, last)
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
    return nowMs >= dueMs && this.#endSeenMs < dueMs
  }

  /** What was put into the minute before, after the last look at it. Of more minutes than one, all shards tell. */
  async #atEnd(nowMs: number): Promise<Candidate[]> {
    this.#isHurried = true
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
    const untold: Candidate[] = []
    let [count, last] = [0, '']
    for (const head of await this.#sieve.entries(this.#store, prefix, bounds)) {
      count++
      last = head.key
      const isUntold = this.#sieve.isUntold(head)
      const candidate = this.#sieve.candidateOf(head, nowMs)
      if (candidate) (isUntold ? untold : candidates).push(candidate)
    }
    // Until all types were seen, the index by type may tell of them.
    if (this.#isCrowded && this.#strays.isThrough)
      for (const each of untold) this.#untold.set(each.id, each)
    return { candidates, count, last, untold }
  }
}
