import { stateOf, type Task } from '../../jobs/internal.ts'
import { listedBytesMax, shownBytes } from '../content.ts'
import { stateHeader, tagged } from '../etag.ts'
import type { Answer, Fields, Outcome } from '../route.ts'
import { ref } from '../schema.ts'

/** A job as it is shown, in the names of HTTP; its bytes as JSON where they are. */
const shown = (job: Task) => ({
  id: job.id,
  idempotency_key: job.idempotencyKey,
  payload: shownBytes(job.payload),
  status: job.status,
  attempts: job.attempts,
  max_attempts: job.maxAttempts,
  created_at: job.createdAt,
  claimed_at: job.claimedAt,
  claimed_by: job.claimedBy,
  claim_token: job.claimToken,
  completed_at: job.completedAt,
  result: job.result === null ? null : shownBytes(job.result),
  error: job.error,
})

/** A job of a list: without what is large. */
export function listed(job: Task) {
  const isOmitted = { payload: isLarge(job.payload), result: isLarge(job.result) }
  return {
    ...shown({
      ...job,
      payload: isOmitted.payload ? nothing : job.payload,
      result: isOmitted.result ? null : job.result,
    }),
    ...(isOmitted.payload ? { payload: null, payload_omitted: true } : {}),
    ...(isOmitted.result ? { result_omitted: true } : {}),
  }
}

const nothing = new Uint8Array()
const isLarge = (content: Uint8Array | null): boolean =>
  content !== null && content.length > listedBytesMax

export const jobOutcome: Readonly<Record<number, Outcome>> = {
  200: { about: 'The job, as it is now.', schema: ref('Job'), headers: stateHeader },
}

/** A job as the answer, with its ETag. */
export const jobAnswer = (
  job: Task,
  status = 200,
  more: Readonly<Record<string, string>> = {},
): Answer => ({ status, body: shown(job), headers: { ...tagged(stateOf(job)), ...more } })

export const idParam: Fields = {
  id: {
    isRequired: true,
    schema: { type: 'string', minLength: 1, description: 'Any text of at most 200 bytes.' },
  },
}

export const onNaming = ['NOT_FOUND', 'CORRUPT']
