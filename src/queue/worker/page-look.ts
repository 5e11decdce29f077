import type { Store } from '../../store/internal.ts'
import { firstAfter, readyPrefix } from '../keys.ts'
import type { Settings } from './options.ts'
import type { Candidate, Sieve } from './sieve.ts'

/** How a worker looks at the index of what is ready. */
export interface Look {
  /** What one look finds, what is to be taken first standing first. */
  take(wanted: number, nowMs: number): Promise<Candidate[]>
  /** Something may have come since the last looks that nobody told of. */
  noteMissed(): void
  /** Up to a time by the store's clock, a watch has told of all that came. */
  noteHeard(nowMs: number): void
  /** A task that was known before is due now; others of its minute may have come without a signal. */
  noteDue(): void
  /** All is to be looked at again. */
  restart(): void
  /** How often the index by type is to be looked at besides. */
  readonly straysMs: number
  /** Whether so much is in the way that a look sees only a part of it. */
  readonly isCrowded: boolean
  /** Whether the last look saw all that there was: what comes since is best looked for once that is claimed. */
  readonly isExhausted: boolean
  /** How long to wait for the next look, if nothing was found and an idle worker would wait so long. */
  pauseMs(idleMs: number): number
}

/** After a page that was full of other types, pages are long, and the newest come first, for so long. */
const crowdedMs = 60_000
const crowdedEntries = 1_000
/** How many of the newest are looked at, in each shard. */
const tailEntries = 50
/** Of so many looks of an idle worker beside a crowd, one goes on through all of it, for what came in late. */
const throughEvery = 4
/** How often the index by type is looked at: beside a crowd, and else, for ids that tell another type. */
const straysCrowdedMs = 2_000
export const straysSeldomMs = 5 * 60_000

/**
 * Looks shard by shard, a page from where the last look at it ended: so whatever lies in front, everything gets its turn.
 * For stores where a list costs what it gives.
 */
export class PageLook implements Look {
  isExhausted = false
  readonly #store: Store
  readonly #settings: Settings
  readonly #sieve: Sieve
  readonly #cursors = new Map<string, string>()
  #shardAt: number
  #crowdedUntil = 0
  /** Shards that were not looked through to the end since it became crowded. */
  readonly #unseen = new Set<string>()
  #isTailDue = false
  #nth = 0

  constructor(store: Store, settings: Settings, sieve: Sieve) {
    this.#store = store
    this.#settings = settings
    this.#sieve = sieve
    // Not all workers begin at the same one.
    this.#shardAt = Math.floor(Math.random() * settings.shards.length)
  }

  get isCrowded(): boolean {
    return performance.now() < this.#crowdedUntil
  }

  pauseMs(idleMs: number): number {
    return this.isCrowded && this.#unseen.size > 0 ? 1 : idleMs
  }

  get straysMs(): number {
    return this.isCrowded ? straysCrowdedMs : straysSeldomMs
  }

  /** Each look sees the newest of every shard. */
  noteMissed(): void {}

  noteHeard(): void {}

  noteDue(): void {}

  restart(): void {
    if (this.isCrowded) for (const shard of this.#settings.shards) this.#unseen.add(shard)
  }

  async take(wanted: number, nowMs: number): Promise<Candidate[]> {
    const { shards } = this.#settings
    const wasCrowded = this.isCrowded
    const isTail = this.isCrowded && this.#isNextTail()
    const found: Candidate[] = []
    for (let turn = 0; turn < shards.length && found.length < wanted; turn++) {
      const shard = shards[this.#shardAt++ % shards.length] as string
      found.push(...(await (isTail ? this.#tail(shard, nowMs) : this.#page(shard, nowMs))))
    }
    // The newest before the pass through all: somebody may be waiting for one of them.
    this.#isTailDue = this.isCrowded && !wasCrowded && found.length === 0
    const isSeen = isTail ? this.#unseen.size === 0 : this.#cursors.size === 0
    this.isExhausted = found.length < wanted && isSeen
    return found
  }

  #isNextTail(): boolean {
    if (this.#isTailDue) return true
    return this.#unseen.size === 0 && ++this.#nth % throughEvery !== 0
  }

  /** The newest of a shard, oldest first. */
  async #tail(shard: string, nowMs: number): Promise<Candidate[]> {
    const before = firstAfter(readyPrefix, shard, nowMs)
    const limit = Math.min(this.#settings.readyPageSize, tailEntries)
    const candidates: Candidate[] = []
    const bounds = { before, limit, reverse: true }
    const prefix = `${readyPrefix}/${shard}`
    for (const head of await this.#sieve.entries(this.#store, prefix, bounds)) {
      const candidate = this.#sieve.candidateOf(head, nowMs)
      if (candidate) candidates.unshift(candidate)
    }
    return candidates
  }

  async #page(shard: string, nowMs: number): Promise<Candidate[]> {
    const limit = this.isCrowded ? crowdedEntries : this.#settings.readyPageSize
    const before = firstAfter(readyPrefix, shard, nowMs)
    const cursor = this.#cursors.get(shard)
    const after = cursor !== undefined && cursor < before ? cursor : undefined
    const bounds = { after, before, limit }
    const candidates: Candidate[] = []
    let [count, foreign, last] = [0, 0, '']
    for (const head of await this.#sieve.entries(this.#store, `${readyPrefix}/${shard}`, bounds)) {
      count++
      last = head.key
      const candidate = this.#sieve.candidateOf(head, nowMs)
      if (candidate) candidates.push(candidate)
      else if (this.#sieve.isForeignEntry(head)) foreign++
    }
    if (count === limit) this.#cursors.set(shard, last)
    else this.#leave(shard)
    if (count === limit && foreign > 0) this.#crowd()
    return candidates
  }

  #leave(shard: string): void {
    this.#cursors.delete(shard)
    this.#unseen.delete(shard)
  }

  #crowd(): void {
    const isNew = !this.isCrowded
    this.#crowdedUntil = performance.now() + crowdedMs
    if (isNew) this.restart()
  }
}
