import type { PlanTask } from '../../plan/internal.ts'

/** Whether there is nothing more to do about a task. */
export const isSettled = ({ status }: PlanTask): boolean =>
  status !== 'pending' && status !== 'in_progress'

const inOrder = (a: PlanTask, b: PlanTask): number =>
  a.created_seq - b.created_seq || (a.id < b.id ? -1 : 1)

export interface Selection {
  /** In the order in which they were added, as all tasks are. */
  readonly shown: readonly PlanTask[]
  readonly leftOut: readonly PlanTask[]
}

/** The tasks to show where not all are: those in progress, then those that wait, then the newest of the rest. */
export function selection(tasks: readonly PlanTask[], max: number): Selection {
  return tasks.length <= max ? { shown: tasks, leftOut: [] } : selector(tasks)(max)
}

/** The same for whoever tries several numbers. */
export function selector(tasks: readonly PlanTask[]): (max: number) => Selection {
  const ranked = [
    ...tasks.filter(({ status }) => status === 'in_progress'),
    ...tasks.filter(({ status }) => status === 'pending'),
    ...tasks.filter(isSettled).reverse(),
  ]
  return (max) => ({ shown: ranked.slice(0, max).sort(inOrder), leftOut: ranked.slice(max) })
}
