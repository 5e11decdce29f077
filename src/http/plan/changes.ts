import { afterPart } from '../../collection/index.ts'
import type { Change, GoalWords, Plans, TaskChange, WordChange } from '../../plan/internal.ts'
import { conditionOf, ifMatchState } from '../etag.ts'
import type { Call, Route } from '../route.ts'
import { sent } from './schemas.ts'
import { onNaming, planAnswer, planOutcome, sidOf, sidParam, taskParam } from './session.ts'

/** What `np` changes in a plan. Each answers with the plan, and its event tells of the request. */
export const changeRoutes = (plans: Plans): Route[] => [
  changing<GoalWords>(plans, {
    method: 'POST',
    path: 'goal',
    role: 'work',
    summary: 'Set the goal of a plan that has none',
    body: { schema: sent.goal },
    errors: ['CONFLICT'],
    changeOf: (call) => ({ kind: 'set-goal', words: wordsOf(call) }),
  }),
  changing<WordChange>(plans, {
    method: 'PATCH',
    path: 'goal',
    role: 'work',
    summary: 'Change the goal of a plan',
    details: 'What is left out stays. It needs a reason, unless nothing changes.',
    headers: ifMatchState,
    body: { schema: sent.goalChange },
    errors: ['PRECONDITION_FAILED'],
    changeOf: (call) => ({
      kind: 'update-goal',
      words: { ...wordsOf(call), ...conditionOf(call) },
    }),
  }),
  changing<{ tasks: GoalWords[] }>(plans, {
    method: 'POST',
    path: 'tasks',
    role: 'work',
    summary: 'Add tasks to a plan',
    details: 'In the order given. One that is there already, by its words, is not added again.',
    body: { schema: sent.tasks },
    changeOf: ({ body }) => ({ kind: 'add-tasks', tasks: body.tasks }),
  }),
  changing<{ tasks: TaskChange[] }>(plans, {
    method: 'PATCH',
    path: 'tasks',
    role: 'work',
    summary: 'Change the status or the words of several tasks of a plan',
    details: 'All or none, where the store has transactions; one reason goes for all.',
    body: { schema: sent.taskChanges },
    changeOf: ({ body }) => ({ kind: 'update-tasks', tasks: body.tasks }),
  }),
  changing<Omit<TaskChange, 'id'>>(plans, {
    method: 'PATCH',
    path: 'tasks/:id',
    role: 'work',
    summary: 'Change the status or the words of a task of a plan',
    details: 'What is left out stays. Other words, failed and cancelled need a reason.',
    params: taskParam,
    headers: ifMatchState,
    body: { schema: sent.taskChange },
    errors: ['PRECONDITION_FAILED'],
    changeOf: (call) => ({
      kind: 'update-tasks',
      tasks: [{ ...wordsOf(call), ...conditionOf(call), id: call.params['id'] as string }],
    }),
  }),
]

/** What was sent but the reason, which belongs to the event. */
function wordsOf<Body>({ body }: Call<Body & { reason?: string | null }>): Body {
  const { reason: _, ...words } = body
  return words as Body
}

interface Changing<Body> extends Omit<Route, 'outcomes' | 'errors' | 'handle'> {
  /** Below that of the plan. */
  readonly path: string
  readonly errors?: readonly string[]
  readonly changeOf: (call: Call<Body>) => Change
}

function changing<Body>(plans: Plans, change: Changing<Body & { reason?: string | null }>): Route {
  const { path, errors = [], changeOf, ...rest } = change
  return {
    params: sidParam,
    ...rest,
    path: `/api/plans/:sid/${path}`,
    outcomes: planOutcome,
    errors: [...onNaming, 'REFUSED', ...errors],
    handle: async (call: Call<Body & { reason?: string | null }>) => {
      const sid = await sidOf(plans, call)
      const told = { cmd: `${rest.method} ${call.url}`, reason: call.body.reason }
      const { events, tasks } = await plans.apply(sid, changeOf(call), told)
      const read = () => planAnswer(plans, sid)
      if (events.length === 0) return { ...(await read()), acts: [] }
      const answer = await afterPart(`The plan ${sid} was changed`, read)
      const ids = tasks.filter(({ changed }) => changed).map(({ id }) => id)
      return { ...answer, acts: [{ id: sid, ids, code: null }] }
    },
  }
}
