import type { Holdings } from '../collection/index.ts'
import type { Store } from '../store/internal.ts'
import { isIn, models } from './models.ts'

/** Whether a store has no document of any model. */
export async function holdsNothing(store: Store): Promise<boolean> {
  for (const holdings of models) if (!(await isWithout(store, holdings))) return false
  return true
}

/** Whether a store has no document of one model. */
export async function isWithout(store: Store, { spaces }: Holdings): Promise<boolean> {
  for (const space of spaces)
    for await (const { key } of store.list(space.prefix)) if (isIn(space, key)) return false
  return true
}
