import type { Entry, Store, WatchEvent } from '../store/index.ts'
import { commitInOrder } from './commit.ts'
import { type Definition, idOf, keyOf, uncheckedKeyOf } from './definition.ts'
import { CorruptDocumentError, type Document, documentOf } from './document.ts'
import type { Held } from './held.ts'
import { pooled } from './pooled.ts'
import { RecentDocuments } from './recent.ts'
import {
  type RepairOptions,
  type RepairReport,
  type RepairStepOptions,
  type RepairStepReport,
  repair,
  repairStep,
} from './repair.ts'
import { type Outcome, Writer } from './writer.ts'

export interface CollectionOptions {
  /** Told of every corrupt document that a list passes over. */
  readonly onCorrupt?: ((error: CorruptDocumentError) => void) | undefined
}

/** The ids that start with a prefix: how many there are, and the first of them. */
export interface Matches {
  readonly count: number
  readonly ids: readonly string[]
}

/** A hint that a document may have changed, or, after a gap, that any may have: read again. */
export type DocumentEvent =
  | { readonly type: 'resync' }
  | {
      readonly type: 'document'
      /** Which one. */
      readonly id: string
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
  readonly #onCorrupt: (error: CorruptDocumentError) => void

  constructor(store: Store, definition: Definition<T>, { onCorrupt }: CollectionOptions = {}) {
    this.store = store
    this.definition = definition
    this.#writer = new Writer(store, definition)
    this.#recent = definition.recentMax ? new RecentDocuments(definition) : null
    this.#onCorrupt = onCorrupt ?? (() => {})
  }

  /**
   * Creates a document; false where the id is taken, by whatever. An id should not be used again after a
   * deletion, see {@link Writer}.
   */
  async create(id: string, value: T): Promise<boolean> {
    try {
      const { before } = await this.#writer.swap(id, (there) =>
        there === null ? value : undefined,
      )
      return before === null
    } catch (error) {
      if (error instanceof CorruptDocumentError) return false
      throw error
    }
  }

  /**
   * Creates a document under an id that is most likely free, without looking first; null where it is taken, by
   * whatever.
   */
  add(id: string, value: T): Promise<Held<T> | null> {
    return this.#writer
      .swapHeld(id, null, (there) => (there === null ? value : undefined))
      .then(heldIfCreated, nullIfCorrupt)
  }

  /** The same for many, in as few commits as the store allows; false in the places of those that were taken. */
  async addAll(documents: readonly (readonly [id: string, value: T])[]): Promise<boolean[]> {
    const batches = this.#writer.creations(documents)
    if (batches === null)
      return pooled(documents, async ([id, value]) => (await this.add(id, value)) !== null)
    const added: boolean[] = []
    for (const { items, writes } of batches)
      if (await commitInOrder(this.store, writes)) added.push(...items.map(() => true))
      else for (const [id, value] of items) added.push(await this.#isAdded(id, value))
    return added
  }

  /** After a commit that lost, or whose answer was lost: then it may be there already. */
  async #isAdded(id: string, value: T): Promise<boolean> {
    if ((await this.add(id, value)) !== null) return true
    const entry = await this.store.get(keyOf(this.definition, id))
    return entry !== null && Buffer.compare(entry.value, this.definition.codec.encode(value)) === 0
  }

  /** The document as it is, to be changed without another look; null where there is none. */
  hold(id: string): Promise<Held<T> | null> {
    return this.store.get(uncheckedKeyOf(this.definition, id)).then((entry) => {
      if (entry === null) return null
      const { value, revision } = documentOf(this.definition, id, entry)
      return { id, value, revision, marks: [] }
    })
  }

  /** As {@link Collection.change}, beginning with what is held instead of a look; all null where it is gone. */
  changeHeld(held: Held<T>, next: (value: T) => T): Promise<Outcome<T>> {
    return this.#writer.swapHeld(held.id, held, (value) =>
      value === null ? undefined : next(value),
    )
  }

  /** The document, or null where there is none. Throws {@link CorruptDocumentError}. */
  async get(id: string): Promise<Document<T> | null> {
    const entry = await this.store.get(keyOf(this.definition, id))
    return entry && (this.#recent?.documentOf(id, entry) ?? documentOf(this.definition, id, entry))
  }

  /** The documents that are there, in the order of the ids; corrupt ones are told of and left out. */
  async getAll(ids: readonly string[]): Promise<Document<T>[]> {
    const found = await pooled(ids, (id) => this.#tolerant(() => this.get(id)))
    return found.filter((document) => document !== null)
  }

  /**
   * Changes a document by a pure function, which may refuse by throwing. Null where there is no document;
   * else the states before and after, which are the same where the function gave back what it got.
   *
   * The function runs again whenever another writer was faster. Where an answer was lost it may see its own
   * result, and should then leave it as it is.
   */
  async change(
    id: string,
    next: (value: T) => T,
  ): Promise<{ before: T; after: T; held: Held<T> | null } | null> {
    const outcome = await this.#writer.swap(id, (value) =>
      value === null ? undefined : next(value),
    )
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
  async *scan(): AsyncGenerator<Document<T>> {
    for await (const entry of this.store.scan(this.definition.prefix)) {
      const document = this.#readable(entry)
      if (document) yield document
    }
  }

  /** What the same documents hold, all at once: for thousands, handing over each alone costs as much again. */
  async values(): Promise<T[]> {
    const values: T[] = []
    for await (const entry of this.store.scan(this.definition.prefix)) {
      const document = this.#readable(entry)
      if (document) values.push(document.value)
    }
    return values
  }

  /**
   * The ids that start so, as git resolves commits. `idLength` is what a whole id has: one of them is looked
   * up, not searched for. Only for ids that are one segment of their key.
   */
  async resolve(prefix: string, idLength = Number.POSITIVE_INFINITY): Promise<Matches> {
    const start = keyOf(this.definition, prefix)
    const ids = (await this.store.get(start)) ? [prefix] : []
    let count = ids.length
    if (prefix.length >= idLength) return { count, ids }
    for await (const id of this.longerThan(prefix)) if (count++ < matchesNamedMax) ids.push(id)
    return { count, ids }
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

  async #tolerant<R>(read: () => Promise<R | null>): Promise<R | null> {
    try {
      return await read()
    } catch (error) {
      this.#tell(error)
      return null
    }
  }

  /** The document that an entry holds; null where it is none, or corrupt. */
  #readable(entry: Entry): Document<T> | null {
    const id = idOf(this.definition, entry.key)
    if (id === null) return null
    try {
      return documentOf(this.definition, id, entry)
    } catch (error) {
      this.#tell(error)
      return null
    }
  }

  /** Passes over a corrupt document, and nothing else. */
  #tell(error: unknown): void {
    if (!(error instanceof CorruptDocumentError)) throw error
    this.#onCorrupt(error)
  }
}

const heldIfCreated = <T>({ before, held }: Outcome<T>): Held<T> | null =>
  before === null ? held : null

function nullIfCorrupt(error: unknown): null {
  if (error instanceof CorruptDocumentError) return null
  throw error
}

const isThere = <T>(
  outcome: Outcome<T>,
): outcome is { before: T; after: T; held: Held<T> | null } =>
  outcome.before !== null && outcome.after !== null
