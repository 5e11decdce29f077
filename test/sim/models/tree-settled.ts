import { TaskTree, type TaskTreeOptions } from '../../../src/tree/index.ts'
import { assertLayout, assertNothingMissed } from '../../tree/layout.ts'
import type { Observer } from '../model.ts'
import type { TreeOracle } from './tree-oracle.ts'
import type { Stored } from './tree-record.ts'

const dayMs = 86_400_000
/** For so long after a pass of the retention, nothing that it hid goes for good once somebody has begun to restore of it. */
const restorableMs = 3_600_000
interface Settled {
  readonly observer: Observer
  readonly oracle: TreeOracle
  readonly options: TaskTreeOptions & {
    readonly retentionDays: number
    readonly softDeleteDays: number
  }
}

/** What must hold once nothing goes wrong any more, and what was begun has had time to be completed. */
export async function checkSettled({ observer, oracle, options }: Settled): Promise<void> {
  const tree = new TaskTree(observer.store, options)
  await tree.maintain()
  await tree.repair()
  await assertNothingMissed(observer.store)
  await assertLayout(observer.store)
  oracle.readings.isSettled = true
  await checkHistories(tree, oracle)
  await checkReadings(tree, oracle)
  await observer.sleep(aheadMs(observer, oracle))
  // Twice: what one pass completes of another, a later one judges.
  for (let pass = 0; pass < 2; pass++) {
    await observer.sleep(options.retentionDays * dayMs + 2_000 + (options.claimTimeoutMs ?? 0))
    await tree.maintain()
  }
  checkRetention(oracle)
  for (let pass = 0; pass < 2; pass++) {
    await observer.sleep(options.softDeleteDays * dayMs + restorableMs + 2_000)
    await tree.maintain()
  }
  checkRemoval(oracle)
  await assertLayout(observer.store)
}

async function checkHistories(tree: TaskTree, oracle: TreeOracle): Promise<void> {
  const { record, readings } = oracle
  for (const { id } of record.forest().all())
    readings.history(id, await tree.history(id), record.moment)
}

async function checkReadings(tree: TaskTree, { record, readings }: TreeOracle): Promise<void> {
  const limit = Number.POSITIVE_INFINITY
  const { tasks } = await tree.ready({ limit })
  readings.ready(tasks, record.moment)
  const page = await tree.list({ limit })
  readings.list(page.tasks, page.total, record.moment, () => true)
  for (const task of page.tasks) readings.checkDepth(task, record.moment)
}

/** How far clients' clocks were ahead when they stamped what is there. */
function aheadMs({ process }: Observer, { record }: TreeOracle): number {
  const times = record
    .forest()
    .all()
    .flatMap((task) => [task.updated_at, task.claimed_at ?? '', task.deleted_at ?? ''])
  const latest = Math.max(0, ...times.filter((time) => time !== '').map((time) => Date.parse(time)))
  return Math.max(0, latest - process.wallMs())
}

const isClosed = ({ status }: Stored): boolean => status === 'closed'

/** Closed is hidden, with all below it; what has something below it that is not closed is there. Nothing is held. */
function checkRetention({ record, violated }: TreeOracle): void {
  const forest = record.forest()
  for (const task of forest.all()) {
    const isWhole = isClosed(task) && forest.below(task.id).every(isClosed)
    if (isWhole && task.deleted_at === null)
      violated(`${task.id} is closed with all below it, and was not hidden`)
    if (!isWhole && task.deleted_at !== null)
      violated(`${task.id} is hidden, with something below it that is not closed`)
    if (task.status === 'in_progress') violated(`the claim of ${task.id} is stale, and stands`)
  }
}

/** What was hidden for long is gone, and all else is there. */
function checkRemoval({ record, violated }: TreeOracle): void {
  for (const { id, deleted_at } of record.forest().all())
    if (deleted_at !== null) violated(`${id} was hidden for long, and is not gone`)
}
