import type { Plans } from '../../plan/index.ts'
import type { Answer, Call, Fields, Outcome } from '../route.ts'
import { ref } from '../schema.ts'

/** The session that a path names. */
export const sidParam: Fields = {
  sid: {
    isRequired: true,
    schema: {
      type: 'string',
      pattern: '^[0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{1,26}$',
      description: 'An id is 26 digits and capital letters; its start will do.',
      errorCode: 'INVALID_ID',
    },
  },
}

/** A task of its plan. */
export const taskParam: Fields = {
  ...sidParam,
  id: {
    isRequired: true,
    schema: {
      type: 'string',
      pattern: '^[0-9A-Fa-f]{6,64}$',
      description: 'An id is 6 hex digits or more.',
      errorCode: 'INVALID_ID',
    },
  },
}

export const onNaming = ['INVALID_ID', 'NOT_FOUND', 'AMBIGUOUS', 'CORRUPT']

export const sidOf = async (plans: Plans, { params }: Call): Promise<string> =>
  (await plans.session(params['sid'] as string)).sid

export const planOutcome: Readonly<Record<number, Outcome>> = {
  200: { about: 'The plan, as it is now.', schema: ref('Plan') },
}

/** A plan as the answer. */
export const planAnswer = async (plans: Plans, sid: string): Promise<Answer> => ({
  status: 200,
  body: await plans.plan(sid),
})
