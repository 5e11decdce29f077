import type { Head, Store } from '../store/internal.ts'

interface Kept<T> {
  readonly value: T
  /** The states of which it was made. */
  readonly heads: readonly Head[]
}

/**
 * Keeps values that were made of documents, those used last. A value is given again only if the store says, then and there, that
 * all these documents are still in the same states. On a store that cannot say so at once, nothing is kept.
 */
export class StateCache<T> {
  readonly #store: Store
  readonly #valuesMax: number
  readonly #kept = new Map<string, Kept<T>>()

  constructor(store: Store, valuesMax: number) {
    this.#store = store
    this.#valuesMax = valuesMax
  }

  get(name: string): T | null {
    const kept = this.#kept.get(name)
    if (!kept) return null
    this.#kept.delete(name)
    if (!this.#store.isStill?.(kept.heads)) return null
    // Put in anew each time, so that the first is the one that nobody has asked for the longest.
    this.#kept.set(name, kept)
    return kept.value
  }

  set(name: string, value: T, heads: readonly Head[]): void {
    if (!this.#store.isStill) return
    this.#kept.delete(name)
    this.#kept.set(name, { value, heads })
    if (this.#kept.size <= this.#valuesMax) return
    const [oldest] = this.#kept.keys()
    if (oldest !== undefined) this.#kept.delete(oldest)
  }
}
