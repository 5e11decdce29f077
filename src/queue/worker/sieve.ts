import { decodeText } from '../../collection/index.ts'
import type { Head } from '../../store/internal.ts'
import { bucketOf, idOfPlace, readyPrefix } from '../keys.ts'
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
  /** Ids that tell another type than the task has. */
  strays: ReadonlySet<string> = new Set()
  readonly #foreign = new Memory(foreignRemembered)
  /** Entries that name a type that is not ours, in the state in which they were seen: one may be put right. */
  readonly #foreignEntries = new Memory(foreignRemembered)
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
    const tag = this.strays.has(id) ? null : tagIn(id)
    if (tag !== null && !this.#tags.has(tag)) return true
    return !this.#foreign.isEmpty && this.#foreign.isHeld(id, performance.now())
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
  candidateOf(head: Head & { value?: Uint8Array }, nowMs: number): Candidate | null {
    const { key, revision, value } = head
    const place = this.placeIn(key)
    if (place === null || !this.isWanted(place.id)) return null
    const { id, bucket } = place
    if (this.isForeignEntry(head)) return null
    if (value && value.length > 0 && !this.#settings.handlers.has(decodeText(value))) {
      this.#foreignEntries.hold(`${id} ${revision}`, performance.now() + foreignMs)
      return null
    }
    if (bucket > bucketOf(nowMs)) {
      if (this.isCrowded) this.agenda.add(bucket, id)
      return null
    }
    if (!this.stale.isEmpty && this.stale.isHeld(`${key} ${revision}`, performance.now()))
      return null
    return { id, entry: { key, revision }, source: 'index' }
  }
}
