import type { Task } from '../../jobs/index.ts'
import { shownBytes } from '../content.ts'
import type { Answer, Fields, Outcome } from '../route.ts'
import { ref } from '../schema.ts'

/** A job as it is shown; its bytes as JSON where they are. */
export const shown = ({ payload, result, ...rest }: Task) => ({
  ...rest,
  payload: shownBytes(payload),
  result: result === null ? null : shownBytes(result),
})

export const jobOutcome: Readonly<Record<number, Outcome>> = {
  200: { about: 'The job, as it is now.', schema: ref('Job') },
}

export const jobAnswer = (job: Task): Answer => ({ status: 200, body: shown(job) })

export const idParam: Fields = {
  id: {
    isRequired: true,
    schema: { type: 'string', minLength: 1, description: 'Any text of at most 200 bytes.' },
  },
}

export const onNaming = ['NOT_FOUND', 'CORRUPT']
