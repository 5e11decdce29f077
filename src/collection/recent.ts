import type { Entry } from '../store/internal.ts'
import type { Definition } from './definition.ts'
import { type Document, documentOf } from './document.ts'

/** Larger ones are decoded each time: a thousand of them would fill the memory. */
const bytesMax = 8_192

/** Documents as they were decoded last. */
export class RecentDocuments<T> {
  readonly #definition: Definition<T>
  readonly #countMax: number
  readonly #documents = new Map<string, Document<T>>()

  constructor(definition: Definition<T>) {
    this.#definition = definition
    this.#countMax = definition.recentMax ?? 0
  }

  /** Throws what `documentOf` throws. */
  documentOf(id: string, entry: Entry): Document<T> {
    const known = this.#documents.get(id)
    const isSame = known?.revision === entry.revision
    const document = isSame ? known : documentOf(this.#definition, id, entry)
    if (isSame || entry.value.byteLength <= bytesMax) this.#keep(document)
    return document
  }

  #keep(document: Document<T>): void {
    // Put in anew each time, so that the first is the one that nobody has asked for the longest.
    this.#documents.delete(document.id)
    this.#documents.set(document.id, document)
    if (this.#documents.size <= this.#countMax) return
    const [oldest] = this.#documents.keys()
    if (oldest !== undefined) this.#documents.delete(oldest)
  }
}
