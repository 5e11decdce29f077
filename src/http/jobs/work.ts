import type { Caller } from '../../access/index.ts'
import type { Condition, Task, TaskManager } from '../../jobs/internal.ts'
import { camelCased } from '../case.ts'
import { bytesOfJson } from '../content.ts'
import { conditionOf, ifMatchState } from '../etag.ts'
import type { Route } from '../route.ts'
import { retry } from './retry.ts'
import { claimSchema, completionSchema, failureSchema, retrySchema } from './schemas.ts'
import { idParam, jobAnswer, jobOutcome, onNaming } from './shown.ts'

interface Claim {
  readonly worker_id: string
}

interface Ending {
  readonly worker_id?: string
  readonly attempt?: number
  readonly claim_token?: string | null
}

/** What workers do: take a job, and say what came of it; and how it is taken back. */
export const workRoutes = (jobs: TaskManager): Route[] => [
  claimNext(jobs),
  acting<Claim>({
    name: 'claim',
    summary: 'Claim a pending job',
    details: 'Claiming what one has already changes nothing.',
    body: { schema: claimSchema },
    agentField: 'worker_id',
    errors: ['CONFLICT'],
    act: (id, { worker_id }, on) => jobs.claim(id, worker_id, on),
  }),
  acting<Ending & { result?: unknown }>({
    name: 'complete',
    summary: 'End a claimed job well',
    details: 'The first result counts: completing it again changes nothing.',
    body: { schema: completionSchema, isOptional: true },
    agentField: 'worker_id',
    errors: ['CONFLICT'],
    act: (id, { result, ...ending }, on) => {
      const bytes = result === undefined ? null : bytesOfJson(result)
      return jobs.complete(id, bytes, { ...camelCased(ending), ...on })
    },
  }),
  acting<Ending & { error: string }>({
    name: 'fail',
    summary: 'End an attempt at a claimed job badly',
    details: 'It is pending again, or failed after its last attempt.',
    body: { schema: failureSchema },
    agentField: 'worker_id',
    errors: ['CONFLICT'],
    act: (id, { error, ...ending }, on) => jobs.fail(id, error, { ...camelCased(ending), ...on }),
  }),
  acting<{ attempts?: number }>({
    name: 'retry',
    summary: 'Make a claimed or failed job pending again',
    details:
      'One that has had all of its attempts needs more. What another has claimed needs the role `admin`.',
    body: { schema: retrySchema, isOptional: true },
    act: (id, { attempts }, on, caller) => retry(jobs, id, { attempts, ...on, caller }),
  }),
]

const claimNext = (jobs: TaskManager): Route<Claim> => ({
  method: 'POST',
  path: '/api/jobs/claim-next',
  role: 'work',
  summary: 'Claim the oldest pending job',
  details:
    'Nothing renews a claim, and it lasts until it is completed, failed or taken back by a retry.',
  body: { schema: claimSchema },
  agentField: 'worker_id',
  outcomes: { ...jobOutcome, 204: { about: 'Nothing is pending.' } },
  errors: [],
  handle: async ({ body }) => {
    const job = await jobs.claimNext(body.worker_id)
    if (!job) return { status: 204, acts: [] }
    return { ...jobAnswer(job), acts: [{ action: 'claim', id: job.id, code: null }] }
  },
})

interface Acting<Body> extends Pick<Route<Body>, 'summary' | 'details' | 'body' | 'agentField'> {
  /** What its path ends with. */
  readonly name: string
  readonly errors?: readonly string[]
  readonly act: (id: string, body: Body, on: Condition, caller: Caller) => Promise<Task>
}

/** Does something to one job, in the state that the caller saw if it says so, and answers with it. */
const acting = <Body>({ name, errors = [], act, ...rest }: Acting<Body>): Route<Body> => ({
  ...rest,
  method: 'POST',
  path: `/api/jobs/:id/${name}`,
  role: 'work',
  params: idParam,
  headers: ifMatchState,
  outcomes: jobOutcome,
  errors: [...onNaming, ...errors, 'REFUSED', 'PRECONDITION_FAILED'],
  handle: async (call) =>
    jobAnswer(await act(call.params['id'] as string, call.body, conditionOf(call), call.caller)),
})
