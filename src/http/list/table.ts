import { stateOf, type Task, type TaskList } from '../../list/internal.ts'
import { objectOf, ref } from '../../schema/index.ts'
import { conditionOf, ifMatchState, stateHeader, tagged } from '../etag.ts'
import { pageFields, pageHeaders, wholeAnswer } from '../paging.ts'
import { explainRefusal } from '../refusals.ts'
import type { Answer, Fields, Outcome, Route, Table } from '../route.ts'
import { given, listSchemas } from './schemas.ts'

const limitDefault = 100

/** The list that a person keeps, with tags. */
export const listTable = (list: TaskList): Table => ({
  name: 'List',
  about: 'The tagged tasks of a person. An id may be cut to what no other begins with.',
  explain: explainRefusal,
  schemas: listSchemas,
  routes: [query(list), add(list), read(list), edit(list), remove(list), tags(list)],
})

const idParam: Fields = {
  id: {
    isRequired: true,
    schema: {
      type: 'string',
      pattern: '^[0-9A-Fa-f]{1,128}$',
      description: 'An id is 128 hex digits; its start will do.',
      errorCode: 'INVALID_ID',
    },
  },
}

const onNaming = ['INVALID_ID', 'NOT_FOUND', 'AMBIGUOUS', 'CORRUPT']

const taskOutcome: Readonly<Record<number, Outcome>> = {
  200: {
    about: 'The task, as it is now.',
    schema: ref('ListTask'),
    headers: stateHeader,
  },
}

const taskAnswer = (task: Task): Answer => ({
  status: 200,
  body: task,
  headers: tagged(stateOf(task)),
})

const tagsField = (description: string) => ({
  schema: { type: 'array', items: { type: 'string', minLength: 1 }, description },
})

interface Asked {
  readonly any?: readonly string[]
  readonly all?: readonly string[]
  readonly done?: boolean
}

const query = (list: TaskList): Route => ({
  method: 'GET',
  path: '/api/list/tasks',
  role: 'read',
  summary: 'List the tasks of the list',
  details: `By the time of their creation; ${limitDefault} unless a limit is given.`,
  query: {
    any: tagsField('With at least one of these tags.'),
    all: tagsField('With all of these tags.'),
    done: { schema: { type: 'boolean', description: 'Only what is done, or is not.' } },
    ...pageFields,
  },
  outcomes: {
    200: {
      about: 'The tasks that match.',
      schema: { type: 'array', items: ref('ListTask') },
      headers: pageHeaders,
    },
  },
  errors: [],
  handle: async (call) => {
    const { any = [], all = [], done } = call.query as Asked
    return wholeAnswer(call, await list.query({ any, all, done }), limitDefault)
  },
})

interface NewTask {
  readonly text: string
  readonly tags?: readonly string[]
}

const add = (list: TaskList): Route<NewTask> => ({
  method: 'POST',
  path: '/api/list/tasks',
  role: 'work',
  summary: 'Add a task to the list',
  body: { schema: objectOf({ text: given.text, tags: given.tags }, { required: ['text'] }) },
  outcomes: {
    201: {
      about: 'The new task.',
      schema: ref('ListTask'),
      headers: { Location: 'Where the task is.' },
    },
  },
  errors: [],
  handle: async ({ body: { text, tags = [] } }) => {
    const task = await list.add(text, tags)
    return { status: 201, body: task, headers: { Location: `/api/list/tasks/${task.id}` } }
  },
})

const read = (list: TaskList): Route => ({
  method: 'GET',
  path: '/api/list/tasks/:id',
  role: 'read',
  summary: 'Read a task of the list',
  params: idParam,
  outcomes: taskOutcome,
  errors: onNaming,
  handle: async ({ params }) => taskAnswer(await list.get(params['id'] as string)),
})

interface Edit {
  readonly text?: string
  readonly done?: boolean
  readonly tags?: readonly string[]
}

const edit = (list: TaskList): Route<Edit> => ({
  method: 'PATCH',
  path: '/api/list/tasks/:id',
  role: 'work',
  summary: 'Change a task of the list',
  details: 'What is left out stays; `tags` are all tags anew.',
  params: idParam,
  headers: ifMatchState,
  body: { schema: objectOf({ text: given.text, done: { type: 'boolean' }, tags: given.tags }) },
  outcomes: taskOutcome,
  errors: [...onNaming, 'PRECONDITION_FAILED'],
  handle: async (call) =>
    taskAnswer(await list.update(call.params['id'] as string, call.body, conditionOf(call))),
})

const remove = (list: TaskList): Route => ({
  method: 'DELETE',
  path: '/api/list/tasks/:id',
  role: 'admin',
  summary: 'Delete a task of the list',
  details: 'One that can’t be read goes by its whole id only.',
  params: idParam,
  headers: ifMatchState,
  outcomes: { 204: { about: 'It is deleted.' } },
  errors: [...onNaming, 'PRECONDITION_FAILED'],
  handle: async (call) => {
    await list.delete(call.params['id'] as string, conditionOf(call))
    return { status: 204 }
  },
})

const tags = (list: TaskList): Route => ({
  method: 'GET',
  path: '/api/list/tags',
  role: 'read',
  summary: 'List the tags of the list',
  query: pageFields,
  outcomes: {
    200: {
      about: 'Tags, sorted, each with the number of its tasks.',
      schema: { type: 'array', items: ref('ListTag') },
      headers: pageHeaders,
    },
  },
  errors: [],
  handle: async (call) => wholeAnswer(call, await list.tags()),
})
