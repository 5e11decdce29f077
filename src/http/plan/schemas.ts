import {
  eventFields,
  goalFields,
  sessionFields,
  statuses,
  taskFields,
} from '../../plan/internal.ts'
import {
  type Fields as DocumentFields,
  type JsonSchema,
  objectOf,
  ref,
  schemasOf,
} from '../../schema/index.ts'

const goalOrNull: JsonSchema = { anyOf: [ref('Goal'), { type: 'null' }] }

/** With fields that another version may have added. */
const atLeast = (fields: DocumentFields): JsonSchema => ({
  type: 'object',
  properties: schemasOf(fields),
  required: Object.keys(fields),
})

export const planSchemas: Readonly<Record<string, JsonSchema>> = {
  Session: atLeast(sessionFields),
  Goal: atLeast(goalFields),
  PlanTask: atLeast(taskFields),
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
    properties: { ...schemasOf(eventFields), problem: { type: 'string' } },
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
