import type { Condition } from '../collection/index.ts'
import {
  count,
  created,
  done,
  filled,
  flag,
  kind,
  listOf,
  objectOf,
  offsetInputs,
  one,
  operationsOf,
  optional,
  required,
  schemasOf,
  shape,
  whole,
} from '../schema/index.ts'
import { taskFields } from './fields.ts'
import type { Task } from './task.ts'
import type { TaskList } from './task-list.ts'

// Another program may have added fields; they are kept.
const task = shape<Task>('ListTask', 'task', {
  type: 'object',
  properties: schemasOf(taskFields),
  required: Object.keys(taskFields),
})

const tag = shape<{ readonly tag: string; readonly count: number }>(
  'ListTag',
  'tag',
  objectOf({ tag: { type: 'string' }, count: count.schema }, { required: ['tag', 'count'] }),
)

const hex = kind<string>(
  { type: 'string', pattern: '^[0-9A-Fa-f]{1,128}$', errorCode: 'INVALID_ID' },
  () => true,
)
const id = required(hex, 'An id is 128 hex digits; its start will do.')

const words = 'Text of at most 64 KiB.'
const tags = optional(
  listOf(filled),
  'Words of at most 64 characters and 200 bytes, without commas and white space.',
)

const naming = ['NOT_FOUND', 'AMBIGUOUS', 'CORRUPT']
const limitDefault = 100

const row = operationsOf<TaskList, Condition>()

/** All that can be asked of a list from outside. */
export const operations = {
  query: row({
    http: 'GET /api/list/tasks',
    summary: 'List the tasks of the list',
    details: `By the time of their creation; ${limitDefault} unless a limit is given.`,
    input: {
      any: optional(listOf(filled), 'With at least one of these tags.'),
      all: optional(listOf(filled), 'With all of these tags.'),
      done: optional(flag, 'Only what is done, or is not.'),
      ...offsetInputs,
    },
    output: whole(task, 'The tasks that match.', limitDefault),
    run: (list, { any, all, done }) => list.query({ any, all, done }),
  }),
  add: row({
    http: 'POST /api/list/tasks',
    summary: 'Add a task to the list',
    input: { text: required(filled, words), tags },
    output: created(task),
    run: (list, { text, tags }) => list.add(text, tags),
  }),
  get: row({
    http: 'GET /api/list/tasks/:id',
    summary: 'Read a task of the list',
    input: { id },
    output: one(task),
    errors: naming,
    run: (list, { id }) => list.get(id),
  }),
  update: row({
    http: 'PATCH /api/list/tasks/:id',
    summary: 'Change a task of the list',
    details: 'What is left out stays; `tags` are all tags anew.',
    input: { id, text: optional(filled, words), done: optional(flag), tags },
    output: one(task),
    errors: naming,
    heedsState: true,
    run: (list, { id, ...edit }, { on }) => list.update(id, edit, on),
  }),
  delete: row({
    http: 'DELETE /api/list/tasks/:id',
    summary: 'Delete a task of the list',
    details: 'One that can’t be read goes by its whole id only.',
    input: { id },
    output: done('It is deleted.'),
    errors: naming,
    role: 'admin',
    heedsState: true,
    run: (list, { id }, { on }) => list.delete(id, on),
  }),
  tags: row({
    http: 'GET /api/list/tags',
    summary: 'List the tags of the list',
    input: offsetInputs,
    output: whole(tag, 'Tags, sorted, each with the number of its tasks.'),
    run: (list) => list.tags(),
  }),
}
