import {
  count,
  type JsonSchema,
  listOf,
  objectOf,
  ref,
  schemasOf,
  shape,
  text,
  time,
} from '../schema/index.ts'
import { statuses, taskFields } from './fields.ts'
import type { TaskVersion } from './history.ts'
import type { Stats } from './stats.ts'
import type { Task } from './task.ts'
import type { WorkerStatus } from './worker-info.ts'

/** A task as it is shown: in lists what is large is left out, and anywhere what is nested too deeply. */
export type ShownTask = Task & { readonly input_omitted?: true; readonly output_omitted?: true }

const omitted: JsonSchema = { const: true, description: 'Only where it is left out: it is large.' }

export const taskShape = shape<Task, ShownTask>(
  'QueueTask',
  'task',
  objectOf(
    { ...schemasOf(taskFields), input_omitted: omitted, output_omitted: omitted },
    { required: Object.keys(taskFields) },
  ),
)

export const versionShape = shape<TaskVersion>(
  'QueueVersion',
  'version',
  objectOf(
    { version: { type: 'integer', minimum: 1 }, at: time().schema, task: ref('QueueTask') },
    { required: ['version', 'at', 'task'] },
  ),
  [taskShape],
)

// What a worker says of itself, and other programs may say otherwise, is shown as it is.
export const workerShape = shape<WorkerStatus>('QueueWorker', 'worker', {
  type: 'object',
  properties: {
    worker_id: text.schema,
    status: { enum: ['active', 'stale'] },
    last_heartbeat: time().schema,
  },
  required: [
    'worker_id',
    'status',
    'started_at',
    'last_heartbeat',
    'shards',
    'current_task',
    'tasks_completed',
    'tasks_failed',
    'task_types',
    'concurrency',
    'running',
  ] satisfies (keyof WorkerStatus)[],
})

const byStatus = objectOf(Object.fromEntries(statuses.map((status) => [status, count.schema])), {
  required: statuses,
})

export const statsShape = shape<Stats>(
  'QueueStats',
  'queue',
  objectOf(
    {
      total: count.schema,
      by_status: byStatus,
      by_type: { type: 'object', additionalProperties: byStatus },
      unhandled_types: {
        ...listOf(text).schema,
        description: 'Types of pending tasks that no active worker handles.',
      },
    },
    { required: ['total', 'by_status', 'by_type', 'unhandled_types'] },
  ),
)
