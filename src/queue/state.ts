import { type Condition, fingerprint } from '../collection/index.ts'
import { ChangedMeanwhileError } from './error.ts'
import type { Task } from './task.ts'

/** What was given with a task never changes, and an output only together with these. */
const telling = [
  'status',
  'available_at',
  'timeout_seconds',
  'max_retries',
  'retry_count',
  'updated_at',
  'completed_at',
  'worker_id',
  'lease_id',
  'attempt',
  'last_error',
  'cancel_requested',
  'archived_from',
  'output_ref',
] as const

/**
 * The state of a task as 16 hex digits, the same on every store. Another after any change but a lease that lasts longer:
 * whoever acts on what they see must not lose to a worker that is only still at it.
 */
export function stateOf(task: Task): string {
  return fingerprint(telling.map((name) => task[name]))
}

/** Throws {@link ChangedMeanwhileError}. */
export function checkState(task: Task, { state }: Condition): void {
  if (state !== undefined && state !== stateOf(task)) throw new ChangedMeanwhileError(task)
}
