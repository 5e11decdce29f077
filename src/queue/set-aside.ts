import { CorruptDocumentError, Refusal } from '../collection/index.ts'
import { StoreError } from '../store/internal.ts'

/** Of so many documents it is remembered that they were told of. */
const toldMax = 10_000

/** Documents that can't be served: each is told of once, and all others go on without it. */
export class SetAside {
  readonly #warn: (warning: string) => void
  readonly #told = new Set<string>()

  constructor(warn: (warning: string) => void) {
    this.#warn = warn
  }

  /** `what` is a sentence, the first that is said of this document. */
  tell(id: string, what: string): void {
    if (this.#told.has(id)) return
    this.#told.add(id)
    const [oldest] = this.#told
    if (this.#told.size > toldMax) this.#told.delete(oldest as string)
    this.#warn(what)
  }

  /** The same of what was thrown; `what` says what could not be done. */
  tellError(id: string, what: string, error: unknown): void {
    const words = error instanceof Refusal ? error.what : wordsOf(error)
    this.tell(id, error instanceof CorruptDocumentError ? words : `${what}: ${words}`)
  }
}

/**
 * Whether a failure is that of one document, so that others may be served meanwhile: it can't be read, or what is to be
 * made of it can't be written. Everything else is the store's.
 */
export const isOfOneDocument = (error: unknown): boolean =>
  !(error instanceof StoreError) || error.reason === 'too_large'

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
