import { decodeText } from '../../collection/index.ts'
import type { Head, ListOptions, Store } from '../../store/internal.ts'
import { bucketOf, idOfPlace, readyPrefix, strayIn, straysPrefix } from '../keys.ts'
import { tagIn, tagOf } from '../type-tag.ts'
import { Agenda } from './agenda.ts'
import { Memory } from './memory.ts'
import type { Settings } from './options.ts'

/** A task that can perhaps be claimed. */
export interface Candidate {
  readonly id: string
  /** The entry of the index by which it was found, where its state is known. */
  readonly entry: Head | null
  readonly source: 'index' | 'watch' | 'log' | 'blank'
}

/** An entry as it is listed, with its value where that was read. */
type Listed = Head & { readonly value?: Uint8Array }

const idsRemembered = 20_000
/** Types never change, so a task of another type is read once, as long as there are not more of them without a tag. */
const foreignRemembered = 200_000
const foreignMs = 6 * 3_600_000

/** Tells what is worth a look from what is not, by keys alone. */
export class Sieve {
  /** Ids not to be tried before a time: not due yet, corrupt. */
  readonly memory = new Memory(idsRemembered)
  /** Entries of tasks that are not pending, in the state in which they were seen. */
  readonly stale = new Memory(idsRemembered)
  /** Tasks that a scan of the log need not look at again in the state in which they were seen. */
  readonly ended = new Memory(idsRemembered)
  /** Tasks that will be ready, where a look does not see all there is. */
  readonly agenda = new Agenda()
  isCrowded = false
  readonly #foreign = new Memory(foreignRemembered)
  /** Entries that name a type that is not ours, in the state in which they were seen: one may be put right. */
  readonly #foreignEntries = new Memory(foreignRemembered)
  /** Tasks of our types whose ids do not tell it, since an entry has told. */
  readonly #ours = new Memory(idsRemembered)
  readonly #tags: ReadonlySet<string>
  readonly #settings: Settings
  readonly #isInHand: (id: string) => boolean

  constructor(settings: Settings, isInHand: (id: string) => boolean) {
    this.#settings = settings
    this.#isInHand = isInHand
    this.#tags = new Set([...settings.handlers.keys()].map(tagOf))
  }

  noteForeign(id: string): void {
    this.#foreign.hold(id, performance.now() + foreignMs)
  }

  /** Whether a task is known to be of a type that is not ours, by its id or since it was read. */
  isForeign(id: string): boolean {
    const tag = tagIn(id)
    if (tag !== null && !this.#tags.has(tag)) return true
    return this.#isNotedForeign(id)
  }

  #isNotedForeign(id: string): boolean {
    return !this.#foreign.isEmpty && this.#foreign.isHeld(id, performance.now())
  }

  /** Whether neither its key nor what is known tells whether an entry is for us: its value does, or the task. */
  isUntold(head: Listed): boolean {
    if (head.value && head.value.length > 0) return false
    const place = this.placeIn(head.key)
    if (place === null || tagIn(place.id) !== null || !this.isWanted(place.id)) return false
    return !this.isForeignEntry(head) && !this.#ours.isHeld(place.id, performance.now())
  }

  /** Entries of the index of what is ready: with their types, where keys do not tell and a value costs no request. */
  async entries(store: Store, prefix: string, bounds: ListOptions): Promise<Listed[]> {
    const heads: Listed[] = []
    for await (const head of store.list(prefix, bounds)) heads.push(head)
    if (store.limits.commitWritesMax === 1 || !heads.some((head) => this.isUntold(head)))
      return heads
    const entries: Listed[] = []
    for await (const entry of store.scan(prefix, bounds)) entries.push(entry)
    return entries
  }

  /** Whether an entry is nothing for us, by its key or since its value was read. */
  isForeignEntry({ key, revision }: Head): boolean {
    const place = this.placeIn(key)
    if (place === null) return true
    if (this.#foreignEntries.isEmpty) return false
    return this.#foreignEntries.isHeld(`${place.id} ${revision}`, performance.now())
  }

  /** Whether a task may be tried now. */
  isWanted(id: string): boolean {
    return !this.#isInHand(id) && !this.memory.isHeld(id, performance.now())
  }

  /** What a key of the index speaks of; null where it is nothing for us, at any time. */
  placeIn(key: string): { readonly id: string; readonly bucket: string } | null {
    const path = key.slice(readyPrefix.length + 1)
    const id = idOfPlace(path)
    if (id === null || !this.#settings.shards.includes(path.charAt(0))) return null
    return this.isForeign(id) ? null : { id, bucket: path.slice(2, 12) }
  }

  /** What is not due yet goes to the agenda. */
  candidateOf(head: Listed, nowMs: number): Candidate | null {
    const { key, revision, value } = head
    const place = this.placeIn(key)
    if (place === null || !this.isWanted(place.id)) return null
    const { id, bucket } = place
    if (this.isForeignEntry(head)) return null
    if (value && value.length > 0) {
      const isOurs = this.#settings.handlers.has(decodeText(value))
      if (isOurs) this.#ours.hold(id, performance.now() + foreignMs)
      else this.#foreignEntries.hold(`${id} ${revision}`, performance.now() + foreignMs)
      if (!isOurs) return null
    }
    return this.#indexed(id, bucket, { key, revision }, nowMs)
  }

  /** What an entry of the index by type speaks of, if that is for us; a task of another type is not read elsewhere then. */
  strayOf({ key, revision }: Head, nowMs: number): Candidate | null {
    const stray = strayIn(key.slice(straysPrefix.length + 1))
    if (stray === null) return null
    const { id, tag, bucket } = stray
    if (tag !== null && !this.#tags.has(tag)) {
      if (tagIn(id) === null) this.noteForeign(id)
      return null
    }
    if (!this.#settings.shards.includes(id.charAt(0))) return null
    if (this.#isNotedForeign(id) || !this.isWanted(id)) return null
    return this.#indexed(id, bucket ?? bucketOf(nowMs), { key, revision }, nowMs)
  }

  #indexed(id: string, bucket: string, entry: Head, nowMs: number): Candidate | null {
    if (bucket > bucketOf(nowMs)) {
      if (this.isCrowded) this.agenda.add(bucket, id)
      return null
    }
    const { key, revision } = entry
    if (!this.stale.isEmpty && this.stale.isHeld(`${key} ${revision}`, performance.now()))
      return null
    return { id, entry, source: 'index' }
  }
}
