import { pooled } from '../../collection/index.ts'
import type { ListOptions, Store } from '../../store/internal.ts'
import { bucketOf, readyPrefix } from '../keys.ts'
import type { Settings } from './options.ts'
import { type Look, straysSeldomMs } from './page-look.ts'
import type { Candidate, Sieve } from './sieve.ts'

/** More ready tasks than these are a crowd. */
const entriesMax = 1_000
const minuteMs = 60_000
/** How often the index by type is looked at beside a crowd. */
const straysCrowdedMs = 60_000
/** While it goes through all shards, a worker hardly waits. */
const hurriedMs = 10
/** How seldom an idle worker looks beside a crowd. */
const quietMs = 2_000
/** How long after a whole shard was listed the next one is, for each entry that it had; and at least and at most. */
const msAnEntry = 1_000
const wholeMsMin = 60_000
const wholeMsMax = 60 * 60_000
/** Of how many minutes each is listed by itself; of more, all of the shard. */
const minutesMax = 4
/** What is looked at when a worker starts beside a crowd, before it passes through all of it. */
const recentMs = minuteMs

/**
 * For stores that name what is new, and where a list sends all that lies below its prefix, whatever its limit: a look at
 * all shards where that is little. Where it is much, the watch is what tells, and no look lists more than it has to:
 *
 * - first one shard, which shows that it is much; then the last minutes of each, and all of each, once;
 * - after the watch was away, the minutes that it missed;
 * - else a minute of one shard, in case, and all of one the more seldom the more it has.
 */
export class NarrowLook implements Look {
  readonly isExhausted = false
  readonly #store: Store
  readonly #settings: Settings
  readonly #sieve: Sieve
  #isCrowded = false
  /** Whether it is known how much there is: else one shard is to tell. */
  #isProbed: boolean
  #wholeAt = 0
  #lookedAt = 0
  #shardAt: number
  /** Shards to be listed whole. */
  readonly #unseen = new Set<string>()
  /** Up to when all of each shard is known, by the store's clock, and until when a watch has told of all of them. */
  readonly #seenMs = new Map<string, number>()
  #heardMs = 0
  #hasMissed = false
  #lastBucket = ''

  constructor(store: Store, settings: Settings, sieve: Sieve) {
    this.#store = store
    this.#settings = settings
    this.#sieve = sieve
    this.#isProbed = settings.shards.length === 1
    this.#shardAt = Math.floor(Math.random() * settings.shards.length)
  }

  get isCrowded(): boolean {
    return this.#isCrowded
  }

  get straysMs(): number {
    return this.#isCrowded ? straysCrowdedMs : straysSeldomMs
  }

  pauseMs(idleMs: number): number {
    return this.#isCrowded && (this.#unseen.size > 0 || this.#hasMissed) ? hurriedMs : idleMs
  }

  noteMissed(): void {
    this.#hasMissed = true
  }

  noteHeard(nowMs: number): void {
    if (!this.#hasMissed) this.#heardMs = nowMs
  }

  noteDue(): void {}

  restart(): void {
    for (const shard of this.#settings.shards) this.#unseen.add(shard)
  }

  async take(_wanted: number, nowMs: number): Promise<Candidate[]> {
    if (!this.#isCrowded) return this.#isProbed ? this.#wide(nowMs) : this.#probe(nowMs)
    this.#noteMinute(nowMs)
    if (this.#hasMissed) return this.#missed(nowMs)
    if (this.#unseen.size > 0) return this.#whole([...this.#unseen], nowMs)
    if (performance.now() >= this.#wholeAt) return this.#again(nowMs)
    if (performance.now() < this.#lookedAt + quietMs) return []
    this.#lookedAt = performance.now()
    const found = await this.#minutes([this.#next()], nowMs, nowMs)
    // Nobody told of it: there may be more.
    if (found.length > 0) this.#hasMissed = true
    return found
  }

  #next(shards = this.#settings.shards): string {
    return shards[this.#shardAt++ % shards.length] as string
  }

  /** Of more delayed tasks than can be remembered, the index tells in the minute in which they are due. */
  #noteMinute(nowMs: number): void {
    const bucket = bucketOf(nowMs)
    if (this.#sieve.agenda.isCut && bucket !== this.#lastBucket) this.#hasMissed = true
    this.#lastBucket = bucket
  }

  /** One shard tells about how much there is in all. */
  async #probe(nowMs: number): Promise<Candidate[]> {
    this.#isProbed = true
    const shard = this.#next()
    const { candidates, count } = await this.#shard(shard, nowMs)
    if (count * this.#settings.shards.length < entriesMax) return this.#wide(nowMs)
    this.#crowd(count)
    this.#unseen.delete(shard)
    this.#heardMs = Math.max(this.#heardMs, nowMs - recentMs)
    this.#hasMissed = true
    return candidates
  }

  /** All shards at once. */
  async #wide(nowMs: number): Promise<Candidate[]> {
    const { shards } = this.#settings
    const prefix = shards.length === 1 ? `${readyPrefix}/${shards[0]}` : readyPrefix
    const { candidates, count } = await this.#list(prefix, {}, nowMs)
    this.#isCrowded = this.#sieve.isCrowded = count >= entriesMax
    // All of it was seen.
    for (const shard of shards) this.#seenMs.set(shard, nowMs)
    this.#unseen.clear()
    if (this.#isCrowded) this.#wholeAfter(count / shards.length)
    // From somewhere in the middle, for other workers have the same ones.
    const at = Math.floor(Math.random() * candidates.length)
    return [...candidates.slice(at), ...candidates.slice(0, at)]
  }

  #crowd(count: number): void {
    this.#isCrowded = this.#sieve.isCrowded = true
    this.restart()
    this.#wholeAfter(count)
  }

  /** So a worker is sent about an entry a second, however many there are. */
  #wholeAfter(count: number): void {
    const ms = Math.min(wholeMsMax, Math.max(wholeMsMin, count * msAnEntry))
    this.#wholeAt = performance.now() + ms
  }

  /** All of one shard, to see if it is crowded still, and if anything was never told. */
  async #again(nowMs: number): Promise<Candidate[]> {
    const { candidates, count } = await this.#shard(this.#next(), nowMs)
    if (count * this.#settings.shards.length < entriesMax) return this.#wide(nowMs)
    this.#wholeAfter(count)
    return candidates
  }

  async #whole(shards: readonly string[], nowMs: number): Promise<Candidate[]> {
    const shard = this.#next(shards)
    const { candidates } = await this.#shard(shard, nowMs)
    this.#unseen.delete(shard)
    return candidates
  }

  /** All of a shard, with what is not due yet. */
  async #shard(shard: string, nowMs: number) {
    const listed = await this.#list(`${readyPrefix}/${shard}`, {}, nowMs)
    this.#seenMs.set(shard, nowMs)
    return listed
  }

  /** What came while no watch told of it. Clocks may differ, and an entry be a little late: so a minute more. */
  async #missed(nowMs: number): Promise<Candidate[]> {
    this.#hasMissed = false
    const sinceMs = (shard: string) =>
      Math.max(this.#heardMs, this.#seenMs.get(shard) ?? 0) - minuteMs
    const isShort = (shard: string) => nowMs - sinceMs(shard) < minutesMax * minuteMs
    const { shards } = this.#settings
    for (const shard of shards) if (!isShort(shard)) this.#unseen.add(shard)
    try {
      const fromMs = Math.min(nowMs, ...shards.filter(isShort).map(sinceMs))
      const found = await this.#minutes(shards.filter(isShort), fromMs, nowMs)
      this.#heardMs = Math.max(this.#heardMs, nowMs)
      return found
    } catch (error) {
      this.#hasMissed = true
      throw error
    }
  }

  /** The minutes from one time to another of some shards. */
  async #minutes(shards: readonly string[], fromMs: number, nowMs: number): Promise<Candidate[]> {
    const prefixes: string[] = []
    const last = bucketOf(nowMs)
    for (let ms = fromMs; bucketOf(ms) <= last; ms += minuteMs)
      prefixes.push(...shards.map((shard) => `${readyPrefix}/${shard}/${bucketOf(ms)}`))
    const listed = await pooled(prefixes, (prefix) => this.#list(prefix, {}, nowMs))
    return listed.flatMap(({ candidates }) => candidates)
  }

  async #list(prefix: string, bounds: ListOptions, nowMs: number) {
    const candidates: Candidate[] = []
    const heads = await this.#sieve.entries(this.#store, prefix, bounds)
    for (const head of heads) {
      const candidate = this.#sieve.candidateOf(head, nowMs)
      if (candidate) candidates.push(candidate)
    }
    return { candidates, count: heads.length }
  }
}
