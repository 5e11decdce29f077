import { stateOf, type Task, taskFields } from '../../jobs/internal.ts'
import { ref } from '../../schema/index.ts'
import { snakeCase } from '../case.ts'
import { listedBytesMax, shownBytes } from '../content.ts'
import { stateHeader, tagged } from '../etag.ts'
import type { Answer, Fields, Outcome } from '../route.ts'

const names = (Object.keys(taskFields) as (keyof Task)[]).map(
  (name) => [name, snakeCase(name)] as const,
)

/** A job as it is shown, in the names of HTTP; its bytes as JSON where they are. */
function shown(job: Task): Record<string, unknown> {
  const body: Record<string, unknown> = {}
  for (const [name, named] of names) {
    const value = job[name]
    body[named] = value instanceof Uint8Array ? shownBytes(value) : value
  }
  return body
}

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
