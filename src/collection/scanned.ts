import {
  type Entry,
  type ListOptions,
  type Store,
  UnreadableValueError,
} from '../store/internal.ts'

/** A scan upwards that goes on behind a value which the store can't read; `onUnreadable` is told of it. */
export async function* scanned(
  store: Store,
  prefix: string,
  { onUnreadable, ...bounds }: ListOptions & { onUnreadable(error: UnreadableValueError): void },
): AsyncGenerator<Entry> {
  let { after, limit } = bounds
  while (limit === undefined || limit > 0)
    try {
      for await (const entry of store.scan(prefix, { ...bounds, after, limit })) {
        after = entry.key
        if (limit !== undefined) limit--
        yield entry
      }
      return
    } catch (error) {
      if (!(error instanceof UnreadableValueError)) throw error
      onUnreadable(error)
      after = error.key
      if (limit !== undefined) limit--
    }
}
