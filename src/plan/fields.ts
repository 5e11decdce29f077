import { field, json, kind, oneOf, orNull, text, time as timeKind } from '../schema/index.ts'

/** Every status that a task of a plan can have. */
export const statuses = ['pending', 'in_progress', 'completed', 'failed', 'cancelled'] as const

const time = timeKind()
const words = { setBy: 'editor' } as const
const number = kind<number>({ type: 'integer' }, Number.isSafeInteger)

/** What a session is, field by field: one goal and its tasks, for one directory. */
export const sessionFields = {
  sid: field(text, 'A ULID; the first characters that no other session has are enough to name it.'),
  dir_path: field(text, 'The directory it belongs to, without symbolic links.', {
    setBy: 'creator',
  }),
  dir_hash: field(text, 'BLAKE3 of that path.'),
  state: field(
    oneOf(['active', 'archived']),
    "Whether it is the directory's plan now, or a plan of the past.",
  ),
  created_at: field(time, 'When it was started.'),
  archived_at: field(orNull(time), 'When it was archived; null while it is active.'),
  last_updated_at: field(time, 'When anything in it changed last.'),
}

/** What a session is for. */
export const goalFields = {
  title: field(text, 'In a few words.', words),
  description: field(text, 'In more; empty where there is no more to say.', words),
  updated_at: field(time, 'When it was last set or changed.'),
}

/** What a task of a plan is, field by field. */
export const taskFields = {
  id: field(
    text,
    'Follows from its words and its session, so adding the same task again changes nothing.',
  ),
  ...goalFields,
  status: field(oneOf(statuses), 'How far it is.', words),
  created_at: field(time, 'When it was added.'),
  updated_at: field(time, 'When it was last changed.'),
  created_seq: field(
    number,
    'The number of the event that added it: tasks are shown in this order.',
  ),
}

/** What an event can be about. */
const eventTypes = [
  'goal_set',
  'goal_updated',
  'task_added',
  'task_updated',
  'task_status_changed',
] as const

/** What an event is, field by field. What is set, added or changed is its payload, by type. */
export const eventFields = {
  seq: field(
    kind<number>({ type: 'integer', minimum: 1 }, Number.isSafeInteger),
    'Its number in the log.',
  ),
  at: field(time, 'When it happened.'),
  type: field(oneOf(eventTypes), 'What happened.'),
  reason: field(json<string | null>({ type: ['string', 'null'] }), 'Why, if somebody said so.'),
  cmd: field(json<string>({ type: 'string' }), 'The command that was run, or the request.'),
  payload: field(
    kind<object>({ type: 'object' }, (value) => typeof value === 'object' && value !== null),
    'What was set, added or changed, by type.',
  ),
}
