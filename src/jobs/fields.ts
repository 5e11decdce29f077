import {
  count,
  type DocumentOf,
  field,
  kind,
  name,
  oneOf,
  orNull,
  text,
  time as timeKind,
} from '../schema/index.ts'

/** Every status that a task can have. */
export const statuses = ['pending', 'claimed', 'completed', 'failed'] as const

/** Times lie in index keys as so many digits, which last until the year 9999, as RFC 3339 does. */
const timeMsMax = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

export const isTimeMs = (ms: number): boolean => Number.isInteger(ms) && ms >= 0 && ms <= timeMsMax

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

const time = timeKind(
  (value) => typeof value === 'string' && rfc3339.test(value) && isTimeMs(Date.parse(value)),
)

/** Bytes, stored as base64. */
const content = kind<string>(
  { description: 'The JSON that it is; other bytes are an object with `base64`.' },
  (value) => typeof value === 'string' && base64.test(value),
)

/** Stored only while a task is claimed. */
const token = kind<string | null>(
  orNull(text).schema,
  (value) => value === undefined || typeof value === 'string',
)

const given = { setBy: 'creator' } as const

/** What a task is, field by field. The library shows times as dates and bytes as bytes, HTTP its names in snake_case. */
export const taskFields = {
  id: field(name, 'What it is called by.', given),
  idempotencyKey: field(orNull(name), 'The key under which it was submitted.', {
    ...given,
    absent: null,
  }),
  payload: field(content, 'What the worker is to work on.', given),
  status: field(oneOf(statuses), 'Where it is between its submission and its end.'),
  attempts: field(count, 'How many times it was claimed.'),
  maxAttempts: field(count, 'How many times it may be; 0 is without limit.', {
    ...given,
    absent: 0,
  }),
  createdAt: field(time, "When it was submitted, by the store's clock."),
  claimedAt: field(orNull(time), 'When it was claimed; null unless it is claimed or completed.', {
    absent: null,
  }),
  claimedBy: field(
    orNull(name),
    'The worker of its last claim; null unless it is claimed or completed.',
    { absent: null },
  ),
  claimToken: field(
    token,
    'Names its present claim, and no other one ever; null unless it is claimed.',
  ),
  completedAt: field(orNull(time), 'When it was completed, or failed for good.', { absent: null }),
  result: field(orNull(content), 'What the worker made of it; null until it is completed.', {
    absent: null,
  }),
  error: field(orNull(text), 'Why the last attempt failed; null once one succeeds.', {
    absent: null,
  }),
}

export type TaskFields = DocumentOf<typeof taskFields>

type TimeName = Extract<keyof TaskFields, `${string}At`>

/** The fields that are times. */
export const timeNames = Object.keys(taskFields).filter((each) => each.endsWith('At')) as TimeName[]
