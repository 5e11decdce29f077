import { statuses } from '../../plan/index.ts'
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
      cmd: { type: 'string', description: 'The command that was run.' },
      payload: { type: 'object', description: 'What was set, added or changed, by type.' },
      problem: { type: 'string' },
    },
    required: ['seq'],
  },
}
