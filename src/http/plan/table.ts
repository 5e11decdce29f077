import {
  type Goal,
  operations,
  type PlanAfter,
  type PlanEvent,
  type Plans,
  type PlanTask,
  type StoredEvent,
  stateOf,
} from '../../plan/internal.ts'
import { stateHeader, tagged } from '../etag.ts'
import { type Shown, tableOf } from '../operations.ts'
import { fitted, offsetHeaders, pageBytesMax, pageHeaders } from '../paging.ts'
import { explainRefusal } from '../refusals.ts'
import type { Answer, Call, Table } from '../route.ts'

/** What agents have set out to do, directory by directory. */
export const planTable = (plans: Plans): Table =>
  tableOf({
    name: 'Plans',
    about: 'Sessions with their goals, tasks and events. An id may be cut as long as it is clear.',
    explain: explainRefusal,
    model: plans,
    operations,
    shapes: { Plan: planShown, Goal: partShown, PlanTask: partShown, PlanEvent: eventShown },
  })

/** A part of a plan by itself, with the state that a change may depend on. */
const partShown: Shown<Goal | PlanTask> = {
  answer: (part) => ({ status: 200, body: part, headers: tagged(stateOf(part)) }),
  headers: stateHeader,
}

/** Nothing is left out silently: what can't be read is named. */
const eventShown: Shown<StoredEvent<PlanEvent>> = {
  listed: ({ seq, event, problem }) => event ?? { seq, problem },
  // Each may have 192 KiB.
  readAtOnceMax: 100,
}

const planShown: Shown<PlanAfter> = {
  answer: planAnswer,
  headers: pageHeaders,
  at: ({ session }) => `/api/plans/${session.sid}`,
}

/** A plan as the answer, with a page of its tasks: all that fit, unless a limit is given. */
async function planAnswer(plan: PlanAfter, { query }: Call): Promise<Answer> {
  const { session, goal, tasks, touched: ids } = plan
  const { sid } = session
  const { limit = Number.POSITIVE_INFINITY, offset = 0 } = query as Cut
  const total = tasks.length
  const items = tasks.slice(offset, offset + limit)
  const start = `{"session":${JSON.stringify(session)},"goal":${JSON.stringify(goal)},"tasks":`
  const { json, count } = await fitted(items, pageBytesMax - Buffer.byteLength(start) - 1)
  const hasMore = offset + items.length < total
  const page = { items, limit: Math.min(limit, Math.max(1, total)), offset, total, hasMore }
  const headers = offsetHeaders(`/api/plans/${sid}`, page, count)
  const answer = { status: 200, json: `${start}${json}}`, headers }
  if (ids === undefined) return answer
  return { ...answer, acts: ids === null ? [] : [{ id: sid, ids, code: null }] }
}

interface Cut {
  readonly limit?: number
  readonly offset?: number
}
