import type { Plans } from '../../plan/internal.ts'
import { ref } from '../../schema/index.ts'
import { fitted, offsetHeaders, pageBytesMax, pageHeaders } from '../paging.ts'
import type { Answer, Call, Fields, Outcome } from '../route.ts'

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
  200: { about: 'The plan, as it is now.', schema: ref('Plan'), headers: pageHeaders },
}

/** A plan as the answer, with a page of its tasks: all that fit, unless a limit is given. */
export async function planAnswer(
  plans: Plans,
  sid: string,
  { limit = Number.POSITIVE_INFINITY, offset = 0 }: Cut = {},
): Promise<Answer> {
  const { session, goal, tasks } = await plans.plan(sid)
  const total = tasks.length
  const items = tasks.slice(offset, offset + limit)
  const start = `{"session":${JSON.stringify(session)},"goal":${JSON.stringify(goal)},"tasks":`
  const { json, count } = await fitted(items, pageBytesMax - Buffer.byteLength(start) - 1)
  const hasMore = offset + items.length < total
  const page = { items, limit: Math.min(limit, Math.max(1, total)), offset, total, hasMore }
  const headers = offsetHeaders(`/api/plans/${sid}`, page, count)
  return { status: 200, json: `${start}${json}}`, headers }
}

interface Cut {
  readonly limit?: number
  readonly offset?: number
}
