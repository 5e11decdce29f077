import { pooled } from '../../collection/index.ts'
import type { Head, ListOptions, Store } from '../../store/internal.ts'
import { straysOf, straysPrefix } from '../keys.ts'
import { tagOf } from '../type-tag.ts'
import type { Settings } from './options.ts'
import type { Candidate, Sieve } from './sieve.ts'

/** How many entries one look takes. */
const entriesMax = 1_000
/** How seldom all of the index is passed through once more where it is more than one look takes. */
const passMs = 60 * 60_000

/**
 * Looks at the index by type, one list a look: at all of it where that is little, else at one of our types after the other,
 * and in between, once an hour, page by page at all of it.
 */
export class Strays {
  readonly #store: Store
  readonly #sieve: Sieve
  readonly #tags: readonly string[]
  /** Whether a list costs all that lies below its prefix, whatever its limit. */
  readonly #isWhole: boolean
  /** Whether one look does not take all types. */
  #isCut = false
  #at = 0
  /** Where the look at a type goes on that had more than one look takes. */
  readonly #cursors = new Map<string, string>()
  /** Where the pass through all types goes on, '' at its beginning; null where it is through. */
  #passAfter: string | null = ''
  #passAt = 0
  #nth = 0

  constructor(store: Store, settings: Settings, sieve: Sieve) {
    this.#store = store
    this.#sieve = sieve
    this.#tags = [...new Set([...settings.handlers.keys()].map(tagOf))]
    const { watch, listCost } = store.limits
    this.#isWhole = watch === 'push' && listCost === 'prefix'
  }

  /** Whether the ids of all types have been seen, as far as they were there an hour ago. */
  get isThrough(): boolean {
    if (performance.now() >= this.#passAt + passMs) this.#passAfter ??= ''
    return this.#passAfter === null
  }

  /** Tasks of our types that are due. */
  async look(nowMs: number): Promise<Candidate[]> {
    // Where all below a prefix is sent, no type but ours is listed.
    if (this.#isWhole) {
      const found = await pooled(this.#tags, (tag) => this.#ofType(tag, nowMs))
      return found.flat()
    }
    if (!this.#isCut || (!this.isThrough && ++this.#nth % 2 === 0)) return this.#pass(nowMs)
    return this.#ofType(this.#tags[this.#at++ % this.#tags.length] as string, nowMs)
  }

  async #ofType(tag: string, nowMs: number): Promise<Candidate[]> {
    const { prefix, before } = straysOf(tag, nowMs)
    const after = this.#cursors.get(tag)
    const { candidates, last } = await this.#list(prefix, { after, before }, nowMs)
    if (last === null) this.#cursors.delete(tag)
    else this.#cursors.set(tag, last)
    return candidates
  }

  /** A page of all types: so tasks of other types are known, and not read where the other index names them. */
  async #pass(nowMs: number): Promise<Candidate[]> {
    const from = this.#passAfter ?? ''
    const after = from === '' ? undefined : from
    const { candidates, last } = await this.#list(straysPrefix, { after }, nowMs)
    if (after === undefined) this.#isCut = last !== null
    if (last === null) this.#passAt = performance.now()
    this.#passAfter = last
    return candidates
  }

  async #list(prefix: string, bounds: ListOptions, nowMs: number) {
    const candidates: Candidate[] = []
    let count = 0
    let last: Head | null = null
    const limit = this.#isWhole ? undefined : entriesMax
    for await (const head of this.#store.list(prefix, { ...bounds, limit })) {
      count++
      last = head
      const candidate = this.#sieve.strayOf(head, nowMs)
      if (candidate) candidates.push(candidate)
    }
    return { candidates, last: count === limit && last ? last.key : null }
  }
}
