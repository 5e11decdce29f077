/* Generated from fields.ts: change that, then run `npx vitest run test/queue/codec -u`. */

import { type TaskDocument as Task, taskFields } from './fields.ts'

const jsonOfRetryPolicy = taskFields.retry_policy.kind.json as (
  value: Task['retry_policy'],
) => string
const json = (value: unknown): string => (value === null ? 'null' : JSON.stringify(value))
const text = (value: string | null): string => (value === null ? 'null' : JSON.stringify(value))
/** For text that has nothing to escape. */
const plain = (value: string | null): string => (value === null ? 'null' : `"${value}"`)

/** What `JSON.stringify` gives, without the last brace, in half the time. */
export const membersOf = (task: Task): string =>
  `{"id":"${task.id}","task_type":${text(task.task_type)},"shard":"${task.shard}","status":"${task.status}","available_at":"${task.available_at}","lease_expires_at":${plain(task.lease_expires_at)},"input":${json(task.input)},"output":${json(task.output)},"timeout_seconds":${task.timeout_seconds},"max_retries":${task.max_retries},"retry_count":${task.retry_count},"retry_policy":${jsonOfRetryPolicy(task.retry_policy)},"created_at":"${task.created_at}","updated_at":"${task.updated_at}","completed_at":${plain(task.completed_at)},"worker_id":${text(task.worker_id)},"lease_id":${text(task.lease_id)},"attempt":${task.attempt},${hasRare(task) ? rareOf(task) : none}`

type Rare = Pick<
  Task,
  | 'last_error'
  | 'idempotency_key'
  | 'cancel_requested'
  | 'archived_from'
  | 'input_ref'
  | 'output_ref'
>

const rareOf = (task: Rare): string =>
  `"last_error":${text(task.last_error)},"idempotency_key":${text(task.idempotency_key)},"cancel_requested":${task.cancel_requested},"archived_from":${plain(task.archived_from)},"input_ref":${text(task.input_ref)},"output_ref":${text(task.output_ref)}`

/** By name: a loop over the names takes ten times as long. */
const hasRare = (task: Rare): boolean =>
  task.last_error !== null ||
  task.idempotency_key !== null ||
  task.cancel_requested ||
  task.archived_from !== null ||
  task.input_ref !== null ||
  task.output_ref !== null

const none = rareOf({
  last_error: null,
  idempotency_key: null,
  cancel_requested: false,
  archived_from: null,
  input_ref: null,
  output_ref: null,
})

const isTaskType = taskFields.task_type.kind.is
const isStatus = taskFields.status.kind.is
const isAvailableAt = taskFields.available_at.kind.is
const isLeaseExpiresAt = taskFields.lease_expires_at.kind.is
const isTimeoutSeconds = taskFields.timeout_seconds.kind.is
const isMaxRetries = taskFields.max_retries.kind.is
const isRetryCount = taskFields.retry_count.kind.is
const isRetryPolicy = taskFields.retry_policy.kind.is
const isCreatedAt = taskFields.created_at.kind.is
const isUpdatedAt = taskFields.updated_at.kind.is
const isCompletedAt = taskFields.completed_at.kind.is
const isWorkerId = taskFields.worker_id.kind.is
const isLeaseId = taskFields.lease_id.kind.is
const isAttempt = taskFields.attempt.kind.is
const isLastError = taskFields.last_error.kind.is
const isIdempotencyKey = taskFields.idempotency_key.kind.is
const isCancelRequested = taskFields.cancel_requested.kind.is
const isArchivedFrom = taskFields.archived_from.kind.is
const isInputRef = taskFields.input_ref.kind.is
const isOutputRef = taskFields.output_ref.kind.is

function read<Name extends keyof Task>(
  name: Name,
  given: unknown,
  is: (value: unknown) => boolean,
  absent?: Task[Name],
): Task[Name] {
  const value = given === undefined ? absent : given
  if (is(value)) return value as Task[Name]
  throw new Error(`its ${name} is ${value === undefined ? 'missing' : 'not possible'}`)
}

/** The task that an object is. Another tool may leave out what is optional. */
export function taskIn(given: Readonly<Record<string, unknown>>, id: string): Task {
  if (given['id'] !== id) throw new Error('its id is not that of its key')
  const created_at = read('created_at', given['created_at'], isCreatedAt)
  return {
    id,
    task_type: read('task_type', given['task_type'], isTaskType),
    shard: id.charAt(0),
    status: read('status', given['status'], isStatus),
    available_at: read('available_at', given['available_at'], isAvailableAt, created_at),
    lease_expires_at: read('lease_expires_at', given['lease_expires_at'], isLeaseExpiresAt, null),
    input: (given['input'] ?? null) as Task['input'],
    output: (given['output'] ?? null) as Task['output'],
    timeout_seconds: read('timeout_seconds', given['timeout_seconds'], isTimeoutSeconds, 300),
    max_retries: read('max_retries', given['max_retries'], isMaxRetries, 3),
    retry_count: read('retry_count', given['retry_count'], isRetryCount, 0),
    retry_policy: read(
      'retry_policy',
      given['retry_policy'],
      isRetryPolicy,
      taskFields.retry_policy.absent,
    ),
    created_at,
    updated_at: read('updated_at', given['updated_at'], isUpdatedAt, created_at),
    completed_at: read('completed_at', given['completed_at'], isCompletedAt, null),
    worker_id: read('worker_id', given['worker_id'], isWorkerId, null),
    lease_id: read('lease_id', given['lease_id'], isLeaseId, null),
    attempt: read('attempt', given['attempt'], isAttempt, 0),
    last_error: read('last_error', given['last_error'], isLastError, null),
    idempotency_key: read('idempotency_key', given['idempotency_key'], isIdempotencyKey, null),
    cancel_requested: read('cancel_requested', given['cancel_requested'], isCancelRequested, false),
    archived_from: read('archived_from', given['archived_from'], isArchivedFrom, null),
    input_ref: read('input_ref', given['input_ref'], isInputRef, null),
    output_ref: read('output_ref', given['output_ref'], isOutputRef, null),
  }
}

type Given = Pick<
  Task,
  | 'id'
  | 'task_type'
  | 'available_at'
  | 'input'
  | 'timeout_seconds'
  | 'max_retries'
  | 'retry_policy'
  | 'created_at'
  | 'idempotency_key'
  | 'input_ref'
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

/** What a change overwrote: pairs of a field's number and its old value. */
export function differences(a: Task, b: Task): unknown[] {
  const found: unknown[] = []
  if (a.status !== b.status) found.push(0, a.status)
  if (a.available_at !== b.available_at) found.push(1, a.available_at)
  if (a.lease_expires_at !== b.lease_expires_at) found.push(2, a.lease_expires_at)
  if (!isSameOutput(a.output, b.output)) found.push(3, a.output)
  if (a.timeout_seconds !== b.timeout_seconds) found.push(4, a.timeout_seconds)
  if (a.max_retries !== b.max_retries) found.push(5, a.max_retries)
  if (a.retry_count !== b.retry_count) found.push(6, a.retry_count)
  if (a.updated_at !== b.updated_at) found.push(7, a.updated_at)
  if (a.completed_at !== b.completed_at) found.push(8, a.completed_at)
  if (a.worker_id !== b.worker_id) found.push(9, a.worker_id)
  if (a.lease_id !== b.lease_id) found.push(10, a.lease_id)
  if (a.attempt !== b.attempt) found.push(11, a.attempt)
  if (a.last_error !== b.last_error) found.push(12, a.last_error)
  if (a.cancel_requested !== b.cancel_requested) found.push(13, a.cancel_requested)
  if (a.archived_from !== b.archived_from) found.push(14, a.archived_from)
  if (a.output_ref !== b.output_ref) found.push(15, a.output_ref)
  return found
}

/** States that were read one by one have outputs of their own, which may say the same. */
const isSameOutput = (a: Task['output'], b: Task['output']): boolean =>
  a === b ||
  (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b))
