import type { Condition } from '../collection/index.ts'
import {
  count,
  cursorInputs,
  done,
  ensured,
  filled,
  found,
  type JsonSchema,
  json,
  one,
  oneOf,
  operationsOf,
  optional,
  orNull,
  required,
  type SnakeCase,
  schemasOf,
  shape,
  snakeCased,
  steps,
  text,
} from '../schema/index.ts'
import { statuses, type TaskFields, taskFields } from './fields.ts'
import type { Task } from './task.ts'
import type { TaskManager } from './task-manager.ts'

/** A task as other programs see it: a job, with names in snake_case, and with its bytes as the JSON that they are. */
export type Job = {
  readonly [Name in keyof TaskFields as SnakeCase<Name>]: Name extends 'payload' | 'result'
    ? unknown
    : TaskFields[Name]
} & { readonly payload_omitted?: true; readonly result_omitted?: true }

const jobFields = snakeCased(schemasOf(taskFields))
const omitted: JsonSchema = { const: true, description: 'Only in lists, where it is large.' }

const jobShape = shape<Task, Job>('Job', 'job', {
  type: 'object',
  properties: { ...jobFields, payload_omitted: omitted, result_omitted: omitted },
  required: Object.keys(jobFields),
})

const id = required(filled, 'Any text of at most 200 bytes.')
const worker_id = required(filled, 'Who takes it: a name that no other worker has.')

/** Whose claim is meant. A claim that is another’s by now refuses it. */
const claimant = {
  worker_id: optional(filled, 'Who has it. Left out, it may be anybody.'),
  attempt: optional(count, 'The `attempts` of the job that was claimed: no later claim is meant.'),
  claim_token: optional(
    orNull(text),
    'The `claim_token` of the job that was claimed: no other claim is meant.',
  ),
}

const naming = ['NOT_FOUND', 'CORRUPT']

const bytesOfJson = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value))

const job = operationsOf<TaskManager, Condition>()

/** All that can be asked of jobs from outside. */
export const operations = {
  list: job({
    http: 'GET /api/jobs',
    summary: 'List jobs',
    details:
      'In the order of their creation; 100 unless a limit is given. A payload or result of more than 2,000 bytes is null, and `payload_omitted` or `result_omitted` true.',
    input: { status: optional(oneOf(statuses), 'Only with this status.'), ...cursorInputs },
    output: steps(jobShape, 'A page of jobs.', 100),
    run: async (jobs, { status, ...page }) => {
      const { tasks: items, cursor } = await jobs.list(status, page)
      return { items, cursor }
    },
  }),
  byKey: job({
    http: 'GET /api/jobs/by-key',
    summary: 'Read the job of an idempotency key',
    input: { key: required(filled, 'The whole key. A URL holds about 16 KB.') },
    output: one(jobShape),
    errors: naming,
    run: (jobs, { key }) => jobs.getByIdempotencyKey(key),
  }),
  submit: job({
    http: 'POST /api/jobs',
    summary: 'Submit a job',
    details: 'Where its key stands for a job already, that one is given back.',
    input: {
      payload: required(json<unknown>(), 'Any JSON of at most 256 KiB.'),
      idempotency_key: optional(
        orNull(text),
        'The same key is the same job. Any text that is not empty, of at most 256 KiB.',
      ),
      max_attempts: optional(count, 'How many times it may be claimed; 0 is without limit.'),
    },
    output: ensured(jobShape),
    errors: ['CORRUPT'],
    repeatable: 'idempotency_key',
    run: async (jobs, { payload, idempotency_key: idempotencyKey, max_attempts: maxAttempts }) => {
      const given = { payload: bytesOfJson(payload), idempotencyKey, maxAttempts }
      const { task: item, isNew } = await jobs.ensure(given)
      return { item, isNew }
    },
  }),
  get: job({
    http: 'GET /api/jobs/:id',
    summary: 'Read a job',
    input: { id },
    output: one(jobShape),
    errors: naming,
    run: (jobs, { id }) => jobs.get(id),
  }),
  claimNext: job({
    http: 'POST /api/jobs/claim-next',
    summary: 'Claim the oldest pending job',
    details:
      'Nothing renews a claim, and it lasts until it is completed, failed or taken back by a retry.',
    input: { worker_id },
    output: found(jobShape, 'Nothing is pending.'),
    agent: 'worker_id',
    loggedAs: 'claim',
    run: (jobs, { worker_id }) => jobs.claimNext(worker_id),
  }),
  claim: job({
    http: 'POST /api/jobs/:id/claim',
    summary: 'Claim a pending job',
    details: 'Claiming what one has already changes nothing.',
    input: { id, worker_id },
    output: one(jobShape),
    errors: [...naming, 'CONFLICT', 'REFUSED'],
    agent: 'worker_id',
    heedsState: true,
    repeatable: true,
    run: (jobs, { id, worker_id }, { on }) => jobs.claim(id, worker_id, on),
  }),
  complete: job({
    http: 'POST /api/jobs/:id/complete',
    summary: 'End a claimed job well',
    details: 'The first result counts: completing it again changes nothing.',
    input: {
      id,
      result: optional(json<unknown>(), 'Any JSON of at most 256 KiB; none if left out.'),
      ...claimant,
    },
    output: one(jobShape),
    errors: [...naming, 'CONFLICT', 'REFUSED'],
    agent: 'worker_id',
    heedsState: true,
    repeatable: 'claim_token',
    run: (jobs, { id, result, worker_id: workerId, attempt, claim_token: claimToken }, { on }) => {
      const bytes = result === undefined ? null : bytesOfJson(result)
      return jobs.complete(id, bytes, { workerId, attempt, claimToken, ...on })
    },
  }),
  fail: job({
    http: 'POST /api/jobs/:id/fail',
    summary: 'End an attempt at a claimed job badly',
    details: 'It is pending again, or failed after its last attempt.',
    input: {
      id,
      error: required(text, 'Why it failed; what is beyond 16 KiB is cut.'),
      ...claimant,
    },
    output: one(jobShape),
    errors: [...naming, 'CONFLICT', 'REFUSED'],
    agent: 'worker_id',
    heedsState: true,
    repeatable: 'claim_token',
    run: (jobs, { id, error, worker_id: workerId, attempt, claim_token: claimToken }, { on }) =>
      jobs.fail(id, error, { workerId, attempt, claimToken, ...on }),
  }),
  retry: job({
    http: 'POST /api/jobs/:id/retry',
    summary: 'Make a claimed or failed job pending again',
    details:
      'One that has had all of its attempts needs more. What another has claimed needs the role `admin`.',
    input: { id, attempts: optional(count, 'How many more attempts to allow.') },
    output: one(jobShape),
    errors: [...naming, 'REFUSED'],
    heedsState: true,
    run: (jobs, { id, attempts }, { on, checkTaking: mayTake }) =>
      jobs.retry(id, { attempts, mayTake, ...on }),
  }),
  delete: job({
    http: 'DELETE /api/jobs/:id',
    summary: 'Delete a completed or failed job',
    details:
      'Its key is free then. One that can’t be read goes, too, unless `If-Match` asks for a state.',
    input: { id },
    output: done('It is deleted.'),
    errors: ['NOT_FOUND', 'REFUSED'],
    role: 'admin',
    heedsState: true,
    run: (jobs, { id }, { on }) => jobs.delete(id, on),
  }),
}
