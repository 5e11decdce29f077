import {
  count,
  documentSchema,
  type JsonSchema,
  json,
  kind,
  listOf,
  objectOf,
  one,
  oneOf,
  operationsOf,
  optional,
  orNull,
  ref,
  required,
  schemasOf,
  shape,
  text,
  time,
} from '../schema/index.ts'
import type { BulkResult } from './bulk.ts'
import { historyFields, priorityMax, statuses, taskFields, taskTypes } from './fields.ts'
import type { HistoryEntry } from './history.ts'
import type { RestoredTask } from './restoring.ts'
import type { SubtreeTask } from './subtree.ts'
import type { Task } from './task.ts'
import type { TaskTree } from './task-tree.ts'

const uuid = { type: 'string', format: 'uuid' } as const

/** The task that a path names. */
export const id = required(
  kind<string>(
    {
      ...uuid,
      pattern: '^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$',
      errorCode: 'INVALID_ID',
    },
    () => true,
  ),
  'The id of a task is a UUID, such as the ones that lists show.',
)

const agentKind = json<string>({ type: 'string', maxLength: 200, errorCode: 'MISSING_AGENT' })
const whoAsks = 'It says who asks, in at most 200 characters.'

/** Who asks, where anybody may; `user` if left out. */
export const anybody = { agent: optional(agentKind, whoAsks) }
export const named = { agent: required(agentKind, whoAsks) }

/** What a task may be given, field by field; each says the code to answer with where it is wrong. */
export const given = {
  title: json<string>({
    type: 'string',
    minLength: 1,
    description: 'One line, 1 to 500 characters.',
  }),
  body: json<string | null>({ ...orNull(text).schema, description: 'Text of at most 64 KiB.' }),
  type: json<(typeof taskTypes)[number]>({ ...oneOf(taskTypes).schema, errorCode: 'INVALID_TYPE' }),
  priority: json<number>({
    type: 'integer',
    minimum: 0,
    maximum: priorityMax,
    description: 'From 0, the most urgent, to 4.',
    errorCode: 'INVALID_PRIORITY',
  }),
  parent_id: json<string | null>({
    ...orNull(text).schema,
    format: 'uuid',
    description: 'The id of the task that it is part of.',
    errorCode: 'PARENT_NOT_FOUND',
  }),
  tags: json<readonly string[]>({
    type: 'array',
    items: {
      type: 'string',
      minLength: 1,
      description: 'At most 64 characters and 200 bytes, without commas.',
      errorCode: 'INVALID_TAG',
    },
    errorCode: 'INVALID_TAG',
  }),
  grimoire_hint: json<string | null>({
    ...orNull(text).schema,
    description: 'One line of at most 500 characters.',
  }),
  reason: json<string>({
    ...orNull(text).schema,
    description: 'Text of at most 64 KiB; the history keeps it.',
  }),
  status: json<(typeof statuses)[number]>({
    ...oneOf(statuses).schema,
    errorCode: 'INVALID_STATUS',
  }),
}

const whole = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema =>
  objectOf(properties, { required: Object.keys(properties) })

export const taskShape = shape<Task>('Task', 'task', documentSchema(taskFields))

const subtreeFields: Readonly<Record<string, JsonSchema>> = {
  ...schemasOf(taskFields),
  relative_depth: { ...count.schema, description: 'How far below the task.' },
}

export const subtreeShape = shape<SubtreeTask>('SubtreeTask', 'task', whole(subtreeFields), [
  shape(
    'TaskNode',
    'task',
    whole({ ...subtreeFields, children: { type: 'array', items: ref('TaskNode') } }),
  ),
])

export const restoredShape = shape<RestoredTask>(
  'RestoredTask',
  'task',
  whole({
    ...schemasOf(taskFields),
    restored: {
      ...count.schema,
      description: 'How many tasks were brought back in all, this one included.',
    },
    restored_below: { ...count.schema, description: 'How many of them are below this one.' },
  }),
)

export const historyShape = shape<HistoryEntry>(
  'HistoryEntry',
  'change',
  objectOf(
    {
      task_id: uuid,
      field: { enum: historyFields },
      old_value: text.schema,
      new_value: text.schema,
      changed_at: time().schema,
      changed_by: { type: 'string', description: 'An agent, `user`, or `system`.' },
      reason: text.schema,
      summary: text.schema,
      result: { description: 'Any JSON.' },
    },
    { required: ['task_id', 'field', 'old_value', 'new_value', 'changed_at', 'changed_by'] },
  ),
)

export const bulkShape = shape<readonly BulkResult[], { readonly results: readonly BulkResult[] }>(
  'BulkResults',
  'result',
  whole({
    results: listOf(
      json(
        objectOf(
          {
            id: text.schema,
            success: { type: 'boolean' },
            changed: { const: false, description: 'Only of what already was as asked.' },
            error: { type: 'string', description: 'Only of what failed, as the next two.' },
            code: text.schema,
            details: { type: 'object' },
          },
          { required: ['id', 'success'] },
        ),
      ),
    ).schema,
  }),
)

/** In which versions of a task it is to be changed. */
export interface InVersion {
  readonly version?: readonly number[]
}

export const row = operationsOf<TaskTree, InVersion>()

/** Who changes things where nobody says. */
export const byOf = (agent = 'user', on: InVersion = {}) => ({ agent, ...on })

export const reason = { reason: optional(given.reason) }

/** What changes one task, and answers with it. */
export const changing = { output: one(taskShape), heedsState: true } as const

export const missing = ['TASK_NOT_FOUND']
