import { StoreError } from '../../../src/store/error.ts'
import type { CommitResult, Write } from '../../../src/store/store.ts'
import { ForwardingStore } from '../../../src/store/wrappers/forwarding.ts'
import { failureFrom } from './refusal.ts'

/**
 * The store for one action of a person. Once a write has not been answered nothing more is written: the queue may still find out
 * what became of it, and otherwise the person decides.
 */
export class WriteOnce extends ForwardingStore {
  #doubt: StoreError | null = null

  override async commit(writes: readonly Write[]): Promise<CommitResult> {
    if (this.#doubt) throw this.#doubt
    try {
      return await this.inner.commit(writes)
    } catch (error) {
      if (!(error instanceof StoreError && error.code === 'unknown_outcome'))
        throw failureFrom(error, true)
      this.#doubt = error
      throw error
    }
  }
}
