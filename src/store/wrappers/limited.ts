import { checkWrites } from '../check.ts'
import type { CommitResult, Store, Write } from '../store.ts'
import { ForwardingStore } from './forwarding.ts'

/** A store with smaller transactions: `limited(store, 1)` behaves like one that has none. */
export const limited = (store: Store, commitWritesMax: number): Store =>
  new LimitedStore(store, commitWritesMax)

class LimitedStore extends ForwardingStore {
  readonly #commitWritesMax: number

  constructor(store: Store, commitWritesMax: number) {
    super(store)
    this.#commitWritesMax = Math.min(commitWritesMax, store.limits.commitWritesMax)
  }

  override get limits(): Store['limits'] {
    return { ...this.inner.limits, commitWritesMax: this.#commitWritesMax }
  }

  override async commit(writes: readonly Write[]): Promise<CommitResult> {
    checkWrites(writes, this.limits)
    return this.inner.commit(writes)
  }
}
