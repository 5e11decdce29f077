import type { Write } from '../store/internal.ts'
import { Change } from './change.ts'
import type { Collection } from './collection.ts'
import { keyOf } from './definition.ts'
import { CorruptDocumentError, corruptOf, documentOf } from './document.ts'
import { pooled } from './pooled.ts'

/**
 * The writes that remove a document and its marks as they are now, so that a caller can put several into one commit; none
 * where it is gone. Null where only {@link Collection.delete} and `discard` will do: it can't be read, or shares its marks.
 */
export async function removalOf<T>(
  { store, definition }: Pick<Collection<T>, 'store' | 'definition'>,
  id: string,
): Promise<Write[] | null> {
  try {
    const entry = await store.get(keyOf(definition, id))
    if (entry === null) return []
    const before = documentOf(definition, id, entry).value
    const states = { id, entry, before, after: null, marks: [] }
    const change = new Change(definition, states, new Map())
    if (change.hasShared) return null
    const drops = await pooled(change.drops, (mark) => mark.drop(store))
    return [change.write, ...drops.flat()]
  } catch (error) {
    if (corruptOf(definition, id, error) instanceof CorruptDocumentError) return null
    throw error
  }
}
