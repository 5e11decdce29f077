import type { Collection } from '../collection/index.ts'
import type { Stored } from './document.ts'
import { statuses, type TaskStatus } from './task.ts'
import type { WorkerStatus } from './worker-info.ts'

/** How many tasks there are, and of what kind. */
export interface Stats {
  /** All of them. */
  readonly total: number
  /** How many have each status. */
  readonly by_status: Readonly<Record<TaskStatus, number>>
  /** The same for each type. */
  readonly by_type: Readonly<Record<string, Readonly<Record<TaskStatus, number>>>>
  /** Types of pending tasks that no active worker handles. */
  readonly unhandled_types: readonly string[]
}

const noTasks = (): Record<TaskStatus, number> =>
  Object.fromEntries(statuses.map((status) => [status, 0])) as Record<TaskStatus, number>

/** How to count. */
export interface StatsOptions {
  /** Told how many tasks have been counted so far. */
  readonly onProgress?: ((count: number) => void) | undefined
}

/** Counts by reading every task: nothing is kept that could be wrong. */
export async function countTasks(
  tasks: Collection<Stored>,
  workers: readonly WorkerStatus[],
  { onProgress }: StatsOptions = {},
): Promise<Stats> {
  const byStatus = noTasks()
  const byType = new Map<string, Record<TaskStatus, number>>()
  let total = 0
  for await (const { value } of tasks.scan()) {
    const { task_type: type, status } = value.task
    const ofType = byType.get(type) ?? noTasks()
    byType.set(type, ofType)
    ofType[status]++
    byStatus[status]++
    total++
    onProgress?.(total)
  }
  const active = workers.filter(({ status }) => status === 'active')
  const handled = new Set(active.flatMap(({ task_types }) => task_types))
  const types = [...byType].sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    total,
    by_status: byStatus,
    by_type: Object.fromEntries(types),
    unhandled_types: types
      .filter(([type, counts]) => counts.pending > 0 && !handled.has(type))
      .map(([type]) => type),
  }
}
