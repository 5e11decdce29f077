import type { Store } from '../store/internal.ts'

/**
 * The store's clock as one process has seen it: it goes on between two looks, and never back. A clock that was set back
 * would let expired tokens work again.
 */
export class ForwardClock {
  readonly #store: Store
  #ms = 0
  #at = 0

  constructor(store: Store) {
    this.#store = store
  }

  /** Milliseconds since the epoch, by the last look. */
  now(): number {
    return this.#ms + (performance.now() - this.#at)
  }

  async look(): Promise<void> {
    const ms = await this.#store.now()
    this.#ms = this.#at === 0 ? ms : Math.max(ms, this.now())
    this.#at = performance.now()
  }
}
