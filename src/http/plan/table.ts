import { afterPart, kinds } from '../../collection/index.ts'
import {
  type Goal,
  NoGoalError,
  type PlanEvent,
  type Plans,
  type PlanTask,
  type StoredEvent,
  stateOf,
} from '../../plan/internal.ts'
import { ref } from '../../schema/index.ts'
import { HttpError } from '../error.ts'
import { stateHeader, tagged } from '../etag.ts'
import {
  cursorAnswer,
  cursorHeaders,
  limitField,
  offsetAnswer,
  pageFields,
  pageHeaders,
} from '../paging.ts'
import { explainRefusal } from '../refusals.ts'
import type { Answer, Outcome, Route, Table } from '../route.ts'
import { changeRoutes } from './changes.ts'
import { directory, planSchemas, sent } from './schemas.ts'
import { onNaming, planAnswer, planOutcome, sidOf, sidParam, taskParam } from './session.ts'

const limitDefault = 50
/** How many events to read at a time: each may have 192 KiB. */
const readAtOnceMax = 100

/** What agents have set out to do, directory by directory. */
export const planTable = (plans: Plans): Table => ({
  name: 'Plans',
  about: 'Sessions with their goals, tasks and events. An id may be cut as long as it is clear.',
  explain: explainRefusal,
  schemas: planSchemas,
  routes: [
    sessions(plans),
    start(plans),
    byDirectory(plans),
    plan(plans),
    goal(plans),
    task(plans),
    events(plans),
    archive(plans),
    ...changeRoutes(plans),
  ],
})

const sessions = (plans: Plans): Route => ({
  method: 'GET',
  path: '/api/plans',
  role: 'read',
  summary: 'List the sessions',
  details: `Active ones first, then archived ones, the newest first; ${limitDefault} unless a limit is given.`,
  query: pageFields,
  outcomes: {
    200: {
      about: 'Sessions and their goals.',
      schema: { type: 'array', items: ref('PlanSummary') },
      headers: pageHeaders,
    },
  },
  errors: [],
  handle: async (call) => {
    const { limit = limitDefault, offset = 0 } = call.query as { limit?: number; offset?: number }
    const { sessions: items, total } = await plans.list(limit, offset)
    return offsetAnswer(call, { items, limit, offset, total, hasMore: offset + limit < total })
  },
})

const start = (plans: Plans): Route<{ directory: string }> => ({
  method: 'POST',
  path: '/api/plans',
  role: 'work',
  summary: 'Start a session in a directory',
  details:
    'Where one is active in exactly this directory, its plan is given back. Links in the path are followed if it is on the machine of this server; else it is taken as it is.',
  body: { schema: sent.start },
  outcomes: {
    ...planOutcome,
    201: {
      about: 'The new plan, with nothing in it.',
      schema: ref('Plan'),
      headers: { Location: 'Where the plan is.' },
    },
  },
  errors: ['CORRUPT'],
  handle: async ({ body }) => {
    const { session, isNew } = await plans.start(body.directory)
    const read = () => planAnswer(plans, session.sid)
    if (!isNew) return { ...(await read()), acts: [] }
    const answer = await afterPart(`The plan ${session.sid} was begun`, read)
    return { ...answer, status: 201, headers: { Location: `/api/plans/${session.sid}` } }
  },
})

const byDirectory = (plans: Plans): Route => ({
  method: 'GET',
  path: '/api/plans/by-directory',
  role: 'read',
  summary: 'Read the plan of a directory',
  details: 'The one that is active there, or in the nearest directory above it.',
  query: { directory: { isRequired: true, schema: directory } },
  outcomes: planOutcome,
  errors: ['NOT_FOUND', 'CORRUPT'],
  handle: async ({ query }) => {
    const session = await plans.find(query['directory'] as string)
    if (session) return planAnswer(plans, session.sid)
    throw new HttpError(
      kinds.not_found,
      'No session is active in this directory or above it. Start one with POST /api/plans.',
    )
  },
})

const plan = (plans: Plans): Route => ({
  method: 'GET',
  path: '/api/plans/:sid',
  role: 'read',
  summary: 'Read a plan',
  details:
    'The session, its goal, and its tasks in the order in which they were added. A plan of more than 4 MB goes on at the next page.',
  params: sidParam,
  query: pageFields,
  outcomes: planOutcome,
  errors: onNaming,
  handle: async (call) => planAnswer(plans, await sidOf(plans, call), call.query),
})

/** A part of a plan by itself, with the state that a change may depend on. */
const partOutcome = (name: 'Goal' | 'PlanTask'): Readonly<Record<number, Outcome>> => ({
  200: {
    about: 'What it is now.',
    schema: ref(name),
    headers: stateHeader,
  },
})

const partAnswer = (body: Goal | PlanTask): Answer => ({
  status: 200,
  body,
  headers: tagged(stateOf(body)),
})

const goal = (plans: Plans): Route => ({
  method: 'GET',
  path: '/api/plans/:sid/goal',
  role: 'read',
  summary: 'Read the goal of a plan',
  params: sidParam,
  outcomes: partOutcome('Goal'),
  errors: onNaming,
  handle: async (call) => {
    const found = await plans.goal(await sidOf(plans, call))
    if (found === null) throw new NoGoalError('not_found')
    return partAnswer(found)
  },
})

const task = (plans: Plans): Route => ({
  method: 'GET',
  path: '/api/plans/:sid/tasks/:id',
  role: 'read',
  summary: 'Read a task of a plan',
  params: taskParam,
  outcomes: partOutcome('PlanTask'),
  errors: onNaming,
  handle: async (call) =>
    partAnswer(await plans.task(await sidOf(plans, call), call.params['id'] as string)),
})

const events = (plans: Plans): Route => ({
  method: 'GET',
  path: '/api/plans/:sid/events',
  role: 'read',
  summary: 'List what happened in a plan',
  details: `The newest last; the newest ${limitDefault} unless a limit is given. The next page has older ones.`,
  params: sidParam,
  query: {
    ...limitField,
    cursor: {
      schema: {
        type: 'string',
        pattern: '^[1-9][0-9]{0,14}$',
        description: 'The X-Next-Cursor of the page before: only events older than this one.',
      },
    },
  },
  outcomes: {
    200: {
      about: 'Events in their order.',
      schema: { type: 'array', items: ref('PlanEvent') },
      headers: { 'X-Total-Count': pageHeaders['X-Total-Count'], ...cursorHeaders },
    },
  },
  errors: onNaming,
  handle: async (call) => {
    const sid = await sidOf(plans, call)
    const { limit = limitDefault, cursor } = call.query as { limit?: number; cursor?: string }
    let total = 0
    const answer = await cursorAnswer(call, {
      limit,
      cursor,
      readAtOnceMax,
      isNewestLast: true,
      read: async (limit, cursor) => {
        const before = cursor === undefined ? undefined : Number(cursor)
        const found = await plans.events(sid, limit, before)
        total = found.total
        const oldest = found.events[0]?.seq ?? 1
        const hasMore = found.events.length === limit && oldest > 1
        return { items: found.events.reverse(), cursor: hasMore ? String(oldest) : null }
      },
      shown,
    })
    return { ...answer, headers: { 'X-Total-Count': String(total), ...answer.headers } }
  },
})

/** Nothing is left out silently: what can't be read is named. */
const shown = ({ seq, event, problem }: StoredEvent<PlanEvent>) => event ?? { seq, problem }

const archive = (plans: Plans): Route => ({
  method: 'POST',
  path: '/api/plans/:sid/archive',
  role: 'work',
  summary: 'Archive a session',
  details: 'It can still be read, not changed. Its directory is free for another one then.',
  params: sidParam,
  outcomes: planOutcome,
  errors: onNaming,
  handle: async (call) => {
    const sid = await sidOf(plans, call)
    await plans.archive(sid)
    return planAnswer(plans, sid)
  },
})
