import {
  create,
  type Entry,
  type Head,
  isSameBytes,
  remove,
  type Store,
  update,
  type Write,
} from '../store/internal.ts'
import { fitsOneCommit } from './commit.ts'
import { type Definition, keyOf } from './definition.ts'
import type { Held } from './held.ts'
import { type Mark, marksOf, without } from './mark.ts'

/** One attempt at a swap of a document: its write, and the marks that come and go with it. */
export class Change<T> {
  readonly id: string
  readonly entry: Head | null
  readonly before: T | null
  readonly after: T | null
  readonly write: Write
  readonly puts: readonly Mark[]
  readonly drops: readonly Mark[]
  /** What the document will be as bytes; null where it goes. */
  readonly #bytes: Uint8Array | null
  /** Marks that are known to stand, in the states in which they were seen or left. */
  readonly #seen: readonly Head[]
  #noted: readonly Head[] = noHeads
  /** The writes that have won, and the states in which they have left their keys. */
  #writes: readonly Write[] = noWrites
  #revisions: readonly (string | null)[] = noRevisions

  /** `marks` are those whose states are known; `leftover` those that earlier attempts put and that may be stale. */
  constructor(
    definition: Definition<T>,
    states: {
      id: string
      entry: Head | null
      before: T | null
      after: T | null
      marks: readonly Head[]
    },
    leftover: ReadonlyMap<string, Mark>,
  ) {
    const { id, entry, before, after, marks } = states
    const had = marksOf(definition.indexes, id, before)
    const wanted = marksOf(definition.indexes, id, after)
    this.#seen = marks
    this.id = id
    this.entry = entry
    this.before = before
    this.after = after
    this.#bytes = after === null ? null : definition.codec.encode(after)
    this.write =
      entry === null
        ? create(keyOf(definition, id), this.#bytes as Uint8Array)
        : swapOf(entry, this.#bytes)
    this.puts = without(wanted, had)
    const earlier = leftover.size === 0 ? had : [...new Map([...leftover, ...named(had)]).values()]
    this.drops = without(earlier, wanted)
  }

  /** The document after a swap that has won; null where its revision is not known. */
  get held(): Held<T> | null {
    const { id, after } = this
    const heads = this.#heads()
    const revision = headAmong(heads, this.write.key)?.revision
    if (after === null || revision === undefined) return null
    return { id, value: after, revision, marks: heads.filter(({ key }) => this.#isStanding(key)) }
  }

  /** All that is known to stand: first what was left, then what was seen. */
  #heads(): Head[] {
    const heads = [...this.#noted]
    for (let at = 0; at < this.#writes.length; at++) {
      const revision = this.#revisions[at] ?? null
      if (revision !== null) heads.push({ key: (this.#writes[at] as Write).key, revision })
    }
    heads.push(...this.#seen)
    return heads
  }

  #isStanding(key: string): boolean {
    if (key === this.write.key) return false
    for (const { name } of this.drops) if (name === key) return false
    return true
  }

  /** Remembers the state in which a write has left its key, in place of an earlier one. */
  note(head: Head): void {
    this.#noted = [head, ...this.#noted.filter(({ key }) => key !== head.key)]
  }

  /** The same for all writes of a commit. */
  noteAll(writes: readonly Write[], revisions: readonly (string | null)[]): void {
    this.#writes = writes
    this.#revisions = revisions
  }

  /** What takes the stale marks away, if the states of all of them are known. */
  knownDrops(): readonly Write[] | null {
    const writes = new Array<Write>(this.drops.length)
    for (let at = 0; at < writes.length; at++) {
      const { name, shared } = this.drops[at] as Mark
      const head = shared === null ? headAmong(this.#seen, name) : undefined
      if (!head) return null
      writes[at] = remove(head)
    }
    return writes
  }

  /** What makes the new marks stand, if that can be said without a look. */
  freshPuts(): readonly Write[] | null {
    if (this.puts.length === 0) return noWrites
    return this.puts.every(isFresh) ? this.puts.map((mark) => mark.fresh()) : null
  }

  get bytes(): number {
    return this.#bytes?.byteLength ?? 0
  }

  /**
   * All of it as one commit, where that fits and needs no look; else null. The document comes first: who loses does so
   * there, and on some stores what fails at once has nothing to undo.
   */
  atOnce(store: Store): Write[] | null {
    const puts = this.mayFitOneCommit(store) ? this.freshPuts() : null
    const drops = puts && this.knownDrops()
    if (!puts || !drops) return null
    return [this.write, ...puts, ...drops]
  }

  /** Whether marks of other documents share a key with one of this change. */
  get hasShared(): boolean {
    return this.puts.some(isShared) || this.drops.some(isShared)
  }

  /** The keys that marks of other documents share with this change. */
  get sharedKeys(): string[] {
    const keys = [...this.puts, ...this.drops].map(({ shared }) => shared)
    return [...new Set(keys.filter((key) => key !== null))]
  }

  /** Whether it is any use to plan all of it as one commit. */
  mayFitOneCommit(store: Store): boolean {
    const { commitWritesMax, commitSpan } = store.limits
    if (this.puts.length + this.drops.length >= commitWritesMax) return false
    if (commitSpan === 'store') return true
    const marks = [...this.puts, ...this.drops].map(({ name }) => name)
    return fitsOneCommit(store, [this.write.key, ...marks])
  }

  /**
   * Whether a change that is not what is stored may have happened all the same, and others have changed that since. A removal
   * can't, for ids are not used again.
   */
  mayBeOver(entry: Entry | null): boolean {
    return this.#bytes !== null && (entry === null || entry.revision !== this.entry?.revision)
  }

  /** Whether what is stored is what this change meant to leave behind. */
  isDoneIn(entry: Entry | null): boolean {
    if (entry === null || this.#bytes === null) return entry === this.#bytes
    return isSameBytes(entry.value, this.#bytes)
  }
}

const noHeads: readonly Head[] = []
const noWrites: readonly Write[] = []
const noRevisions: readonly (string | null)[] = []

const isFresh = (mark: Mark): mark is Mark & Required<Pick<Mark, 'fresh'>> =>
  mark.fresh !== undefined

const isShared = ({ shared }: Mark): boolean => shared !== null

function headAmong(heads: readonly Head[], key: string): Head | undefined {
  for (const head of heads) if (head.key === key) return head
  return undefined
}

const named = (marks: readonly Mark[]): [string, Mark][] => marks.map((mark) => [mark.name, mark])

const swapOf = (entry: Head, bytes: Uint8Array | null): Write =>
  bytes === null ? remove(entry) : update(entry, bytes)
