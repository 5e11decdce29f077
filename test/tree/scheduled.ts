import type fc from 'fast-check'
import type { Store } from '../../src/store/index.ts'

/** A store whose calls can be replaced one by one. */
export const through = (store: Store): Store => ({
  limits: store.limits,
  get: (key) => store.get(key),
  commit: (writes) => store.commit(writes),
  list: (prefix, options) => store.list(prefix, options),
  scan: (prefix, options) => store.scan(prefix, options),
  watch: (prefix, signal) => store.watch(prefix, signal),
  now: () => store.now(),
  [Symbol.asyncDispose]: async () => {},
})

/** Every call of the store waits for its turn, in an order that fast-check chooses, and shrinks. */
export function scheduled(store: Store, scheduler: fc.Scheduler): Store {
  const step = <T>(call: () => Promise<T>) => scheduler.schedule(Promise.resolve()).then(call)
  async function* later<T>(items: () => AsyncIterable<T>): AsyncGenerator<T> {
    await scheduler.schedule(Promise.resolve())
    yield* items()
  }
  return {
    ...through(store),
    get: (key) => step(() => store.get(key)),
    commit: (writes) => step(() => store.commit(writes)),
    list: (prefix, options) => later(() => store.list(prefix, options)),
    scan: (prefix, options) => later(() => store.scan(prefix, options)),
  }
}
