import type { archivable, Json, statuses, TaskDocument } from './fields.ts'

export { archivable, type Json, statuses } from './fields.ts'
export { newTask } from './task-codec.ts'

/**
 * Waiting to be claimed, being worked on, successfully finished, permanently failed (the dead letters), put away,
 * taken back before it ended.
 */
export type TaskStatus = (typeof statuses)[number]

/** A status from which a task can be archived. */
export type ArchivableStatus = (typeof archivable)[number]

/** A task as it is stored and shown: times are RFC 3339 in UTC, what does not apply is null. */
export interface Task<I = Json, O = Json> extends Omit<TaskDocument, 'input' | 'output'> {
  /** What its handler gets. Null if it is large: then see `input_ref`. */
  readonly input: I
  /** What its handler returned; null before that, and if it is large: then see `output_ref`. */
  readonly output: O | null
}

/** A copy of what JSON can hold, for who may change it. */
export function copyOf<T extends Json>(value: T): T {
  if (!isObject(value)) return value
  // Where nothing in it can be changed there is no need to go down, which would cost ten times as much.
  if (Object.values(value as object).some(isObject)) return structuredClone(value)
  return (Array.isArray(value) ? [...value] : { ...(value as object) }) as T
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null

/** A task for who may change it, though he should not. */
export const copied = (task: Task): Task => ({
  ...task,
  input: copyOf(task.input),
  retry_policy: { ...task.retry_policy },
})

/** What ends a task, unless somebody brings it back. */
export const isTerminal = ({ status }: Pick<Task, 'status'>): boolean =>
  status !== 'pending' && status !== 'running'
