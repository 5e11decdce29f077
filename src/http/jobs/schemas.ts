import { statuses } from '../../jobs/index.ts'
import { type JsonSchema, objectOf } from '../schema.ts'

const textOrNull: JsonSchema = { type: ['string', 'null'] }
const timeOrNull: JsonSchema = { type: ['string', 'null'], format: 'date-time' }
const count: JsonSchema = { type: 'integer', minimum: 0 }
const content: JsonSchema = {
  description: 'The JSON that it is; other bytes are an object with `base64`.',
}

const jobFields: Readonly<Record<string, JsonSchema>> = {
  id: { type: 'string' },
  idempotencyKey: textOrNull,
  payload: content,
  status: { enum: statuses },
  attempts: { ...count, description: 'How many times it was claimed.' },
  maxAttempts: { ...count, description: 'How many times it may be; 0 is without limit.' },
  createdAt: { type: 'string', format: 'date-time' },
  claimedAt: timeOrNull,
  claimedBy: textOrNull,
  completedAt: timeOrNull,
  result: content,
  error: textOrNull,
}

export const jobSchemas: Readonly<Record<string, JsonSchema>> = {
  Job: { type: 'object', properties: jobFields, required: Object.keys(jobFields) },
}

export const submissionSchema = objectOf(
  {
    payload: { description: 'Any JSON of at most 256 KiB.' },
    idempotency_key: {
      ...textOrNull,
      description: 'The same key is the same job. At most 4 KiB.',
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
