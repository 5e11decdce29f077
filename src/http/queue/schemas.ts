import { shards, statuses } from '../../queue/internal.ts'
import { type JsonSchema, objectOf, ref } from '../schema.ts'

const textOrNull: JsonSchema = { type: ['string', 'null'] }
const time: JsonSchema = { type: 'string', format: 'date-time' }
const timeOrNull: JsonSchema = { type: ['string', 'null'], format: 'date-time' }
const count: JsonSchema = { type: 'integer', minimum: 0 }
const omitted: JsonSchema = { const: true, description: 'Only where it is left out: it is large.' }

const taskFields: Readonly<Record<string, JsonSchema>> = {
  id: { type: 'string', format: 'uuid' },
  task_type: { type: 'string' },
  shard: { enum: shards },
  status: { enum: statuses },
  available_at: time,
  lease_expires_at: timeOrNull,
  input: { description: 'Any JSON.' },
  output: { description: 'Any JSON.' },
  timeout_seconds: { type: 'number' },
  max_retries: count,
  retry_count: count,
  retry_policy: { type: 'object' },
  created_at: time,
  updated_at: time,
  completed_at: timeOrNull,
  worker_id: textOrNull,
  lease_id: textOrNull,
  attempt: { ...count, description: 'How many times it was claimed.' },
  last_error: textOrNull,
  idempotency_key: textOrNull,
  cancel_requested: { type: 'boolean' },
  archived_from: { enum: ['completed', 'failed', 'cancelled', null] },
  input_ref: textOrNull,
  output_ref: textOrNull,
}

const workerFields: Readonly<Record<string, JsonSchema>> = {
  worker_id: { type: 'string' },
  status: { enum: ['active', 'stale'] },
  started_at: { type: 'string' },
  last_heartbeat: time,
  shards: { type: 'array', items: { type: 'string' } },
  current_task: textOrNull,
  tasks_completed: count,
  tasks_failed: { ...count, description: 'Attempts that failed; a task can have several.' },
  task_types: { type: 'array', items: { type: 'string' } },
  concurrency: { type: 'number' },
  running: { type: 'array', items: { type: 'object' } },
}

const byStatus = objectOf(Object.fromEntries(statuses.map((status) => [status, count])), {
  required: statuses,
})

export const queueSchemas: Readonly<Record<string, JsonSchema>> = {
  QueueTask: objectOf(
    { ...taskFields, input_omitted: omitted, output_omitted: omitted },
    { required: Object.keys(taskFields) },
  ),
  QueueVersion: objectOf(
    { version: { type: 'integer', minimum: 1 }, at: time, task: ref('QueueTask') },
    { required: ['version', 'at', 'task'] },
  ),
  // What a worker says of itself, and other programs may say otherwise, is shown as it is.
  QueueWorker: {
    type: 'object',
    properties: {
      worker_id: { type: 'string' },
      status: workerFields['status'],
      last_heartbeat: time,
    },
    required: Object.keys(workerFields),
  },
  QueueStats: objectOf(
    {
      total: count,
      by_status: byStatus,
      by_type: { type: 'object', additionalProperties: byStatus },
      unhandled_types: {
        type: 'array',
        items: { type: 'string' },
        description: 'Types of pending tasks that no active worker handles.',
      },
    },
    { required: ['total', 'by_status', 'by_type', 'unhandled_types'] },
  ),
}

const intervalMs: JsonSchema = { type: 'number', minimum: 0 }

const retryPolicy = objectOf(
  {
    initial_interval_ms: { ...intervalMs, description: 'The wait after the first failure.' },
    max_interval_ms: { ...intervalMs, description: 'The longest wait.' },
    multiplier: { type: 'number', minimum: 1, description: 'How each wait grows.' },
    jitter_percent: {
      ...{ type: 'number', minimum: 0, maximum: 1 },
      description: 'How far a wait is spread: 0.25 is a quarter more or less.',
    },
  },
  { description: 'How long to wait between attempts. What is missing has its default.' },
)

export const submissionSchema = objectOf(
  {
    id: {
      type: 'string',
      pattern: '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$',
      description: 'A UUID that no task has; made for you by default.',
    },
    type: { type: 'string', minLength: 1, description: 'What a worker must be able to do.' },
    input: { description: 'Any JSON of at most 1,000,000 bytes; null if left out.' },
    timeout_seconds: { type: 'number', description: 'For one attempt: 1 s to 7 days.' },
    max_retries: { ...count, description: 'How often it is tried again.' },
    retry_policy: retryPolicy,
    available_at: { ...time, description: 'When it can be claimed, at the earliest.' },
    delay_ms: { type: 'number', minimum: 0, description: 'Or so long from now.' },
    idempotency_key: { ...textOrNull, description: 'The same key is the same task.' },
  },
  { required: ['type'] },
)
