import {
  statuses,
  type Task,
  type TaskManager,
  TaskNotFoundError,
  type TaskStatus,
} from '../../jobs/index.ts'
import { bytesOfJson } from '../content.ts'
import { cursorAnswer, cursorField, cursorHeaders, limitField } from '../paging.ts'
import { explainRefusal } from '../refusals.ts'
import type { Route, Table } from '../route.ts'
import { ref } from '../schema.ts'
import { submissionSchema } from './schemas.ts'
import { idParam, jobAnswer, jobOutcome, onNaming, shown } from './shown.ts'
import { workRoutes } from './work.ts'

/** Jobs that must not be done twice. */
export const jobsTable = (jobs: TaskManager): Table => ({
  name: 'Jobs',
  about:
    'Jobs that are done once, by workers that claim them here or by the library. A retry takes a claim back.',
  explain: explainRefusal,
  routes: [list(jobs), byKey(jobs), submit(jobs), read(jobs), ...workRoutes(jobs), remove(jobs)],
})

const list = (jobs: TaskManager): Route => ({
  method: 'GET',
  path: '/api/jobs',
  summary: 'List jobs',
  details: 'In the order of their creation; 100 unless a limit is given.',
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
    const { status, limit, cursor } = call.query as {
      status?: TaskStatus
      limit?: number
      cursor?: string
    }
    const page = await jobs.list(status, { limit, cursor })
    return cursorAnswer(call, page.tasks.map(shown), page.cursor)
  },
})

const byKey = (jobs: TaskManager): Route => ({
  method: 'GET',
  path: '/api/jobs/by-key',
  summary: 'Read the job of an idempotency key',
  query: {
    key: {
      isRequired: true,
      schema: { type: 'string', minLength: 1, description: 'The whole key, of at most 4 KiB.' },
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
  summary: 'Submit a job',
  details: 'Where its key stands for a job already, that one is given back.',
  body: { schema: submissionSchema },
  outcomes: {
    ...jobOutcome,
    201: { about: 'The new job.', schema: ref('Job'), headers: { Location: 'Where the job is.' } },
  },
  errors: ['CORRUPT'],
  handle: async ({ body: { payload, idempotency_key: idempotencyKey, max_attempts } }) => {
    const known = idempotencyKey ? await standing(jobs, idempotencyKey) : null
    if (known) return jobAnswer(known)
    const id = await jobs.submit({
      payload: bytesOfJson(payload),
      idempotencyKey,
      maxAttempts: max_attempts,
    })
    const headers = { Location: `/api/jobs/${encodeURIComponent(id)}` }
    return { status: 201, body: shown(await jobs.get(id)), headers }
  },
})

/** The job that a key stands for. */
async function standing(jobs: TaskManager, key: string): Promise<Task | null> {
  try {
    return await jobs.getByIdempotencyKey(key)
  } catch (error) {
    if (error instanceof TaskNotFoundError) return null
    throw error
  }
}

const read = (jobs: TaskManager): Route => ({
  method: 'GET',
  path: '/api/jobs/:id',
  summary: 'Read a job',
  params: idParam,
  outcomes: jobOutcome,
  errors: onNaming,
  handle: async ({ params }) => jobAnswer(await jobs.get(params['id'] as string)),
})

const remove = (jobs: TaskManager): Route => ({
  method: 'DELETE',
  path: '/api/jobs/:id',
  summary: 'Delete a completed or failed job',
  details: 'Its key is free then. One that can’t be read goes, too.',
  params: idParam,
  outcomes: { 204: { about: 'It is deleted.' } },
  errors: ['NOT_FOUND', 'REFUSED'],
  handle: async ({ params }) => {
    await jobs.delete(params['id'] as string)
    return { status: 204 }
  },
})
