import { namespaceOf, type Store, StoreError, type Write } from '../store/index.ts'

/** Whether the store can apply all of the writes or none. */
export function fitsOneCommit(store: Store, writes: readonly Write[]): boolean {
  const { commitWritesMax, commitSpan } = store.limits
  if (writes.length > commitWritesMax) return false
  return commitSpan === 'store' || new Set(writes.map(({ key }) => namespaceOf(key))).size <= 1
}

/**
 * Applies writes that may each be done again: at once where the store has room for it, else one by one in
 * their order. False as soon as one loses, or may have: whoever planned them looks again.
 */
export async function commitInOrder(store: Store, writes: readonly Write[]): Promise<boolean> {
  if (fitsOneCommit(store, writes)) return won(store, writes)
  for (const write of writes) if (!(await won(store, [write]))) return false
  return true
}

async function won(store: Store, writes: readonly Write[]): Promise<boolean> {
  try {
    return (await store.commit(writes)).ok
  } catch (error) {
    if (isUnknownOutcome(error)) return false
    throw error
  }
}

export const isUnknownOutcome = (error: unknown): error is StoreError =>
  error instanceof StoreError && error.code === 'unknown_outcome'
