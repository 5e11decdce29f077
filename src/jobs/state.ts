import { type Condition, fingerprint } from '../collection/index.ts'
import { ChangedMeanwhileError } from './error.ts'
import type { StoredTask, Task } from './task.ts'

type Time = Date | string

/** All that can change of a task; when it was created tells it from a later one with the same id. */
export interface Telling
  extends Pick<Task, 'status' | 'attempts' | 'maxAttempts' | 'claimedBy' | 'error'> {
  /** When it was submitted. */
  readonly createdAt: Time
  /** When it was claimed; null unless it is claimed or completed. */
  readonly claimedAt: Time | null
  /** When it was completed, or failed for good. */
  readonly completedAt: Time | null
}

/** The state of a task as 16 hex digits, the same on every store. The result is set together with the rest. */
export const stateOf = (task: Telling): string =>
  fingerprint([
    msOf(task.createdAt),
    task.status,
    task.attempts,
    task.maxAttempts,
    task.claimedBy,
    msOf(task.claimedAt),
    msOf(task.completedAt),
    task.error,
  ])

/** What must hold of a task for a change. */
export interface Expected extends Condition {
  /** Throws where a claim of this worker may not be taken away; anybody may where it is left out. */
  readonly mayTake?: ((workerId: string) => void) | undefined
}

/** Throws {@link ChangedMeanwhileError}, or what `mayTake` throws. */
export function checkState(task: StoredTask, { state, mayTake }: Expected): void {
  if (task.status === 'claimed' && task.claimedBy !== null) mayTake?.(task.claimedBy)
  if (state !== undefined && state !== stateOf(task))
    throw new ChangedMeanwhileError(task.id, task.status)
}

/** Other programs may store a time in another form; as a number it is the same for all who see it. */
const msOf = (time: Time | null): number | null => (time === null ? null : new Date(time).getTime())
