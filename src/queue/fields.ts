import {
  count,
  type DocumentOf,
  field,
  flag,
  json,
  kind,
  name,
  oneOf,
  orNull,
  text,
  time as timeKind,
} from '../schema/index.ts'
import { type RetryPolicy, retryPolicy, retryPolicyDefault } from './retry.ts'
import { parseTime } from './time.ts'

/** Every status that a task can have. */
export const statuses = [
  'pending',
  'running',
  'completed',
  'failed',
  'archived',
  'cancelled',
] as const

/** The sixteen parts into which ids divide the tasks. */
export const shards = [...'0123456789abcdef'] as readonly string[]

/** What can be archived: every way to end. */
export const archivable = ['completed', 'failed', 'cancelled'] as const

/** Any value that JSON can hold. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [name: string]: Json }

export const timeoutSecondsDefault = 300
export const retriesDefault = 3

/** More would lead to times that nobody can write. */
const secondsMax = 1e10

const time = timeKind((value) => parseTime(value) !== null)
const uuid = kind<string>(
  {
    type: 'string',
    format: 'uuid',
    pattern: '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$',
  },
  () => true,
  { isPlain: true },
)
const content = json<Json>({ description: 'Any JSON.' })
const seconds = kind<number>(
  { type: 'number' },
  (value) => typeof value === 'number' && value > 0 && value <= secondsMax,
)
const given = { setBy: 'creator' } as const

/**
 * What a task of the queue is, field by field. The codec, the type, the schemas of HTTP and the tables of the
 * documentation follow from this. The codec is generated: after a change run `npx vitest run test/queue/codec -u`.
 */
export const taskFields = {
  id: field(uuid, 'A UUID that no other task has.', given),
  task_type: field(name, 'The kind of work: it names the handler.', given),
  shard: field(oneOf(shards), 'The first hex digit of the id.'),
  status: field(oneOf(statuses), 'How far it is.'),
  available_at: field(time, 'The earliest time at which it can be claimed.', {
    ...given,
    absentAs: 'created_at',
  }),
  lease_expires_at: field(orNull(time), 'When its lease expires.', { absent: null }),
  input: field(content, 'What its handler gets. Null if it is large: then see `input_ref`.', {
    ...given,
    absent: null,
  }),
  output: field(content, 'What its handler returned. Null if it is large: then see `output_ref`.', {
    absent: null,
  }),
  timeout_seconds: field(seconds, 'The limit for one attempt, from 1 second to 7 days.', {
    ...given,
    absent: timeoutSecondsDefault,
  }),
  max_retries: field(count, 'How many times it may be retried.', {
    ...given,
    absent: retriesDefault,
  }),
  retry_count: field(count, 'How many times it has been retried.', { absent: 0 }),
  retry_policy: field<RetryPolicy>(retryPolicy, 'How long to wait between attempts.', {
    ...given,
    absent: retryPolicyDefault,
  }),
  created_at: field(time, "When it was submitted, by the store's clock, like all times here."),
  updated_at: field(time, 'When it last changed.', { absentAs: 'created_at' }),
  completed_at: field(orNull(time), 'When it was completed.', { absent: null }),
  worker_id: field(orNull(text), 'The worker that runs it.', { absent: null }),
  lease_id: field(orNull(text), 'The token of the claim. Finishing the task needs it.', {
    absent: null,
  }),
  attempt: field(count, 'How many times it was claimed.', { absent: 0 }),
  last_error: field(orNull(text), 'Why the last attempt failed.', { absent: null }),
  idempotency_key: field(
    orNull(name),
    'The key under which it was submitted: the same key is the same task.',
    {
      ...given,
      absent: null,
    },
  ),
  cancel_requested: field(flag, 'Whether its worker has been asked to stop.', { absent: false }),
  archived_from: field(orNull(oneOf(archivable)), 'The status before it was archived.', {
    absent: null,
  }),
  input_ref: field(orNull(name), 'Where a large input is stored, as a path of the bucket.', {
    absent: null,
  }),
  output_ref: field(orNull(name), 'Where a large output is stored, as a path of the bucket.', {
    absent: null,
  }),
}

/** A task as it is stored and shown. Times are RFC 3339 in UTC; fields that do not apply are null. */
export type TaskDocument = DocumentOf<typeof taskFields>

/** Fields that most tasks never have: they are the last ones, and written as one constant text. */
export const rareFields = [
  'last_error',
  'idempotency_key',
  'cancel_requested',
  'archived_from',
  'input_ref',
  'output_ref',
] as const satisfies readonly (keyof TaskDocument)[]

/**
 * Fields whose changes the history of a task records, by their numbers, which are stored: add at the end only. Input,
 * identity and creation never change.
 */
export const changing = [
  'status',
  'available_at',
  'lease_expires_at',
  'output',
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
] as const satisfies readonly (keyof TaskDocument)[]
