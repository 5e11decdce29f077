import type { TaskManager } from '../../jobs/index.ts'
import { bytesOfJson } from '../content.ts'
import type { Route } from '../route.ts'
import { claimSchema, completionSchema, failureSchema } from './schemas.ts'
import { idParam, jobAnswer, jobOutcome, onNaming } from './shown.ts'

/** What workers do: take a job, and say what came of it. */
export const workRoutes = (jobs: TaskManager): Route[] => [
  claimNext(jobs),
  claim(jobs),
  complete(jobs),
  fail(jobs),
]

interface Claim {
  readonly worker_id: string
}

const claimNext = (jobs: TaskManager): Route<Claim> => ({
  method: 'POST',
  path: '/api/jobs/claim-next',
  summary: 'Claim the oldest pending job',
  details:
    'Nothing renews a claim, and it lasts until it is completed, failed or taken back by a retry.',
  body: { schema: claimSchema },
  outcomes: { ...jobOutcome, 204: { about: 'Nothing is pending.' } },
  errors: [],
  handle: async ({ body }) => {
    const job = await jobs.claimNext(body.worker_id)
    return job ? jobAnswer(job) : { status: 204 }
  },
})

const claim = (jobs: TaskManager): Route<Claim> => ({
  method: 'POST',
  path: '/api/jobs/:id/claim',
  summary: 'Claim a pending job',
  details: 'Claiming what one has already changes nothing.',
  params: idParam,
  body: { schema: claimSchema },
  outcomes: jobOutcome,
  errors: [...onNaming, 'CONFLICT', 'REFUSED'],
  handle: async ({ params, body }) =>
    jobAnswer(await jobs.claim(params['id'] as string, body.worker_id)),
})

interface Ending {
  readonly worker_id?: string
  readonly attempt?: number
}

const claimantOf = ({ worker_id: workerId, attempt }: Ending) => ({ workerId, attempt })

const complete = (jobs: TaskManager): Route<Ending & { result?: unknown }> => ({
  method: 'POST',
  path: '/api/jobs/:id/complete',
  summary: 'End a claimed job well',
  details: 'The first result counts: completing it again changes nothing.',
  params: idParam,
  body: { schema: completionSchema, isOptional: true },
  outcomes: jobOutcome,
  errors: [...onNaming, 'CONFLICT', 'REFUSED'],
  handle: async ({ params, body }) => {
    const result = body.result === undefined ? null : bytesOfJson(body.result)
    return jobAnswer(await jobs.complete(params['id'] as string, result, claimantOf(body)))
  },
})

const fail = (jobs: TaskManager): Route<Ending & { error: string }> => ({
  method: 'POST',
  path: '/api/jobs/:id/fail',
  summary: 'End an attempt at a claimed job badly',
  details: 'It is pending again, or failed after its last attempt.',
  params: idParam,
  body: { schema: failureSchema },
  outcomes: jobOutcome,
  errors: [...onNaming, 'CONFLICT', 'REFUSED'],
  handle: async ({ params, body }) =>
    jobAnswer(await jobs.fail(params['id'] as string, body.error, claimantOf(body))),
})
