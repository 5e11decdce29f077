import { type Entry, eventLoopTurn, type Store, UnreadableValueError } from '../store/internal.ts'
import { type Definition, idOf } from './definition.ts'
import { CorruptDocumentError, corruptOf, type Document, documentOf } from './document.ts'
import { scanned } from './scanned.ts'

/** The documents of a collection that can be read; those that can't are told of, and passed over. */
export class Readable<T> {
  readonly #store: Store
  readonly #definition: Definition<T>
  readonly #onCorrupt: (error: CorruptDocumentError) => void

  constructor(
    store: Store,
    definition: Definition<T>,
    onCorrupt: (error: CorruptDocumentError) => void,
  ) {
    this.#store = store
    this.#definition = definition
    this.#onCorrupt = onCorrupt
  }

  /** In the order of their keys. */
  async *scan(): AsyncGenerator<Document<T>> {
    const onUnreadable = (error: UnreadableValueError) => this.#tellOf(error)
    for await (const entry of scanned(this.#store, this.#definition.prefix, { onUnreadable })) {
      const turn = eventLoopTurn()
      if (turn) await turn
      const document = this.#documentOf(entry)
      if (document) yield document
    }
  }

  /** What the same documents hold, all at once: for thousands, handing over each alone costs as much again. */
  async values(): Promise<T[]> {
    const values: T[] = []
    let after: string | undefined
    for (;;)
      try {
        for await (const entry of this.#store.scan(this.#definition.prefix, { after })) {
          const turn = eventLoopTurn()
          if (turn) await turn
          const document = this.#documentOf(entry)
          if (document) values.push(document.value)
        }
        return values
      } catch (error) {
        if (!(error instanceof UnreadableValueError)) throw error
        this.#tellOf(error)
        after = error.key
      }
  }

  /** What was read; null where it turns out to be corrupt. */
  async tolerant<R>(read: () => Promise<R | null>): Promise<R | null> {
    try {
      return await read()
    } catch (error) {
      this.#tell(error)
      return null
    }
  }

  /** The document that an entry holds; null where it is none, or corrupt. */
  #documentOf(entry: Entry): Document<T> | null {
    const id = idOf(this.#definition, entry.key)
    if (id === null) return null
    try {
      return documentOf(this.#definition, id, entry)
    } catch (error) {
      this.#tell(error)
      return null
    }
  }

  #tellOf(error: UnreadableValueError): void {
    const id = idOf(this.#definition, error.key)
    if (id !== null) this.#tell(corruptOf(this.#definition, id, error))
  }

  /** Passes over a corrupt document, and nothing else. */
  #tell(error: unknown): void {
    if (!(error instanceof CorruptDocumentError)) throw error
    this.#onCorrupt(error)
  }
}
