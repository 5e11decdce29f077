import { commitInOrder, pooled, removalOf } from '../collection/index.ts'
import { remove, type Store, type Write } from '../store/internal.ts'
import type { Tasks } from './documents.ts'
import { prefixes } from './keys.ts'

/** So many tasks are looked at, and at best leave the store, together. */
const togetherMax = 100

/** Whether a store has room for that. */
export const canEraseTogether = ({ limits }: Store): boolean => limits.commitWritesMax > togetherMax

interface Pack {
  readonly ids: string[]
  /** Null for a task that takes more than one commit. */
  readonly writes: Write[] | null
}

/**
 * Takes tasks out of such a store, in this order and as many in one commit as it holds: a chain of thousands
 * would else cost a commit a level. Where a commit loses, `one` takes its tasks out.
 */
export async function eraseTogether(
  { store, tasks }: { store: Store; tasks: Tasks },
  ids: readonly string[],
  one: (id: string) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < ids.length; at += togetherMax) {
    const some = ids.slice(at, at + togetherMax)
    const planned = await pooled(some, (id) => erasureOf(store, tasks, id))
    for (const { ids, writes } of packed(some, planned, store.limits.commitWritesMax))
      if (writes === null || !(await commitInOrder(store, writes)))
        for (const id of ids) await one(id)
  }
}

/** What takes a task with its history away. Who changes it meanwhile adds to that only together with the task. */
async function erasureOf(store: Store, tasks: Tasks, id: string): Promise<Write[] | null> {
  const writes = await removalOf(tasks, id)
  if (writes === null) return null
  for await (const head of store.list(`${prefixes.history}/${id}`)) writes.push(remove(head))
  return writes
}

function packed(
  ids: readonly string[],
  planned: readonly (Write[] | null)[],
  writesMax: number,
): Pack[] {
  const packs: Pack[] = []
  for (const [at, id] of ids.entries()) {
    const writes = planned[at] ?? null
    const last = packs.at(-1)
    if (writes === null || writes.length > writesMax) packs.push({ ids: [id], writes: null })
    else if (last?.writes && last.writes.length + writes.length <= writesMax) {
      last.ids.push(id)
      last.writes.push(...writes)
    } else packs.push({ ids: [id], writes: [...writes] })
  }
  return packs
}
