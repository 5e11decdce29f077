import { create, type Entry, remove, type Store, update, type Write } from '../store/index.ts'
import { fitsOneCommit } from './commit.ts'
import { type Definition, keyOf } from './definition.ts'
import { type Mark, marksOf } from './mark.ts'

/** One attempt at a swap of a document: its write, and the marks that come and go with it. */
export class Change<T> {
  readonly id: string
  readonly entry: Entry | null
  readonly before: T | null
  readonly after: T | null
  readonly write: Write
  readonly puts: readonly Mark[]
  readonly drops: readonly Mark[]
  /** What the document will be as bytes; null where it goes. */
  readonly #bytes: Uint8Array | null

  /** `leftover` are marks that earlier attempts put and that may now be stale. */
  constructor(
    definition: Definition<T>,
    states: { id: string; entry: Entry | null; before: T | null; after: T | null },
    leftover: ReadonlyMap<string, Mark>,
  ) {
    const { id, entry, before, after } = states
    const had = marksOf(definition.indexes, id, before)
    const wanted = marksOf(definition.indexes, id, after)
    this.id = id
    this.entry = entry
    this.before = before
    this.after = after
    this.#bytes = after === null ? null : definition.codec.encode(after)
    this.write = writeOf(keyOf(definition, id), entry, this.#bytes)
    this.puts = [...wanted.values()].filter(({ name }) => !had.has(name))
    this.drops = [...new Map([...leftover, ...had]).values()].filter(
      ({ name }) => !wanted.has(name),
    )
  }

  /** The keys that marks of other documents share with this change. */
  get sharedKeys(): string[] {
    const keys = [...this.puts, ...this.drops].map(({ shared }) => shared)
    return [...new Set(keys.filter((key) => key !== null))]
  }

  /** Whether it is any use to plan all of it as one commit. */
  mayFitOneCommit(store: Store): boolean {
    const marks = [...this.puts, ...this.drops].map(({ name }) => name)
    return fitsOneCommit(store, [this.write.key, ...marks])
  }

  /** Whether what is stored is what this change meant to leave behind. */
  isDoneIn(entry: Entry | null): boolean {
    if (entry === null || this.#bytes === null) return entry === this.#bytes
    return Buffer.compare(entry.value, this.#bytes) === 0
  }
}

function writeOf(key: string, entry: Entry | null, bytes: Uint8Array | null): Write {
  if (entry === null) return create(key, bytes as Uint8Array)
  return bytes === null ? remove(entry) : update(entry, bytes)
}
