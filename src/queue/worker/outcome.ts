import { apply } from '../rules.ts'
import type { Command } from '../step.ts'
import type { Task } from '../task.ts'

/** How an attempt ends in the store. */
export type End = 'completed' | 'retried' | 'failed' | 'cancelled' | 'requeued'

/** The same, or that the store does not have it: the lease was lost, or nobody knows. */
export type Outcome = End | 'lost' | 'unreported'

/** How each end is counted. */
export const counterOf = {
  completed: 'tasks_completed',
  retried: 'tasks_retried',
  failed: 'tasks_failed',
  cancelled: 'tasks_cancelled',
  requeued: 'tasks_requeued',
  lost: 'leases_lost',
  unreported: 'reports_failed',
} as const satisfies Readonly<Record<Outcome, string>>

/** What a command has made of a task, told by the state after it. */
export function endOf([name]: Command, { status }: Task): End {
  if (status === 'completed' || status === 'failed' || status === 'cancelled') return status
  return name === 'requeue' ? 'requeued' : 'retried'
}

/**
 * Whether a state of a task was made by this command, where its answer was lost. Others may have asked for its end before, and
 * the time of the command is part of what it made; so nothing else gives the same.
 */
export function isMadeBy(command: Command, claimed: Task, state: Task): boolean {
  return [false, true].some((cancel_requested) => {
    const made = applied(command, { ...claimed, cancel_requested })
    return made !== null && telling.every((field) => made[field] === state[field])
  })
}

/** What tells the doing of one from that of another. */
const telling = [
  'status',
  'attempt',
  'retry_count',
  'available_at',
  'updated_at',
  'last_error',
  'output_ref',
] as const satisfies readonly (keyof Task)[]

function applied([name, given]: Command, task: Task): Task | null {
  try {
    return apply(name, task, given as never)
  } catch {
    return null
  }
}
