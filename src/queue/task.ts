import type { RetryPolicy } from './retry.ts'

/** Every status that a task can have. */
export const statuses = [
  'pending',
  'running',
  'completed',
  'failed',
  'archived',
  'cancelled',
] as const

/**
 * Waiting to be claimed, being worked on, successfully finished, permanently failed (the dead letters), put away,
 * taken back before it ended.
 */
export type TaskStatus = (typeof statuses)[number]

/** What can be archived: every way to end. */
export const archivable = ['completed', 'failed', 'cancelled'] as const

/** A status from which a task can be archived. */
export type ArchivableStatus = (typeof archivable)[number]

/** Any value that JSON can hold. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [name: string]: Json }

/** A task as it is stored and shown: times are RFC 3339 in UTC, what does not apply is null. */
export interface Task<I = Json, O = Json> {
  /** A UUID that grows with time within its shard. */
  readonly id: string
  /** Which handler it is for. */
  readonly task_type: string
  /** The first hex digit of the id. */
  readonly shard: string
  /** Where it is between its submission and its end. */
  readonly status: TaskStatus
  /** When it can be claimed, at the earliest. */
  readonly available_at: string
  /** Until when its worker has it. */
  readonly lease_expires_at: string | null
  /** Null where it is large: then `input_ref` says where it lies. */
  readonly input: I
  /** What its handler returned; null before that, and where it is large: then `output_ref` says where it lies. */
  readonly output: O | null
  /** The limit for one attempt. */
  readonly timeout_seconds: number
  /** How often it may be tried again. */
  readonly max_retries: number
  /** How often it has been. */
  readonly retry_count: number
  /** How long to wait in between. */
  readonly retry_policy: RetryPolicy
  /** When it was submitted; RFC 3339, by the store's clock, as all times here. */
  readonly created_at: string
  /** When it changed last. */
  readonly updated_at: string
  /** When it ended; null until then. */
  readonly completed_at: string | null
  /** Who runs it, or ran it last. */
  readonly worker_id: string | null
  /** The token of the claim; whoever finishes must present it. */
  readonly lease_id: string | null
  /** How many times it was claimed. */
  readonly attempt: number
  /** Why the last attempt failed. */
  readonly last_error: string | null
  /** The key under which it was submitted, if any. */
  readonly idempotency_key: string | null
  /** Whoever runs it has been asked to stop. */
  readonly cancel_requested: boolean
  /** The status before it was archived. */
  readonly archived_from: ArchivableStatus | null
  /** Where a large input or output lies, as a path of the bucket. */
  readonly input_ref: string | null
  /** Where a large output lies, as a path of the bucket. */
  readonly output_ref: string | null
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

type Given = Pick<
  Task,
  | 'id'
  | 'task_type'
  | 'available_at'
  | 'input'
  | 'input_ref'
  | 'timeout_seconds'
  | 'max_retries'
  | 'retry_policy'
  | 'created_at'
  | 'idempotency_key'
>

/** A task that nobody has claimed yet. */
export const newTask = (given: Given): Task => ({
  id: given.id,
  task_type: given.task_type,
  shard: given.id.charAt(0),
  status: 'pending',
  available_at: given.available_at,
  lease_expires_at: null,
  input: given.input,
  output: null,
  timeout_seconds: given.timeout_seconds,
  max_retries: given.max_retries,
  retry_count: 0,
  retry_policy: given.retry_policy,
  created_at: given.created_at,
  updated_at: given.created_at,
  completed_at: null,
  worker_id: null,
  lease_id: null,
  attempt: 0,
  last_error: null,
  idempotency_key: given.idempotency_key,
  cancel_requested: false,
  archived_from: null,
  input_ref: given.input_ref,
  output_ref: null,
})
