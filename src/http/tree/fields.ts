import type { JsonSchema } from '../../schema/index.ts'
import { historyFields, priorityMax, statuses, taskTypes } from '../../tree/internal.ts'
import { pageFields } from '../paging.ts'
import type { Field, Fields } from '../route.ts'

/** The task that a path names. */
export const idParam: Fields = {
  id: {
    isRequired: true,
    schema: {
      type: 'string',
      format: 'uuid',
      pattern: '^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$',
      description: 'The id of a task is a UUID, such as the ones that lists show.',
      errorCode: 'INVALID_ID',
    },
  },
}

const agent: JsonSchema = {
  type: 'string',
  maxLength: 200,
  description: 'It says who asks, in at most 200 characters.',
  errorCode: 'MISSING_AGENT',
}

/** Who asks, where anybody may; `user` if left out. */
export const agentHeader: Fields = { 'X-Agent-ID': { schema: agent } }
export const agentRequired: Fields = { 'X-Agent-ID': { schema: agent, isRequired: true } }

/** In which version of the task. */
export const ifMatch: Fields = {
  'If-Match': {
    schema: {
      type: 'string',
      description: 'Change it only if its ETag is still this one, or one of these; `*` for any.',
    },
  },
}

const listOf = (items: JsonSchema, description: string): Field => ({
  schema: { type: 'array', items, description },
})

export const includeDeleted: Fields = {
  include_deleted: {
    schema: { type: 'boolean', description: 'Whether to give also what retention has hidden.' },
  },
}

/** What lists can be narrowed down by: any of the values of a filter, and all filters. */
export const filterFields: Fields = {
  status: listOf({ type: 'string', enum: statuses }, 'In one of these.'),
  priority: listOf({ type: 'integer', minimum: 0, maximum: priorityMax }, 'With one of these.'),
  type: listOf({ type: 'string', enum: taskTypes }, 'Of one of these.'),
  tag: listOf({ type: 'string', minLength: 1 }, 'With one of these.'),
  tag_pattern: {
    schema: {
      type: 'string',
      minLength: 1,
      description: 'With a tag that one of these patterns matches: `docs,area/**`.',
    },
  },
  parent_id: listOf({ type: 'string', format: 'uuid', minLength: 1 }, 'Right below one of these.'),
  claimed_by: listOf({ type: 'string', minLength: 1 }, 'Claimed by one of these.'),
  ...includeDeleted,
  ...pageFields,
}

export const historyQuery: Fields = {
  field: { schema: { type: 'string', enum: historyFields, description: 'Only of this field.' } },
  since: {
    schema: { type: 'string', format: 'date-time', description: 'Only from this time on.' },
  },
  ...pageFields,
}
