import type { RepairOptions, RepairReport } from '../collection/index.ts'
import type { Store } from '../store/internal.ts'
import { Ancestry } from './ancestry.ts'
import type { Tasks } from './documents.ts'
import { removeHistory } from './history.ts'
import { prefixes } from './keys.ts'
import type { Shape } from './shape.ts'

/** What a repair of the tree found and mended. */
export interface TreeRepairReport extends RepairReport {
  /** Deletions that were completed. */
  readonly deletions: number
  /** Tasks that were left below one that is gone, and removed. */
  readonly orphans: number
  /** Histories without a task, and removed. */
  readonly histories: number
}

/** Completes what was begun, and brings the indexes to what the tasks say. */
export async function repairTree(
  { store, tasks, shape }: { store: Store; tasks: Tasks; shape: Shape },
  options: RepairOptions = {},
): Promise<TreeRepairReport> {
  const isDryRun = options.dryRun === true
  if (!isDryRun) await shape.structure.settled()
  const deletions = isDryRun ? 0 : (await shape.removeDoomed()).length
  const orphans = await removeOrphans(tasks, shape, isDryRun)
  const report = await tasks.repair(options)
  if (!isDryRun && !(await shape.structure.isWhole())) await shape.structure.becomeWhole()
  const histories = await removeHistories(store, isDryRun)
  return { ...report, deletions, orphans, histories }
}

/** Nobody sees them, and nothing brings their ancestors back: ids are not used again. */
async function removeOrphans(tasks: Tasks, shape: Shape, isDryRun: boolean): Promise<number> {
  const parents = new Map<string, string | null>()
  for await (const { id, value } of tasks.scan()) parents.set(id, value.parent_id)
  const suspects = [...parents].filter(([, parent]) => parent !== null && !parents.has(parent))
  let orphans = 0
  for (const [id] of suspects) {
    const [document] = await tasks.getAll([id])
    if (!document || (await new Ancestry(tasks).placeOf(document.value)).isThere) continue
    orphans += isDryRun ? 1 : (await shape.remove(id)).length
  }
  return orphans
}

async function removeHistories(store: Store, isDryRun: boolean): Promise<number> {
  const ids = new Set<string>()
  for await (const { key } of store.list(prefixes.history)) ids.add(key.split('/')[2] as string)
  let removed = 0
  for (const id of ids) {
    if ((await store.get(`${prefixes.tasks}/${id}`)) !== null) continue
    removed++
    if (!isDryRun) await removeHistory(store, id)
  }
  return removed
}
