import {
  type Entry,
  eventLoopTurn,
  type Store,
  UnreadableValueError,
  type WatchEvent,
} from '../store/internal.ts'
import { Additions, type IsSame } from './additions.ts'
import { type Definition, idOf, keyOf, uncheckedKeyOf } from './definition.ts'
import {
  CorruptDocumentError,
  corruptOf,
  type Document,
  type DocumentEvent,
  documentOf,
  type Matches,
} from './document.ts'
import type { Held } from './held.ts'
import { pooled } from './pooled.ts'
import { Readable } from './readable.ts'
import { RecentDocuments } from './recent.ts'
import {
  type RepairOptions,
  type RepairReport,
  type RepairStepOptions,
  type RepairStepReport,
  repair,
  repairStep,
} from './repair.ts'
import { type Outcome, type SwapOptions, Writer } from './writer.ts'

export interface CollectionOptions {
  /** Told of every corrupt document that a list passes over. */
  readonly onCorrupt?: ((error: CorruptDocumentError) => void) | undefined
}

/** How many ids a resolution names at most; it counts them all. */
const matchesNamedMax = 20

/** Sorts after every character that an id may have. */
const last = '\u{10FFFF}'

/**
 * Typed documents with indexes, on any store. Every index is a pure function of the document; see
 * {@link Writer} for how both change together. What an index says is a hint: read the document, and look.
 */
export class Collection<T> {
  readonly store: Store
  readonly definition: Definition<T>
  readonly #writer: Writer<T>
  readonly #recent: RecentDocuments<T> | null
  readonly #readable: Readable<T>
  readonly #additions: Additions<T>

  constructor(store: Store, definition: Definition<T>, { onCorrupt }: CollectionOptions = {}) {
    this.store = store
    this.definition = definition
    this.#writer = new Writer(store, definition)
    this.#recent = definition.recentMax ? new RecentDocuments(definition) : null
    this.#readable = new Readable(store, definition, onCorrupt ?? (() => {}))
    this.#additions = new Additions(store, definition, this.#writer)
  }

  /**
   * Creates a document; false where the id is taken, by whatever. An id should not be used again after a
   * deletion, see {@link Writer}.
   */
  async create(id: string, value: T, options?: SwapOptions): Promise<boolean> {
    try {
      const next = (there: T | null) => (there === null ? value : undefined)
      const { before } = await this.#writer.swap(id, next, options)
      return before === null
    } catch (error) {
      if (error instanceof CorruptDocumentError) return false
      throw error
    }
  }

  /**
   * As `create`, in one attempt: null where the id was taken, and is free again. A lost answer is told, unless the
   * document is there as it was meant: else nobody knows whether it was there, and is deleted.
   */
  async createOnce(id: string, value: T): Promise<boolean | null> {
    let isTried = false
    const { before, after } = await this.#writer.swap(id, (there) => {
      if (there !== null || isTried) return undefined
      isTried = true
      return value
    })
    return before === null && after === null ? null : before === null
  }

  /**
   * Creates a document under an id that is most likely free, without looking first; null where it is taken, by
   * whatever.
   */
  add(id: string, value: T): Promise<Held<T> | null> {
    return this.#writer
      .swapHeld(id, null, (there) => (there === null ? value : undefined))
      .then(({ before, held }) => (before === null ? held : null), nullIfCorrupt)
  }

  /**
   * The same for documents that others may change at once. Returns false if the id is taken. After a lost answer, `isSame` says
   * whether the existing document was created here.
   */
  addShared(id: string, value: T, isSame: IsSame<T>): Promise<boolean> {
    return this.#additions.one(id, value, isSame)
  }

  /** The same for many, in as few commits as the store allows; false in the places of those that were taken. */
  addAll(
    documents: readonly (readonly [id: string, value: T])[],
    isSame: IsSame<T>,
  ): Promise<boolean[]> {
    return this.#additions.many(documents, isSame)
  }

  /** The document as it is, to be changed without another look; null where there is none. */
  hold(id: string): Promise<Held<T> | null> {
    return this.store.get(uncheckedKeyOf(this.definition, id)).then(
      (entry) => {
        if (entry === null) return null
        const { value, revision } = documentOf(this.definition, id, entry)
        return { id, value, revision, marks: [] }
      },
      (error) => {
        throw corruptOf(this.definition, id, error)
      },
    )
  }

  /** As {@link Collection.change}, beginning with what is held instead of a look; all null where it is gone. */
  changeHeld(held: Held<T>, next: (value: T) => T): Promise<Outcome<T>> {
    return this.#writer.swapHeld(held.id, held, (value) =>
      value === null ? undefined : next(value),
    )
  }

  /** The document, or null where there is none. Throws {@link CorruptDocumentError}. */
  async get(id: string): Promise<Document<T> | null> {
    const entry = await this.#entryOf(id)
    return entry && this.#decoded(id, entry)
  }

  #entryOf(id: string): Promise<Entry | null> {
    return this.store.get(keyOf(this.definition, id)).catch((error: unknown) => {
      throw corruptOf(this.definition, id, error)
    })
  }

  #decoded(id: string, entry: Entry): Document<T> {
    return this.#recent?.documentOf(id, entry) ?? documentOf(this.definition, id, entry)
  }

  /** The documents that are there, in the order of the ids; corrupt ones are told of and left out. */
  async getAll(ids: readonly string[]): Promise<Document<T>[]> {
    const found = await pooled(ids, (id) => this.#readable.tolerant(() => this.#getInTurn(id)))
    return found.filter((document) => document !== null)
  }

  /** Entries that arrive together are not decoded in one go: that may take longer than reading them. */
  async #getInTurn(id: string): Promise<Document<T> | null> {
    const entry = await this.#entryOf(id)
    const turn = eventLoopTurn()
    if (turn) await turn
    return entry && this.#decoded(id, entry)
  }

  /**
   * Changes a document by a pure function, which may refuse by throwing. Null where there is no document;
   * else the states before and after, which are the same where the function gave back what it got.
   *
   * The function runs again whenever another writer was faster, so what it asks for, such as the time, is as late
   * as can be. Where an answer was lost it may see its own result, and should then leave it as it is.
   */
  async change(
    id: string,
    next: (value: T) => T | Promise<T>,
    options?: SwapOptions,
  ): Promise<{ before: T; after: T; held: Held<T> | null } | null> {
    const nextIfThere = (value: T | null) => (value === null ? undefined : next(value))
    const outcome = await this.#writer.swap(id, nextIfThere, options)
    return isThere(outcome) ? outcome : null
  }

  /** Deletes a document and answers with it; null where there is none. `check` may refuse by throwing. */
  async delete(id: string, check: (value: T) => void = () => {}): Promise<T | null> {
    const { before } = await this.#writer.swap(id, (value) => {
      if (value !== null) check(value)
      return null
    })
    return before
  }

  /** Deletes what lies under an id even where it is corrupt, and all that any index says about it. */
  async discard(id: string): Promise<boolean> {
    const isGone = await this.#writer.discard(id)
    for (const index of this.definition.indexes)
      for await (const standing of index.standing(this.store))
        if (standing.id === id) await this.#writer.mender.sweep(id, standing.mark)
    return isGone
  }

  /** All documents in the order of their keys; corrupt ones are told of and left out. */
  scan(): AsyncGenerator<Document<T>> {
    return this.#readable.scan()
  }

  /** What the same documents hold, all at once: for thousands, handing over each alone costs as much again. */
  values(): Promise<T[]> {
    return this.#readable.values()
  }

  /**
   * The ids that start so, as git resolves commits. `idLength` is what a whole id has: one of them is looked
   * up, not searched for. Only for ids that are one segment of their key.
   */
  async resolve(prefix: string, idLength = Number.POSITIVE_INFINITY): Promise<Matches> {
    const start = keyOf(this.definition, prefix)
    const ids = (await this.#isThere(start)) ? [prefix] : []
    let count = ids.length
    if (prefix.length >= idLength) return { count, ids }
    for await (const id of this.longerThan(prefix)) if (count++ < matchesNamedMax) ids.push(id)
    return { count, ids }
  }

  /** Also where it can't be read. */
  #isThere(key: string): Promise<boolean> {
    return this.store.get(key).then(
      (entry) => entry !== null,
      (error) => {
        if (error instanceof UnreadableValueError) return true
        throw error
      },
    )
  }

  /** The ids that start so and go on. */
  async *longerThan(prefix: string): AsyncGenerator<string> {
    const start = keyOf(this.definition, prefix)
    const bounds = { after: start, before: `${start}${last}` }
    for await (const { key } of this.store.list(this.definition.prefix, bounds)) {
      const id = idOf(this.definition, key)
      if (id !== null) yield id
    }
  }

  /** Tells which documents may have changed, as {@link Store.watch} does of keys. */
  async *watch(signal?: AbortSignal): AsyncGenerator<DocumentEvent> {
    for await (const event of this.store.watch(this.definition.prefix, signal)) {
      const told = this.#documentEvent(event)
      if (told) yield told
    }
  }

  /** Brings the indexes to what the documents say, or with `dryRun` only counts what is not so. */
  repair(options?: RepairOptions): Promise<RepairReport> {
    const { store, definition } = this
    return repair({ store, definition, mender: this.#writer.mender }, options)
  }

  /** One bounded step of a repair that never ends; see {@link repairStep}. */
  repairStep(options: RepairStepOptions<T>): Promise<RepairStepReport> {
    const { store, definition } = this
    return repairStep({ store, definition, mender: this.#writer.mender }, options)
  }

  #documentEvent(event: WatchEvent): DocumentEvent | null {
    if (event.type === 'resync') return event
    const id = idOf(this.definition, event.key)
    return id === null ? null : { type: 'document', id }
  }
}

function nullIfCorrupt(error: unknown): null {
  if (error instanceof CorruptDocumentError) return null
  throw error
}

const isThere = <T>(
  outcome: Outcome<T>,
): outcome is { before: T; after: T; held: Held<T> | null } =>
  outcome.before !== null && outcome.after !== null
