import { StoreError } from '../error.ts'
import { guarded } from '../guard.ts'
import type { Store } from '../store.ts'
import { ForwardingStore } from './forwarding.ts'

/**
 * A store with smaller transactions: `limited(store, 1)` behaves like one that has none.
 *
 * @example
 * ```js
 * import { create, limited, openStore } from 'holdfast/store'
 *
 * const store = limited(await openStore('memory:'), 1)
 * const writes = ['a', 'b'].map((name) => create(`shop/${name}`, Uint8Array.of(1)))
 * await store.commit(writes).catch(({ reason }) => console.log(reason)) // too_many_writes
 * await store[Symbol.asyncDispose]()
 * ```
 */
export function limited(store: Store, commitWritesMax: number): Store {
  if (!(Number.isInteger(commitWritesMax) && commitWritesMax >= 1))
    throw new StoreError(
      'bad_option',
      `A limit of ${commitWritesMax} writes is not possible.`,
      'Give a whole number from 1 on.',
    )
  // The guard refuses whatever is over the limits that this one shows.
  return guarded(new LimitedStore(store, commitWritesMax))
}

class LimitedStore extends ForwardingStore {
  readonly #commitWritesMax: number

  constructor(store: Store, commitWritesMax: number) {
    super(store)
    this.#commitWritesMax = Math.min(commitWritesMax, store.limits.commitWritesMax)
  }

  override get limits(): Store['limits'] {
    return { ...this.inner.limits, commitWritesMax: this.#commitWritesMax }
  }
}
