import { type Condition, fingerprint } from '../collection/index.ts'
import type { Goal, PlanTask } from './documents.ts'
import { ChangedMeanwhileError } from './error.ts'

/** All that can change of a goal or a task, as 16 hex digits. */
export const stateOf = (seen: Goal | PlanTask): string =>
  fingerprint([seen.title, seen.description, 'status' in seen ? seen.status : null])

/** Throws {@link ChangedMeanwhileError} unless it is in one of these states; undefined is any. */
export function checkState(
  noun: 'goal' | 'task',
  now: Goal | PlanTask,
  meant: ReadonlySet<Condition['state']>,
): void {
  if (!meant.has(undefined) && !meant.has(stateOf(now))) throw new ChangedMeanwhileError(noun)
}
