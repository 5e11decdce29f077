import { objectOf, ref } from '../../schema/index.ts'
import {
  type BulkRequest,
  type BulkResult,
  type NewTask,
  type Task,
  type TaskPatch,
  type TaskReading,
  type TaskTree,
  TreeError,
} from '../../tree/internal.ts'
import { isUnchanged } from '../etag.ts'
import type { Answer, Call, Route, Table } from '../route.ts'
import { byOf, changing, tagOf, taskAnswer } from './caller.ts'
import { agentHeader, idParam, ifMatch } from './fields.ts'
import { changedOutcome, createdOutcome, onChanging, onReading, taskOutcome } from './outcomes.ts'
import { bulkSchema, given } from './schemas.ts'

const { title, body, type, priority, parent_id, tags, grimoire_hint } = given
const patchFields = { title, body, type, priority, grimoire_hint }

/** What a new task can be refused for. */
const onGiving = ['INVALID_PRIORITY', 'INVALID_TYPE', 'MISSING_AGENT']

export const tasks = (tree: TaskTree): Table => ({
  name: 'Tasks',
  about: 'Tasks one by one, and many at once.',
  routes: [create(tree), bulk(tree), read(tree), patch(tree), remove(tree), subtask(tree)],
})

const create = (tree: TaskTree): Route<NewTask> => ({
  method: 'POST',
  path: '/api/tasks',
  role: 'work',
  summary: 'Create a task',
  details: 'A subtask has the grimoire hint of its parent, unless it is given one.',
  headers: agentHeader,
  body: {
    schema: objectOf(
      { title, body, type, priority, parent_id, tags, grimoire_hint },
      { required: ['title'] },
    ),
  },
  outcomes: createdOutcome,
  errors: [...onGiving, 'INVALID_TAG', 'PARENT_NOT_FOUND'],
  handle: async (call) => created(await tree.create(call.body, byOf(call))),
})

const subtask = (tree: TaskTree): Route<NewTask> => ({
  method: 'POST',
  path: '/api/tasks/:id/subtasks',
  role: 'work',
  summary: 'Create a task below another',
  params: idParam,
  headers: agentHeader,
  body: {
    schema: objectOf({ title, body, type, priority, tags, grimoire_hint }, { required: ['title'] }),
  },
  outcomes: createdOutcome,
  errors: [...onReading, ...onGiving, 'INVALID_TAG', 'PARENT_NOT_FOUND'],
  handle: async (call) =>
    created(await tree.createSubtask(call.params['id'] as string, call.body, byOf(call))),
})

const created = (task: Task): Answer => ({
  ...taskAnswer(task, 201),
  headers: { Location: `/api/tasks/${task.id}` },
})

const read = (tree: TaskTree): Route => ({
  method: 'GET',
  path: '/api/tasks/:id',
  role: 'read',
  summary: 'Read a task',
  details: 'Also what retention has hidden; then `deleted_at` is set.',
  params: idParam,
  headers: {
    'If-None-Match': {
      schema: { type: 'string', description: 'Answer with 304 if this still is its ETag.' },
    },
  },
  outcomes: { ...taskOutcome, 304: { about: 'It is still what If-None-Match names.' } },
  errors: onReading,
  handle: ({ params, headers }) => {
    const id = params['id'] as string
    const known = tree.readAgain(id)
    const wanted = headers['if-none-match']
    return known ? shown(known, wanted) : tree.read(id).then((reading) => shown(reading, wanted))
  },
})

function shown(reading: TaskReading, ifNoneMatch: string | undefined): Answer {
  const etag = tagOf(reading.version, reading)
  return isUnchanged(ifNoneMatch, etag)
    ? { status: 304, etag }
    : { status: 200, etag, json: reading.json }
}

const patch = (tree: TaskTree): Route<TaskPatch> => ({
  method: 'PATCH',
  path: '/api/tasks/:id',
  role: 'work',
  summary: 'Change fields of a task',
  details: 'What is left out stays. Status, claim, parent and tags have routes of their own.',
  params: idParam,
  headers: { ...agentHeader, ...ifMatch },
  body: { schema: objectOf(patchFields) },
  outcomes: changedOutcome,
  errors: [...onChanging, ...onGiving],
  handle: changing((id, by, call) => tree.update(id, call.body as TaskPatch, by)),
})

const remove = (tree: TaskTree): Route => ({
  method: 'DELETE',
  path: '/api/tasks/:id',
  role: 'admin',
  summary: 'Delete a task and all below it',
  details: 'With tags and history, at once and for good. Only what nobody works on can be deleted.',
  params: idParam,
  headers: { ...agentHeader, ...ifMatch },
  outcomes: { 204: { about: 'It is deleted.' } },
  errors: [...onChanging, 'TASK_ACTIVE', 'HAS_ACTIVE_CHILDREN'],
  handle: async (call: Call) => {
    await tree.delete(call.params['id'] as string, byOf(call))
    return { status: 204 }
  },
})

const bulk = (tree: TaskTree): Route<BulkRequest> => ({
  method: 'POST',
  path: '/api/tasks/bulk',
  role: 'work',
  adminIf: { in: 'body', field: 'action', value: 'delete' },
  summary: 'Do the same to many tasks',
  details:
    'One after the other; what one refuses does not stop the others. `add_tags` and `remove_tags` take `tags`, `set_priority` takes `priority`, `close` takes `reason`.',
  headers: agentHeader,
  body: { schema: bulkSchema },
  outcomes: { 200: { about: 'How each of them fared.', schema: ref('BulkResults') } },
  errors: ['INVALID_TAG', 'INVALID_PRIORITY', 'MISSING_AGENT'],
  handle: async (call) => {
    const results = (await tree.bulk(call.body, byOf(call))).map(resultOf)
    const acts = results.map(({ id, code = null }) => ({
      ...{ action: call.body.action, id, code, isFailure: code === 'INTERNAL_ERROR' },
    }))
    return { status: 200, body: { results }, acts }
  },
})

/** What failed reads as it would by itself. */
function resultOf(result: BulkResult) {
  if (result.success)
    return { id: result.id, success: true, ...(result.changed ? {} : { changed: false }) }
  const { id, success, error } = result
  const told = error instanceof TreeError ? error : { code: 'INTERNAL_ERROR', details: {} }
  return { id, success, error: error.message, code: told.code, details: told.details }
}
