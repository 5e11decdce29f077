import { type Condition, fingerprint } from '../collection/index.ts'
import { ChangedMeanwhileError } from './error.ts'
import type { Task } from './task.ts'

/** All that can change of a task, as 16 hex digits. */
export const stateOf = ({ text, done, tags }: Task): string => fingerprint([text, done, tags])

/** Throws {@link ChangedMeanwhileError}. */
export function checkState(task: Task, { state }: Condition): void {
  if (state !== undefined && state !== stateOf(task)) throw new ChangedMeanwhileError()
}
