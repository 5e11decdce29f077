import { type CompeteOptions, compete, lost } from './compete.ts'
import { create, type Entry, remove, type Store, update, type Write } from './store.ts'

/** The new bytes, null to remove the key, or undefined to leave it as it is. */
export type Mutation = (entry: Entry | null) => Uint8Array | null | undefined

/**
 * Reads a key, lets a pure function say what it should become, and swaps it in; again from the start
 * whenever another writer was faster. Answers with the entry as it then is.
 *
 * An `unknown_outcome` is thrown on: only the caller knows whether doing it twice would hurt.
 *
 * @throws `StoreError` of the store, and `contended` where it has lost too often.
 *
 * @example
 * ```js
 * import { mutate, openStore } from 'holdfast/store'
 *
 * const store = await openStore('memory:')
 * const plusOne = (entry) => Uint8Array.of((entry?.value[0] ?? 0) + 1)
 * console.log((await mutate(store, 'shop/visits', plusOne)).value[0]) // 1
 * await store[Symbol.asyncDispose]()
 * ```
 */
export const mutate = (
  store: Store,
  key: string,
  mutation: Mutation,
  options?: CompeteOptions,
): Promise<Entry | null> =>
  compete(
    key,
    async () => {
      const entry = await store.get(key)
      const value = mutation(entry)
      const write = writeFor(key, entry, value)
      if (write === null) return entry
      const result = await store.commit([write])
      if (!result.ok) return lost
      return value ? { key, value, revision: result.revisions[0] as string } : null
    },
    options,
  )

function writeFor(
  key: string,
  entry: Entry | null,
  value: Uint8Array | null | undefined,
): Write | null {
  if (value === undefined) return null
  if (value === null) return entry && remove(entry)
  return entry ? update(entry, value) : create(key, value)
}
