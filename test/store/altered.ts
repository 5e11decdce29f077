import type fc from 'fast-check'
import type { Store } from '../../src/store/index.ts'

/** A store that does some things otherwise. */
export const altered = (store: Store, changes: Partial<Store> = {}): Store => ({
  limits: store.limits,
  get: (key) => store.get(key),
  list: (prefix, options) => store.list(prefix, options),
  scan: (prefix, options) => store.scan(prefix, options),
  commit: (writes) => store.commit(writes),
  watch: (prefix, signal) => store.watch(prefix, signal),
  now: () => store.now(),
  [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  ...changes,
})

/** Every call of the store waits for its turn, in an order that fast-check chooses, and shrinks. */
export function scheduled(store: Store, scheduler: fc.Scheduler): Store {
  const step = <T>(call: () => Promise<T>) => scheduler.schedule(Promise.resolve()).then(call)
  async function* later<T>(items: () => AsyncIterable<T>): AsyncGenerator<T> {
    await scheduler.schedule(Promise.resolve())
    yield* items()
  }
  return altered(store, {
    get: (key) => step(() => store.get(key)),
    commit: (writes) => step(() => store.commit(writes)),
    list: (prefix, options) => later(() => store.list(prefix, options)),
    scan: (prefix, options) => later(() => store.scan(prefix, options)),
    // Whose it is stays open for the next of the rounds.
    [Symbol.asyncDispose]: async () => {},
  })
}

/** A store on which something else happens before the n-th call that reads or writes. */
export function between(store: Store, nth: number, happen: () => Promise<void>): Store {
  let calls = 0
  const arrive = async () => {
    if (++calls === nth) await happen()
  }
  async function* later<T>(items: () => AsyncIterable<T>): AsyncGenerator<T> {
    await arrive()
    yield* items()
  }
  return altered(store, {
    get: (key) => arrive().then(() => store.get(key)),
    commit: (writes) => arrive().then(() => store.commit(writes)),
    list: (prefix, options) => later(() => store.list(prefix, options)),
    scan: (prefix, options) => later(() => store.scan(prefix, options)),
    // It is the owner's to close.
    [Symbol.asyncDispose]: async () => {},
  })
}
