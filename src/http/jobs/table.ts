import { statuses, type TaskManager, type TaskStatus } from '../../jobs/internal.ts'
import { ref } from '../../schema/index.ts'
import { bytesOfJson } from '../content.ts'
import { conditionOf, ifMatchState, stateHeader } from '../etag.ts'
import { cursorAnswer, cursorField, cursorHeaders, limitField } from '../paging.ts'
import type { Route, Table } from '../route.ts'
import { explainJob } from './refusals.ts'
import { submissionSchema } from './schemas.ts'
import { idParam, jobAnswer, jobOutcome, listed, onNaming } from './shown.ts'
import { workRoutes } from './work.ts'

/** Each may have half a megabyte. */
const readAtOnceMax = 50

/** Jobs that must not be done twice. */
export const jobsTable = (jobs: TaskManager): Table => ({
  name: 'Jobs',
  about:
    'Jobs that are done once, by workers that claim them here or by the library. A retry takes a claim back.',
  explain: explainJob,
  routes: [list(jobs), byKey(jobs), submit(jobs), read(jobs), ...workRoutes(jobs), remove(jobs)],
})

interface Asked {
  readonly status?: TaskStatus
  readonly limit?: number
  readonly cursor?: string
}

const list = (jobs: TaskManager): Route => ({
  method: 'GET',
  path: '/api/jobs',
  role: 'read',
  summary: 'List jobs',
  details:
    'In the order of their creation; 100 unless a limit is given. A payload or result of more than 2,000 bytes is null, and `payload_omitted` or `result_omitted` true.',
  query: {
    status: { schema: { type: 'string', enum: statuses, description: 'Only with this status.' } },
    ...limitField,
    ...cursorField,
  },
  outcomes: {
    200: {
      about: 'A page of jobs.',
      schema: { type: 'array', items: ref('Job') },
      headers: cursorHeaders,
    },
  },
  errors: [],
  handle: async (call) => {
    const { status, limit = 100, cursor } = call.query as Asked
    return cursorAnswer(call, {
      limit,
      cursor,
      readAtOnceMax,
      read: async (limit, cursor) => {
        const page = await jobs.list(status, { limit, cursor })
        return { items: page.tasks, cursor: page.cursor }
      },
      shown: listed,
    })
  },
})

const byKey = (jobs: TaskManager): Route => ({
  method: 'GET',
  path: '/api/jobs/by-key',
  role: 'read',
  summary: 'Read the job of an idempotency key',
  query: {
    key: {
      isRequired: true,
      schema: {
        type: 'string',
        minLength: 1,
        description: 'The whole key. A URL holds about 16 KB.',
      },
    },
  },
  outcomes: jobOutcome,
  errors: onNaming,
  handle: async ({ query }) => jobAnswer(await jobs.getByIdempotencyKey(query['key'] as string)),
})

interface Submitted {
  readonly payload: unknown
  readonly idempotency_key?: string | null
  readonly max_attempts?: number
}

const submit = (jobs: TaskManager): Route<Submitted> => ({
  method: 'POST',
  path: '/api/jobs',
  role: 'work',
  summary: 'Submit a job',
  details: 'Where its key stands for a job already, that one is given back.',
  body: { schema: submissionSchema },
  outcomes: {
    ...jobOutcome,
    201: {
      about: 'The new job.',
      schema: ref('Job'),
      headers: { Location: 'Where the job is.', ...stateHeader },
    },
  },
  errors: ['CORRUPT'],
  handle: async ({ body: { payload, idempotency_key: idempotencyKey, max_attempts } }) => {
    const { task, isNew } = await jobs.ensure({
      payload: bytesOfJson(payload),
      idempotencyKey,
      maxAttempts: max_attempts,
    })
    if (!isNew) return { ...jobAnswer(task), acts: [] }
    return jobAnswer(task, 201, { Location: `/api/jobs/${encodeURIComponent(task.id)}` })
  },
})

const read = (jobs: TaskManager): Route => ({
  method: 'GET',
  path: '/api/jobs/:id',
  role: 'read',
  summary: 'Read a job',
  params: idParam,
  outcomes: jobOutcome,
  errors: onNaming,
  handle: async ({ params }) => jobAnswer(await jobs.get(params['id'] as string)),
})

const remove = (jobs: TaskManager): Route => ({
  method: 'DELETE',
  path: '/api/jobs/:id',
  role: 'admin',
  summary: 'Delete a completed or failed job',
  details:
    'Its key is free then. One that can’t be read goes, too, unless `If-Match` asks for a state.',
  params: idParam,
  headers: ifMatchState,
  outcomes: { 204: { about: 'It is deleted.' } },
  errors: ['NOT_FOUND', 'REFUSED', 'PRECONDITION_FAILED'],
  handle: async (call) => {
    await jobs.delete(call.params['id'] as string, conditionOf(call))
    return { status: 204 }
  },
})
