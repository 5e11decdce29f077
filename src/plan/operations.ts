import type { Condition, StoredEvent } from '../collection/index.ts'
import {
  ensured,
  type Fields,
  filled,
  type Given,
  type Input,
  type Inputs,
  type JsonSchema,
  kind,
  listOf,
  type Operation,
  objectKind,
  objectOf,
  offsetInputs,
  one,
  oneIfAny,
  operationsOf,
  optional,
  orNull,
  page,
  ref,
  required,
  schemasOf,
  shape,
  steps,
  text,
} from '../schema/index.ts'
import type { Plan, PlanAfter, SessionSummary } from './answers.ts'
import type { Goal, PlanTask, Session } from './documents.ts'
import type { PlanEvent } from './event.ts'
import { eventFields, goalFields, sessionFields, statuses, taskFields } from './fields.ts'
import type { Plans } from './plans.ts'
import type { Change } from './steps.ts'

/** One that can't be read has only its number, and says why. */
export type ShownEvent = PlanEvent | { readonly seq: number; readonly problem: string }

/** With fields that another version may have added. */
const atLeast = (fields: Fields): JsonSchema => ({
  type: 'object',
  properties: schemasOf(fields),
  required: Object.keys(fields),
})

const whole = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema =>
  objectOf(properties, { required: Object.keys(properties) })

const sessionShape = shape<Session>('Session', 'session', atLeast(sessionFields))
const goalShape = shape<Goal>('Goal', 'goal', atLeast(goalFields))
const taskShape = shape<PlanTask>('PlanTask', 'task', atLeast(taskFields))
const summary = { session: ref('Session'), goal: { anyOf: [ref('Goal'), { type: 'null' }] } }
const summaryShape = shape<SessionSummary>('PlanSummary', 'plan', whole(summary), [
  sessionShape,
  goalShape,
])
const planShape = shape<PlanAfter, Plan>(
  'Plan',
  'plan',
  whole({ ...summary, tasks: { type: 'array', items: ref('PlanTask') } }),
  [taskShape],
)
const eventShape = shape<StoredEvent<PlanEvent>, ShownEvent>('PlanEvent', 'event', {
  type: 'object',
  description: 'One that can’t be read has only its number, and says why.',
  properties: { ...schemasOf(eventFields), problem: text.schema },
  required: ['seq'],
})

const idKind = (pattern: string) =>
  kind<string>({ type: 'string', pattern, errorCode: 'INVALID_ID' }, () => true)

const sid = required(
  idKind('^[0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{1,26}$'),
  'An id is 26 digits and capital letters; its start will do.',
)
const id = required(idKind('^[0-9A-Fa-f]{6,64}$'), 'An id is 6 hex digits or more.')

/** A path as the system of this server writes it: who is elsewhere has no working directory here. */
const directory = required(
  kind<string>(
    {
      type: 'string',
      pattern: globalThis.process?.platform === 'win32' ? '^([A-Za-z]:)?[/\\\\]' : '^/',
    },
    () => true,
  ),
  'An absolute path of at most 4096 bytes.',
)

const line = 'One line of at most 500 characters.'
const description = optional(text, 'Text of at most 64 KiB.')
const words = { title: required(filled, line), description }
const reason = optional(
  orNull(text),
  'Why; other words, failed and cancelled need one. It is kept in the log.',
)
const changedWords = { title: optional(filled, line), description }
const changes = {
  status: optional(filled, `One of ${statuses.join(', ')}, or a word that means one.`),
  ...changedWords,
}

const naming = ['NOT_FOUND', 'AMBIGUOUS', 'CORRUPT']
const limitDefault = 50

const row = operationsOf<Plans, Condition>()

type Words = Pick<Operation, 'http' | 'summary' | 'details' | 'errors'>
type Named = Inputs & { readonly sid: Input<string, true>; readonly reason?: typeof reason }

/** Changes a plan and answers with it; its event tells of the request. */
function changing<const I extends Named, const H extends true | undefined = undefined>(
  given: Words & {
    readonly input: I
    readonly heedsState?: H & {}
    readonly change: (given: Given<I>, on: Condition) => Change
  },
) {
  const { change, errors = [], ...rest } = given
  return row({
    ...rest,
    output: one(planShape),
    errors: [...naming, 'REFUSED', ...errors],
    run: async (plans, given, { on, cmd }): Promise<PlanAfter> => {
      const { sid: named, reason } = given as { sid: string; reason?: string | null }
      const { sid } = await plans.session(named)
      const outcome = await plans.applied(sid, change(given, on), { cmd, reason })
      const { events, tasks, plan } = outcome
      const touched = tasks.filter(({ changed }) => changed).map(({ id }) => id)
      return { ...plan, touched: events.length === 0 ? null : touched }
    },
  })
}

/** All that can be asked of plans from outside. */
export const operations = {
  list: row({
    http: 'GET /api/plans',
    summary: 'List the sessions',
    details: `Active ones first, then archived ones, the newest first; ${limitDefault} unless a limit is given.`,
    input: offsetInputs,
    output: page(summaryShape, 'Sessions and their goals.', limitDefault),
    run: async (plans, { limit = limitDefault, offset = 0 }) => {
      const { sessions: items, total } = await plans.list(limit, offset)
      return { items, total, hasMore: offset + limit < total }
    },
  }),
  start: row({
    http: 'POST /api/plans',
    summary: 'Start a session in a directory',
    details:
      'Where one is active in exactly this directory, its plan is given back. Links in the path are followed if it is on the machine of this server; else it is taken as it is.',
    input: { directory },
    output: ensured(planShape, 'The new plan, with nothing in it.'),
    errors: ['CORRUPT'],
    repeatable: true,
    run: async (plans, { directory }) => {
      const { session, isNew } = await plans.start(directory)
      if (isNew) return { item: { session, goal: null, tasks: [] }, isNew }
      return { item: await plans.plan(session.sid), isNew }
    },
  }),
  byDirectory: row({
    http: 'GET /api/plans/by-directory',
    summary: 'Read the plan of a directory',
    details: 'The one that is active there, or in the nearest directory above it.',
    input: { directory },
    output: oneIfAny(planShape, {
      error: 'No session is active in this directory or above it. Start one with POST /api/plans.',
    }),
    errors: ['NOT_FOUND', 'CORRUPT'],
    run: async (plans, { directory }) => {
      const session = await plans.find(directory)
      return session && plans.plan(session.sid)
    },
  }),
  plan: row({
    http: 'GET /api/plans/:sid',
    summary: 'Read a plan',
    details:
      'The session, its goal, and its tasks in the order in which they were added. A plan of more than 4 MB goes on at the next page.',
    input: { sid, ...offsetInputs },
    output: one(planShape),
    errors: naming,
    run: async (plans, { sid }) => plans.plan((await plans.session(sid)).sid),
  }),
  goal: row({
    http: 'GET /api/plans/:sid/goal',
    summary: 'Read the goal of a plan',
    input: { sid },
    output: oneIfAny(
      goalShape,
      { error: "No goal set yet. Use 'np g s' to set it first.", details: { reason: 'NO_GOAL' } },
      'What it is now.',
    ),
    errors: naming,
    run: async (plans, { sid }) => plans.goal((await plans.session(sid)).sid),
  }),
  task: row({
    http: 'GET /api/plans/:sid/tasks/:id',
    summary: 'Read a task of a plan',
    input: { sid, id },
    output: one(taskShape, 'What it is now.'),
    errors: naming,
    run: async (plans, { sid, id }) => plans.task((await plans.session(sid)).sid, id),
  }),
  events: row({
    http: 'GET /api/plans/:sid/events',
    summary: 'List what happened in a plan',
    details: `The newest last; the newest ${limitDefault} unless a limit is given. The next page has older ones.`,
    input: {
      sid,
      limit: offsetInputs.limit,
      cursor: optional(
        kind<string>({ type: 'string', pattern: '^[1-9][0-9]{0,14}$' }, () => true),
        'The X-Next-Cursor of the page before: only events older than this one.',
      ),
    },
    output: steps(eventShape, 'Events in their order.', limitDefault, {
      isCounted: true,
      isNewestLast: true,
    }),
    errors: naming,
    run: async (plans, { sid: named, limit = limitDefault, cursor }) => {
      const { sid } = await plans.session(named)
      const before = cursor === undefined ? undefined : Number(cursor)
      const { events, total } = await plans.events(sid, limit, before)
      const oldest = events[0]?.seq ?? 1
      const hasMore = events.length === limit && oldest > 1
      return { items: events.reverse(), cursor: hasMore ? String(oldest) : null, total }
    },
  }),
  archive: row({
    http: 'POST /api/plans/:sid/archive',
    summary: 'Archive a session',
    details: 'It can still be read, not changed. Its directory is free for another one then.',
    input: { sid },
    output: one(planShape),
    errors: naming,
    run: async (plans, { sid: named }) => {
      const { sid } = await plans.session(named)
      await plans.archive(sid)
      return plans.plan(sid)
    },
  }),
  setGoal: changing({
    http: 'POST /api/plans/:sid/goal',
    summary: 'Set the goal of a plan that has none',
    input: { sid, ...words },
    errors: ['CONFLICT'],
    change: ({ title, description }) => ({ kind: 'set-goal', words: { title, description } }),
  }),
  updateGoal: changing({
    http: 'PATCH /api/plans/:sid/goal',
    summary: 'Change the goal of a plan',
    details: 'What is left out stays. It needs a reason, unless nothing changes.',
    input: { sid, ...changedWords, reason },
    heedsState: true,
    change: ({ title, description }, on) => ({
      kind: 'update-goal',
      words: { title, description, ...on },
    }),
  }),
  addTasks: changing({
    http: 'POST /api/plans/:sid/tasks',
    summary: 'Add tasks to a plan',
    details: 'In the order given. One that is there already, by its words, is not added again.',
    input: { sid, tasks: required(listOf(objectKind(words)), 'Tasks to add, at most 300.') },
    change: ({ tasks }) => ({ kind: 'add-tasks', tasks }),
  }),
  updateTasks: changing({
    http: 'PATCH /api/plans/:sid/tasks',
    summary: 'Change the status or the words of several tasks of a plan',
    details: 'All or none, where the store has transactions; one reason goes for all.',
    input: {
      sid,
      tasks: required(
        listOf(objectKind({ id: required(text, 'The id of a task.'), ...changes })),
        'Tasks to change, at most 200.',
      ),
      reason,
    },
    change: ({ tasks }) => ({ kind: 'update-tasks', tasks }),
  }),
  updateTask: changing({
    http: 'PATCH /api/plans/:sid/tasks/:id',
    summary: 'Change the status or the words of a task of a plan',
    details: 'What is left out stays. Other words, failed and cancelled need a reason.',
    input: { sid, id, ...changes, reason },
    heedsState: true,
    change: ({ sid: _, reason: __, ...task }, on) => ({
      kind: 'update-tasks',
      tasks: [{ ...task, ...on }],
    }),
  }),
}
