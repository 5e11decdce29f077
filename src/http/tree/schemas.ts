import { documentSchema, type JsonSchema, objectOf, ref, schemasOf } from '../../schema/index.ts'
import {
  bulkActions,
  historyFields,
  priorityMax,
  statuses,
  taskFields,
  taskTypes,
} from '../../tree/internal.ts'

const textOrNull: JsonSchema = { type: ['string', 'null'] }
const time: JsonSchema = { type: 'string', format: 'date-time' }
const id: JsonSchema = { type: 'string', format: 'uuid' }

/** What a task may be given, field by field; each says the code to answer with where it is wrong. */
export const given = {
  title: {
    type: 'string',
    minLength: 1,
    description: 'One line, 1 to 500 characters.',
  },
  body: { ...textOrNull, description: 'Text of at most 64 KiB.' },
  type: { type: 'string', enum: taskTypes, errorCode: 'INVALID_TYPE' },
  priority: {
    type: 'integer',
    minimum: 0,
    maximum: priorityMax,
    description: 'From 0, the most urgent, to 4.',
    errorCode: 'INVALID_PRIORITY',
  },
  parent_id: {
    ...textOrNull,
    format: 'uuid',
    description: 'The id of the task that it is part of.',
    errorCode: 'PARENT_NOT_FOUND',
  },
  tags: {
    type: 'array',
    items: {
      type: 'string',
      minLength: 1,
      description: 'At most 64 characters and 200 bytes, without commas.',
      errorCode: 'INVALID_TAG',
    },
    errorCode: 'INVALID_TAG',
  },
  grimoire_hint: { ...textOrNull, description: 'One line of at most 500 characters.' },
  reason: { ...textOrNull, description: 'Text of at most 64 KiB; the history keeps it.' },
  status: { type: 'string', enum: statuses, errorCode: 'INVALID_STATUS' },
} as const satisfies Record<string, JsonSchema>

const subtreeFields: Readonly<Record<string, JsonSchema>> = {
  ...schemasOf(taskFields),
  relative_depth: { type: 'integer', minimum: 0, description: 'How far below the task.' },
}

const nodeFields: Readonly<Record<string, JsonSchema>> = {
  ...subtreeFields,
  children: { type: 'array', items: ref('TaskNode') },
}

const whole = (fields: Readonly<Record<string, JsonSchema>>): JsonSchema =>
  objectOf(fields, { required: Object.keys(fields) })

export const schemas: Readonly<Record<string, JsonSchema>> = {
  Task: documentSchema(taskFields),
  TaskNode: whole(nodeFields),
  SubtreeTask: whole(subtreeFields),
  RestoredTask: whole({
    ...schemasOf(taskFields),
    restored: {
      type: 'integer',
      minimum: 0,
      description: 'How many tasks were brought back in all, this one included.',
    },
    restored_below: {
      type: 'integer',
      minimum: 0,
      description: 'How many of them are below this one.',
    },
  }),
  HistoryEntry: objectOf(
    {
      task_id: id,
      field: { enum: historyFields },
      old_value: { type: 'string' },
      new_value: { type: 'string' },
      changed_at: time,
      changed_by: { type: 'string', description: 'An agent, `user`, or `system`.' },
      reason: { type: 'string' },
      summary: { type: 'string' },
      result: { description: 'Any JSON.' },
    },
    { required: ['task_id', 'field', 'old_value', 'new_value', 'changed_at', 'changed_by'] },
  ),
  BulkResults: whole({
    results: {
      type: 'array',
      items: objectOf(
        {
          id: { type: 'string' },
          success: { type: 'boolean' },
          changed: { const: false, description: 'Only of what already was as asked.' },
          error: { type: 'string', description: 'Only of what failed, as the next two.' },
          code: { type: 'string' },
          details: { type: 'object' },
        },
        { required: ['id', 'success'] },
      ),
    },
  }),
  GrimoireMatch: objectOf(
    {
      selected_grimoire: { type: 'string' },
      matched_by: {
        type: 'string',
        description: 'A matcher, `grimoire_hint`, `grimoire:tag` or `default`.',
      },
      evaluation: {
        type: 'array',
        items: whole({
          name: { type: 'string' },
          matched: { type: 'boolean' },
          reason: { type: 'string' },
        }),
      },
      task_properties: whole({
        tags: { type: 'array', items: { type: 'string' } },
        priority: { type: 'integer' },
        type: { type: 'string' },
        has_parent: { type: 'boolean' },
        grimoire_hint: textOrNull,
        parent_grimoire: textOrNull,
      }),
      matcher_file_error: { type: 'string', description: 'Only while the file is broken.' },
    },
    { required: ['selected_grimoire', 'matched_by', 'evaluation', 'task_properties'] },
  ),
}

export const bulkSchema = objectOf(
  {
    action: { type: 'string', enum: bulkActions },
    task_ids: { type: 'array', items: { type: 'string' }, maxItems: 1000 },
    tags: given.tags,
    priority: given.priority,
    reason: given.reason,
  },
  { required: ['action', 'task_ids'] },
)
