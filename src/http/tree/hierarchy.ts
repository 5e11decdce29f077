import { objectOf, ref } from '../../schema/index.ts'
import { nestedSubtree, type SubtreeTask, type TaskTree } from '../../tree/internal.ts'
import { kitError } from '../error.ts'
import { fitted, limitMax, offsetAnswer, pageFields, pageHeaders, wholeAnswer } from '../paging.ts'
import type { Answer, Call, Fields, Route, Table } from '../route.ts'
import { changing } from './caller.ts'
import { agentHeader, idParam, ifMatch, includeDeleted } from './fields.ts'
import { nodeJson } from './node-json.ts'
import { changedOutcome, listOutcome, onChanging, onReading } from './outcomes.ts'
import { given } from './schemas.ts'

export const hierarchy = (tree: TaskTree): Table => ({
  name: 'Hierarchy',
  about: 'What a task is part of, and what is part of it.',
  routes: [subtree(tree), ancestors(tree), children(tree), reparent(tree)],
})

const subtreeFields: Fields = {
  flat: { schema: { type: 'boolean', description: 'Whether to give an array instead.' } },
  depth: {
    schema: {
      type: 'integer',
      minimum: 0,
      description: 'How many levels below the task; all if left out.',
    },
  },
  limit: {
    schema: {
      type: 'integer',
      minimum: 1,
      maximum: limitMax,
      description: 'How many tasks in all, the task included: 1 to 1000.',
    },
  },
  offset: {
    schema: { type: 'integer', minimum: 0, description: 'With flat: how many to leave out first.' },
  },
}

const subtree = (tree: TaskTree): Route => ({
  method: 'GET',
  path: '/api/tasks/:id/subtree',
  role: 'read',
  summary: 'Read a task with all below it',
  details:
    'Tasks nearer to the top come first: a `limit` and the 4 MB of a page leave out the deepest ones, and `next` then leads to these, as an array. Many JSON parsers refuse more than some hundred levels: of a deep tree take `flat=true`, level by level.',
  params: idParam,
  query: { ...includeDeleted, ...subtreeFields },
  outcomes: {
    200: {
      about: 'The task with nested `children`; or, with `flat`, an array of tasks without them.',
      schema: { anyOf: [ref('TaskNode'), { type: 'array', items: ref('SubtreeTask') }] },
      headers: {
        ...pageHeaders,
        'X-Total-Count': 'How many tasks there are in all; left out where not all were looked at.',
      },
    },
  },
  errors: [...onReading, 'INVALID_QUERY'],
  handle: (call) => subtreeAnswer(tree, call),
})

interface SubtreeQuery {
  readonly include_deleted?: boolean
  readonly flat?: boolean
  readonly depth?: number
  readonly limit?: number
  readonly offset?: number
}

/** Reads no more than is asked for; a page that has too many bytes is cut. */
async function subtreeAnswer(tree: TaskTree, call: Call): Promise<Answer> {
  const { include_deleted, flat = false, depth, limit, offset = 0 } = call.query as SubtreeQuery
  if (offset > 0 && !flat) throw kitError('INVALID_QUERY', 'offset goes with flat=true.')
  const options = { includeDeleted: include_deleted === true, depth, limit, offset }
  const page = await tree.subtreeList(call.params['id'] as string, options)
  const { tasks: items, total, hasMore } = page
  const length = Math.max(1, limit ?? items.length)
  const offsets = { items, limit: length, offset, total, hasMore }
  if (flat) return offsetAnswer(call, offsets)
  const { count } = await fitted(asLeaves(items))
  const json = await nodeJson(await nestedSubtree(items.slice(0, count)))
  if (count === items.length && !hasMore)
    return { status: 200, json, headers: { 'X-Total-Count': String(count) } }
  const { pathname, searchParams } = new URL(call.url, 'http://localhost')
  for (const [name, value] of Object.entries({
    flat: true,
    offset: count,
    limit: Math.min(length, limitMax),
  }))
    searchParams.set(name, String(value))
  const headers = { Link: `<${pathname}?${searchParams}>; rel="next"` }
  return {
    status: 200,
    json,
    headers: total === null ? headers : { ...headers, 'X-Total-Count': String(total) },
  }
}

/** What each task adds to a nested answer. */
function* asLeaves(tasks: readonly SubtreeTask[]): Generator<object> {
  for (const task of tasks) yield { ...task, children: [] }
}

const ancestors = (tree: TaskTree): Route => ({
  method: 'GET',
  path: '/api/tasks/:id/ancestors',
  role: 'read',
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
  role: 'read',
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
  role: 'work',
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
  outcomes: changedOutcome,
  errors: [...onChanging, 'PARENT_NOT_FOUND', 'WOULD_CREATE_CYCLE'],
  handle: changing((id, by, { body }) =>
    tree.reparent(id, (body as { new_parent_id: string | null }).new_parent_id, by),
  ),
})
