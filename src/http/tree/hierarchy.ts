import type { TaskTree } from '../../tree/index.ts'
import { pageFields, wholeAnswer } from '../paging.ts'
import type { Route, Table } from '../route.ts'
import { objectOf, ref } from '../schema.ts'
import { changing } from './caller.ts'
import { agentHeader, idParam, ifMatch, includeDeleted } from './fields.ts'
import { listOutcome, onChanging, onReading, taskOutcome } from './outcomes.ts'
import { given } from './schemas.ts'

export const hierarchy = (tree: TaskTree): Table => ({
  name: 'Hierarchy',
  about: 'What a task is part of, and what is part of it.',
  routes: [subtree(tree), ancestors(tree), children(tree), reparent(tree)],
})

const subtree = (tree: TaskTree): Route => ({
  method: 'GET',
  path: '/api/tasks/:id/subtree',
  summary: 'Read a task with all below it',
  params: idParam,
  query: includeDeleted,
  outcomes: { 200: { about: 'The task, with nested children.', schema: ref('TaskNode') } },
  errors: onReading,
  handle: async ({ params, query }) => ({
    status: 200,
    body: await tree.subtree(params['id'] as string, {
      includeDeleted: query['include_deleted'] === true,
    }),
  }),
})

const ancestors = (tree: TaskTree): Route => ({
  method: 'GET',
  path: '/api/tasks/:id/ancestors',
  summary: 'List what a task is part of',
  details: 'From its parent to the root.',
  params: idParam,
  query: pageFields,
  outcomes: listOutcome('Its ancestors.'),
  errors: onReading,
  handle: async (call) => wholeAnswer(call, await tree.ancestors(call.params['id'] as string)),
})

const children = (tree: TaskTree): Route => ({
  method: 'GET',
  path: '/api/tasks/:id/children',
  summary: 'List the tasks right below a task',
  details: 'In the order of their creation; all of them, unless a limit is given.',
  params: idParam,
  query: { ...includeDeleted, ...pageFields },
  outcomes: listOutcome('Its children.'),
  errors: onReading,
  handle: async (call) => {
    const includeDeleted = call.query['include_deleted'] === true
    const found = await tree.children(call.params['id'] as string, { includeDeleted })
    return wholeAnswer(call, found)
  },
})

const reparent = (tree: TaskTree): Route<{ new_parent_id: string | null }> => ({
  method: 'POST',
  path: '/api/tasks/:id/reparent',
  summary: 'Move a task below another, or to the top',
  details: 'All below it moves with it. `null` makes it a root.',
  params: idParam,
  headers: { ...agentHeader, ...ifMatch },
  body: {
    schema: objectOf(
      { new_parent_id: given.parent_id },
      // What is missing is no parent that was not found.
      { required: ['new_parent_id'], errorCode: 'INVALID_BODY' },
    ),
  },
  outcomes: taskOutcome,
  errors: [...onChanging, 'PARENT_NOT_FOUND', 'WOULD_CREATE_CYCLE'],
  handle: changing((id, by, { body }) =>
    tree.reparent(id, (body as { new_parent_id: string | null }).new_parent_id, by),
  ),
})
