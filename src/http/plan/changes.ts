import type { Change, GoalWords, Plans, TaskChange, WordChange } from '../../plan/index.ts'
import type { Call, Fields, Route } from '../route.ts'
import { sent } from './schemas.ts'
import { onNaming, planAnswer, planOutcome, sidOf, sidParam } from './session.ts'

/** What `np` changes in a plan. Each answers with the plan, and its event tells of the request. */
export const changeRoutes = (plans: Plans): Route[] => [
  changing<GoalWords>(plans, {
    method: 'POST',
    path: 'goal',
    summary: 'Set the goal of a plan that has none',
    body: { schema: sent.goal },
    errors: ['CONFLICT'],
    changeOf: ({ body }) => ({ kind: 'set-goal', words: body }),
  }),
  changing<WordChange>(plans, {
    method: 'PATCH',
    path: 'goal',
    summary: 'Change the goal of a plan',
    details: 'What is left out stays. It needs a reason, unless nothing changes.',
    body: { schema: sent.goalChange },
    changeOf: ({ body }) => ({ kind: 'update-goal', words: body }),
  }),
  changing<{ tasks: GoalWords[] }>(plans, {
    method: 'POST',
    path: 'tasks',
    summary: 'Add tasks to a plan',
    details: 'In the order given. One that is there already, by its words, is not added again.',
    body: { schema: sent.tasks },
    changeOf: ({ body }) => ({ kind: 'add-tasks', tasks: body.tasks }),
  }),
  changing<{ tasks: TaskChange[] }>(plans, {
    method: 'PATCH',
    path: 'tasks',
    summary: 'Change the status or the words of several tasks of a plan',
    details: 'All or none, where the store has transactions; one reason goes for all.',
    body: { schema: sent.taskChanges },
    changeOf: ({ body }) => ({ kind: 'update-tasks', tasks: body.tasks }),
  }),
  changing<Omit<TaskChange, 'id'>>(plans, {
    method: 'PATCH',
    path: 'tasks/:id',
    summary: 'Change the status or the words of a task of a plan',
    details: 'What is left out stays. Other words, failed and cancelled need a reason.',
    params: taskParam,
    body: { schema: sent.taskChange },
    changeOf: ({ body, params }) => ({
      kind: 'update-tasks',
      tasks: [{ ...body, id: params['id'] as string }],
    }),
  }),
]

const taskParam: Fields = {
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

interface Changing<Body> extends Pick<Route, 'method' | 'summary' | 'details' | 'body'> {
  /** Below that of the plan. */
  readonly path: string
  readonly params?: Fields
  readonly errors?: readonly string[]
  readonly changeOf: (call: Call<Body>) => Change
}

function changing<Body>(plans: Plans, change: Changing<Body & { reason?: string | null }>): Route {
  const { path, params = {}, errors = [], changeOf, ...rest } = change
  return {
    ...rest,
    path: `/api/plans/:sid/${path}`,
    params: { ...sidParam, ...params },
    outcomes: planOutcome,
    errors: [...onNaming, 'REFUSED', ...errors],
    handle: async (call: Call<Body & { reason?: string | null }>) => {
      const sid = await sidOf(plans, call)
      const told = { cmd: `${rest.method} ${call.url}`, reason: call.body.reason }
      await plans.change(sid, changeOf(call), told)
      return planAnswer(plans, sid)
    },
  }
}
