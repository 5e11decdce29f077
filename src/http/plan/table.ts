import type { PlanEvent, Plans, StoredEvent } from '../../plan/index.ts'
import { headersOf, limitField, pageFields, pageHeaders } from '../paging.ts'
import { explainRefusal } from '../refusals.ts'
import type { Fields, Route, Table } from '../route.ts'
import { ref } from '../schema.ts'

const limitDefault = 50

/** What agents have set out to do, directory by directory. */
export const planTable = (plans: Plans): Table => ({
  name: 'Plans',
  about: 'Sessions with their goals, tasks and events. An id may be cut as long as it is clear.',
  explain: explainRefusal,
  routes: [sessions(plans), plan(plans), events(plans)],
})

const sidParam: Fields = {
  sid: {
    isRequired: true,
    schema: {
      type: 'string',
      pattern: '^[0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{1,26}$',
      description: 'An id is 26 digits and capital letters; its start will do.',
      errorCode: 'INVALID_ID',
    },
  },
}

const onNaming = ['INVALID_ID', 'NOT_FOUND', 'AMBIGUOUS', 'CORRUPT']

const sessions = (plans: Plans): Route => ({
  method: 'GET',
  path: '/api/plans',
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
  handle: async ({ query, url }) => {
    const { limit = limitDefault, offset = 0 } = query as { limit?: number; offset?: number }
    const found = await plans.list(limit, offset)
    const hasMore = offset + limit < found.total
    const headers = headersOf(url, { limit, offset, total: found.total, hasMore })
    return { status: 200, body: found.sessions, headers }
  },
})

const plan = (plans: Plans): Route => ({
  method: 'GET',
  path: '/api/plans/:sid',
  summary: 'Read a plan',
  details: 'The session, its goal, and its tasks in the order in which they were added.',
  params: sidParam,
  outcomes: { 200: { about: 'The plan.', schema: ref('Plan') } },
  errors: onNaming,
  handle: async ({ params }) => {
    const { sid } = await plans.session(params['sid'] as string)
    return { status: 200, body: await plans.plan(sid) }
  },
})

const events = (plans: Plans): Route => ({
  method: 'GET',
  path: '/api/plans/:sid/events',
  summary: 'List what happened in a plan',
  details: `The newest last; the newest ${limitDefault} unless a limit is given.`,
  params: sidParam,
  query: limitField,
  outcomes: {
    200: {
      about: 'Events in their order.',
      schema: { type: 'array', items: ref('PlanEvent') },
      headers: { 'X-Total-Count': 'How many there are, whatever the limit.' },
    },
  },
  errors: onNaming,
  handle: async ({ params, query }) => {
    const { sid } = await plans.session(params['sid'] as string)
    const { limit = limitDefault } = query as { limit?: number }
    const { events: stored, total } = await plans.events(sid, limit)
    return {
      status: 200,
      body: stored.map(shown),
      headers: { 'X-Total-Count': String(total) },
    }
  },
})

/** Nothing is left out silently: what can't be read is named. */
const shown = ({ seq, event, problem }: StoredEvent<PlanEvent>) => event ?? { seq, problem }
