import { statuses } from '../../plan/internal.ts'
import { type JsonSchema, objectOf, ref } from '../schema.ts'

const time: JsonSchema = { type: 'string', format: 'date-time' }
const goalOrNull: JsonSchema = { anyOf: [ref('Goal'), { type: 'null' }] }

/** With fields that another version may have added. */
const atLeast = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
})

export const planSchemas: Readonly<Record<string, JsonSchema>> = {
  Session: atLeast({
    sid: { type: 'string' },
    dir_path: { type: 'string' },
    dir_hash: { type: 'string' },
    state: { enum: ['active', 'archived'] },
    created_at: time,
    archived_at: { type: ['string', 'null'], format: 'date-time' },
    last_updated_at: time,
  }),
  Goal: atLeast({ title: { type: 'string' }, description: { type: 'string' }, updated_at: time }),
  PlanTask: atLeast({
    id: { type: 'string' },
    title: { type: 'string' },
    description: { type: 'string' },
    status: { enum: statuses },
    created_at: time,
    updated_at: time,
    created_seq: { type: 'integer', description: 'The event that added it.' },
  }),
  PlanSummary: objectOf(
    { session: ref('Session'), goal: goalOrNull },
    { required: ['session', 'goal'] },
  ),
  Plan: objectOf(
    {
      session: ref('Session'),
      goal: goalOrNull,
      tasks: { type: 'array', items: ref('PlanTask') },
    },
    { required: ['session', 'goal', 'tasks'] },
  ),
  PlanEvent: {
    type: 'object',
    description: 'One that can’t be read has only its number, and says why.',
    properties: {
      seq: { type: 'integer', minimum: 1 },
      at: time,
      type: {
        enum: ['goal_set', 'goal_updated', 'task_added', 'task_updated', 'task_status_changed'],
      },
      reason: { type: ['string', 'null'] },
      cmd: { type: 'string', description: 'The command that was run, or the request.' },
      payload: { type: 'object', description: 'What was set, added or changed, by type.' },
      problem: { type: 'string' },
    },
    required: ['seq'],
  },
}

const title: JsonSchema = {
  type: 'string',
  minLength: 1,
  description: 'One line of at most 500 characters.',
}
const description: JsonSchema = { type: 'string', description: 'Text of at most 64 KiB.' }
const reason: JsonSchema = {
  type: ['string', 'null'],
  description: 'Why; other words, failed and cancelled need one. It is kept in the log.',
}
const changed = {
  status: {
    type: 'string',
    minLength: 1,
    description: `One of ${statuses.join(', ')}, or a word that means one.`,
  },
  title,
  description,
} as const satisfies Record<string, JsonSchema>

const listOf = (items: JsonSchema, about: string): JsonSchema => ({
  type: 'array',
  items,
  description: about,
})

/** A path as the system of this server writes it: who is elsewhere has no working directory here. */
export const directory: JsonSchema = {
  type: 'string',
  pattern: process.platform === 'win32' ? '^([A-Za-z]:)?[/\\\\]' : '^/',
  description: 'An absolute path of at most 4096 bytes.',
}

/** What is sent to change something. */
export const sent = {
  start: objectOf({ directory }, { required: ['directory'] }),
  goal: objectOf({ title, description }, { required: ['title'] }),
  goalChange: objectOf({ title, description, reason }),
  tasks: objectOf(
    {
      tasks: listOf(
        objectOf({ title, description }, { required: ['title'] }),
        'Tasks to add, at most 300.',
      ),
    },
    { required: ['tasks'] },
  ),
  taskChange: objectOf({ ...changed, reason }),
  taskChanges: objectOf(
    {
      tasks: listOf(
        objectOf(
          { id: { type: 'string', description: 'The id of a task.' }, ...changed },
          { required: ['id'] },
        ),
        'Tasks to change, at most 200.',
      ),
      reason,
    },
    { required: ['tasks'] },
  ),
} as const
