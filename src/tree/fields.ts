import { field, kind, listOf, oneOf, orNull, text, time as timeKind } from '../schema/index.ts'

/**
 * open ──claim──▶ in_progress ──complete──▶ pending_merge ──approve──▶ closed
 *   ▲                │  │ │                      │                       ▲ ▲
 *   ├────release─────┘  │ └─complete, no review──┼───────────────────────┘ │
 *   │                 block                    reject                      │
 *   └──unblock─── blocked ◀──────────────────────┘                         │
 *                    └───────────────────close─────────────────────────────┘
 */
export const statuses = ['open', 'in_progress', 'pending_merge', 'blocked', 'closed'] as const

/** Every kind of work. */
export const taskTypes = ['task', 'feature', 'bug', 'epic'] as const

/** Everything that can be done to many tasks at once. */
export const bulkActions = ['add_tags', 'remove_tags', 'close', 'delete', 'set_priority'] as const

/** The fields whose changes the history tells; times that go with others are not among them. */
export const toldFields = [
  'title',
  'body',
  'type',
  'status',
  'priority',
  'claimed_by',
  'grimoire_hint',
  'grimoire',
  'parent_id',
  'tags',
  'deleted_at',
] as const

/** What the first entry of a history tells. It never changes. */
export const createdBy = 'created_by'

/** The fields whose changes are told by a task's history. */
export const historyFields: readonly string[] = [...toldFields, createdBy]

/** The least urgent priority. */
export const priorityMax = 4

/** As we write them; anything else is looked at more closely, which takes longer. */
const usualTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const time = timeKind(
  (value) =>
    typeof value === 'string' && (usualTime.test(value) || Number.isFinite(Date.parse(value))),
)
const uuid = kind<string>({ type: 'string', format: 'uuid' }, text.is)
const priority = kind<number>(
  { type: 'integer', minimum: 0, maximum: priorityMax },
  (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= priorityMax,
)
const given = { setBy: 'creator' } as const
const edited = { setBy: 'editor' } as const

/** What is stored of a task, field by field, in the order of the specification. */
export const storedFields = {
  id: field(uuid, 'A UUID that grows with time.'),
  parent_id: field(orNull(uuid), 'The task it is a part of, if any.', given),
  title: field(text, 'In a few words.', edited),
  body: field(orNull(text), 'In more.', edited),
  type: field(oneOf(taskTypes), 'What kind of work it is.', edited),
  status: field(oneOf(statuses), 'How far it is.'),
  priority: field(priority, '0 is the most urgent, 4 the least.', edited),
  claimed_by: field(
    orNull(text),
    'The agent that has it, or had it when it was completed; null where nobody does.',
  ),
  claimed_at: field(orNull(time), 'When it was claimed.'),
  grimoire_hint: field(orNull(text), 'What to work on it with, if somebody said so.', edited),
  grimoire: field(orNull(text), 'What was selected when it was last claimed.'),
  tags: field(listOf(text), 'Words to find and route it by.', given),
  created_at: field(time, 'When it was created.'),
  updated_at: field(time, 'When it changed last.'),
  deleted_at: field(
    orNull(time),
    'Set by retention; such a task is found by its id, and hidden from lists.',
  ),
  doomed: field(
    orNull(text),
    'Which deletion took it, and with it all that is below; for readers all of them are gone.',
  ),
}

const { id, parent_id, doomed: _, ...rest } = storedFields

/** What users see of it. */
export const taskFields = {
  id,
  parent_id,
  depth: field(
    kind<number>({ type: 'integer', minimum: 0 }, Number.isSafeInteger),
    'How many ancestors it has, as the chain of parents said when it was read.',
  ),
  ...rest,
}
