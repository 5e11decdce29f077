import type { Store } from '../../src/store/index.ts'
import { Random } from '../sim/random.ts'
import { altered } from '../store/altered.ts'

const turnsMax = 3

/** Each call takes some turns of the event loop on its way there and back, so that others come in between. */
export function lingering(store: Store, seed: number): Store {
  const random = new Random(seed)
  const linger = async () => {
    for (let turns = random.int(0, turnsMax); turns > 0; turns--)
      await new Promise((resolve) => setImmediate(resolve))
  }
  const slow = async <T>(call: () => Promise<T>): Promise<T> => {
    await linger()
    try {
      return await call()
    } finally {
      await linger()
    }
  }
  async function* slowly<T>(items: () => AsyncIterable<T>): AsyncGenerator<T> {
    await linger()
    for await (const item of items()) {
      yield item
      await linger()
    }
  }
  return altered(store, {
    get: (key) => slow(() => store.get(key)),
    commit: (writes) => slow(() => store.commit(writes)),
    list: (prefix, options) => slowly(() => store.list(prefix, options)),
    scan: (prefix, options) => slowly(() => store.scan(prefix, options)),
  })
}
