import {
  create,
  type Entry,
  remove,
  type Store,
  type UnreadableValueError,
  update,
  type Write,
} from '../store/internal.ts'
import { decodeText, encodeText } from './codec.ts'
import { type DocumentMark, type Index, type Mark, noMarks, type StandingOptions } from './mark.ts'
import { pooled } from './pooled.ts'
import { scanned } from './scanned.ts'

interface EntryIndexOptions<T> {
  readonly prefix: string
  /**
   * The entries of a document: paths below the prefix, and their values, '' for mere presence. A document
   * has no two values for the same path, now or later.
   */
  entries(id: string, value: T): readonly (readonly [path: string, value: string])[]
  /** Which document an entry speaks of; null where it can't be one of ours. */
  idOf(path: string, value: string): string | null
}

/** An index of entries that each belong to one document: its key says what, its value adds a little. */
export class EntryIndex<T> implements Index<T> {
  readonly prefix: string
  readonly #options: EntryIndexOptions<T>

  constructor(options: EntryIndexOptions<T>) {
    this.prefix = options.prefix
    this.#options = options
  }

  marks(id: string, value: T): Iterable<Mark> {
    const entries = this.#options.entries(id, value)
    if (entries.length === 0) return noMarks
    return entries.map(
      ([path, content]) => new EntryMark(`${this.prefix}/${path}`, content, this.#idOf),
    )
  }

  /** What stands at a path for mere presence, whichever document it speaks of. */
  presence(path: string): Mark {
    return new EntryMark(`${this.prefix}/${path}`, '', this.#idOf)
  }

  async missing<M extends DocumentMark>(store: Store, marks: readonly M[]): Promise<readonly M[]> {
    const stands = await pooled(marks, async ({ mark }) => {
      const entry = await store.get(mark.name)
      return entry !== null && textOf(entry) === (mark as EntryMark).value
    })
    return marks.filter((_, at) => !stands[at])
  }

  async *standing(
    store: Store,
    { onKey = () => {}, ...bounds }: StandingOptions = {},
  ): AsyncGenerator<DocumentMark> {
    const onUnreadable = ({ key }: UnreadableValueError) => onKey(key)
    for await (const entry of scanned(store, this.prefix, { ...bounds, onUnreadable })) {
      onKey(entry.key)
      const value = textOf(entry)
      const id = this.#idOf(entry.key, value)
      if (id !== null)
        yield { id, mark: new EntryMark(entry.key, value, this.#idOf, entry.revision) }
    }
  }

  readonly #idOf: IdOf = (key, value) =>
    this.#options.idOf(key.slice(this.prefix.length + 1), value)
}

type IdOf = (key: string, value: string) => string | null

class EntryMark implements Mark {
  readonly name: string
  readonly value: string
  readonly revision?: string
  readonly shared = null
  readonly #idOf: IdOf

  constructor(key: string, value: string, idOf: IdOf, revision?: string) {
    this.name = key
    this.value = value
    this.#idOf = idOf
    if (revision !== undefined) this.revision = revision
  }

  async holder(store: Store): Promise<string | null> {
    const entry = await store.get(this.name)
    const value = entry && textOf(entry)
    return value === null || value === this.value ? null : this.#idOf(this.name, value)
  }

  fresh(): Write {
    return create(this.name, encodeText(this.value))
  }

  async put(store: Store, expectAbsent: boolean): Promise<readonly Write[]> {
    const entry = expectAbsent ? null : await store.get(this.name)
    return [entry ? update(entry, encodeText(this.value)) : this.fresh()]
  }

  async drop(store: Store): Promise<readonly Write[]> {
    const entry = await store.get(this.name)
    // With another value it is by now another document's.
    return entry && textOf(entry) === this.value ? [remove(entry)] : []
  }
}

/** Bytes that are no text are nobody's value, and equal none. */
function textOf(entry: Entry): string {
  try {
    return decodeText(entry.value)
  } catch {
    return '\u{FFFD}'
  }
}
