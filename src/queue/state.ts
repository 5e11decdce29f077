import { type Condition, fingerprint } from '../collection/index.ts'
import { ChangedMeanwhileError } from './error.ts'
import { changing } from './fields.ts'
import type { Task } from './task.ts'

/** What was given with a task never changes, and an output only together with the rest. */
const telling = changing.filter((name) => name !== 'lease_expires_at' && name !== 'output')

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
