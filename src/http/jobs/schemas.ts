import { taskFields } from '../../jobs/internal.ts'
import { type JsonSchema, objectOf, schemasOf } from '../../schema/index.ts'
import { snakeCase } from '../case.ts'

const textOrNull: JsonSchema = { type: ['string', 'null'] }
const count: JsonSchema = { type: 'integer', minimum: 0 }
const omitted: JsonSchema = { const: true, description: 'Only in lists, where it is large.' }

/** A job in the names of HTTP. */
const jobFields = Object.fromEntries(
  Object.entries(schemasOf(taskFields)).map(([name, schema]) => [snakeCase(name), schema]),
)

export const jobSchemas: Readonly<Record<string, JsonSchema>> = {
  Job: {
    type: 'object',
    properties: { ...jobFields, payload_omitted: omitted, result_omitted: omitted },
    required: Object.keys(jobFields),
  },
}

export const submissionSchema = objectOf(
  {
    payload: { description: 'Any JSON of at most 256 KiB.' },
    idempotency_key: {
      ...textOrNull,
      description: 'The same key is the same job. Any text that is not empty, of at most 256 KiB.',
    },
    max_attempts: {
      ...count,
      description: 'How many times it may be claimed; 0 is without limit.',
    },
  },
  { required: ['payload'] },
)

export const retrySchema = objectOf({
  attempts: { ...count, description: 'How many more attempts to allow.' },
})

const worker: JsonSchema = { type: 'string', minLength: 1 }

export const claimSchema = objectOf(
  { worker_id: { ...worker, description: 'Who takes it: a name that no other worker has.' } },
  { required: ['worker_id'] },
)

/** Whose claim is meant. A claim that is another’s by now refuses it. */
const claimant = {
  worker_id: { ...worker, description: 'Who has it. Left out, it may be anybody.' },
  attempt: {
    ...count,
    description: 'The `attempts` of the job that was claimed: no later claim is meant.',
  },
  claim_token: {
    ...textOrNull,
    description: 'The `claim_token` of the job that was claimed: no other claim is meant.',
  },
} as const satisfies Record<string, JsonSchema>

export const completionSchema = objectOf({
  result: { description: 'Any JSON of at most 256 KiB; none if left out.' },
  ...claimant,
})

export const failureSchema = objectOf(
  {
    error: { type: 'string', description: 'Why it failed; what is beyond 16 KiB is cut.' },
    ...claimant,
  },
  { required: ['error'] },
)
