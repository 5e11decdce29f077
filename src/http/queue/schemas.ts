import { statuses, taskFields } from '../../queue/internal.ts'
import { givenFields, type JsonSchema, objectOf, ref, schemasOf } from '../../schema/index.ts'

const textOrNull: JsonSchema = { type: ['string', 'null'] }
const time: JsonSchema = { type: 'string', format: 'date-time' }
const count: JsonSchema = { type: 'integer', minimum: 0 }
const omitted: JsonSchema = { const: true, description: 'Only where it is left out: it is large.' }

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
    { ...schemasOf(taskFields), input_omitted: omitted, output_omitted: omitted },
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

const { task_type: type, ...given } = schemasOf(givenFields(taskFields))

/** What may be submitted: the fields of a task that its creator sets, and a delay in place of a time. */
export const submissionSchema = objectOf(
  {
    ...given,
    type: { ...type, minLength: 1 },
    input: { description: 'Any JSON of at most 1,000,000 bytes (default null).' },
    delay_ms: {
      type: 'number',
      minimum: 0,
      description: 'How long from now until it can be claimed, in place of `available_at`.',
    },
  },
  { required: ['type'] },
)
