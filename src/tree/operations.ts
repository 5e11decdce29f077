import {
  count,
  created,
  done,
  filled,
  flag,
  json,
  kind,
  limitMax,
  listOf,
  offsetInputs,
  one,
  oneOf,
  optional,
  page,
  required,
  time,
  whole,
} from '../schema/index.ts'
import type { BulkRequest } from './bulk.ts'
import type { TaskPatch } from './checks.ts'
import { bulkActions, historyFields, priorityMax, statuses, taskTypes } from './fields.ts'
import {
  anybody,
  bulkShape,
  byOf,
  changing,
  given,
  historyShape,
  id,
  missing,
  reason,
  row,
  subtreeShape,
  taskShape,
} from './shapes.ts'
import { work } from './work-operations.ts'

const patch = {
  title: optional(given.title),
  body: optional(given.body),
  type: optional(given.type),
  priority: optional(given.priority),
  grimoire_hint: optional(given.grimoire_hint),
}
const newTask = { ...patch, title: required(given.title), tags: optional(given.tags) }
const isHidden = {
  include_deleted: optional(flag, 'Whether to give also what retention has hidden.'),
}

const tasks = {
  create: row({
    http: 'POST /api/tasks',
    summary: 'Create a task',
    details: 'A subtask has the grimoire hint of its parent, unless it is given one.',
    input: { ...newTask, parent_id: optional(given.parent_id), ...anybody },
    output: created(taskShape),
    run: (tree, { agent, ...given }) => tree.create(given, byOf(agent)),
  }),
  bulk: row({
    http: 'POST /api/tasks/bulk',
    summary: 'Do the same to many tasks',
    details:
      'One after the other; what one refuses does not stop the others. `add_tags` and `remove_tags` take `tags`, `set_priority` takes `priority`, `close` takes `reason`.',
    input: {
      action: required(oneOf(bulkActions)),
      task_ids: required(
        json<readonly string[]>({ type: 'array', items: { type: 'string' }, maxItems: 1000 }),
      ),
      tags: optional(given.tags),
      priority: optional(given.priority),
      ...reason,
      ...anybody,
    },
    output: one(bulkShape, 'How each of them fared.'),
    adminIf: { action: 'delete' },
    run: (tree, { agent, ...request }) => tree.bulk(request as BulkRequest, byOf(agent)),
  }),
  get: row({
    http: 'GET /api/tasks/:id',
    summary: 'Read a task',
    details: 'Also what retention has hidden; then `deleted_at` is set.',
    input: { id },
    output: one(taskShape),
    errors: missing,
    run: (tree, { id }) => tree.get(id),
  }),
  update: row({
    ...changing,
    http: 'PATCH /api/tasks/:id',
    summary: 'Change fields of a task',
    details: 'What is left out stays. Status, claim, parent and tags have routes of their own.',
    input: { id, ...patch, ...anybody },
    errors: missing,
    run: (tree, { id, agent, ...patch }, { on }) =>
      tree.update(id, patch as TaskPatch, byOf(agent, on)),
  }),
  delete: row({
    http: 'DELETE /api/tasks/:id',
    summary: 'Delete a task and all below it',
    details:
      'With tags and history, at once and for good. Only what nobody works on can be deleted.',
    input: { id, ...anybody },
    output: done('It is deleted.'),
    errors: [...missing, 'TASK_ACTIVE', 'HAS_ACTIVE_CHILDREN'],
    role: 'admin',
    heedsState: true,
    run: (tree, { id, agent }, { on }) => tree.delete(id, byOf(agent, on)),
  }),
  createSubtask: row({
    http: 'POST /api/tasks/:id/subtasks',
    summary: 'Create a task below another',
    input: { id, ...newTask, ...anybody },
    output: created(taskShape),
    errors: [...missing, 'PARENT_NOT_FOUND'],
    run: (tree, { id, agent, ...given }) => tree.createSubtask(id, given, byOf(agent)),
  }),
}

const integers = kind<number>({ type: 'integer', minimum: 0, maximum: priorityMax }, () => true)

/** What lists can be narrowed down by: any of the values of a filter, and all filters. */
const filters = {
  status: optional(listOf(oneOf(statuses)), 'In one of these.'),
  priority: optional(listOf(integers), 'With one of these.'),
  type: optional(listOf(oneOf(taskTypes)), 'Of one of these.'),
  tag: optional(listOf(filled), 'With one of these.'),
  tag_pattern: optional(filled, 'With a tag that one of these patterns matches: `docs,area/**`.'),
  parent_id: optional(
    listOf(json<string>({ type: 'string', format: 'uuid', minLength: 1 })),
    'Right below one of these.',
  ),
  claimed_by: optional(listOf(filled), 'Claimed by one of these.'),
  ...isHidden,
  ...offsetInputs,
}

const limitDefault = 100
/** How many tasks that are ready are counted beyond a page, so that what a page costs does not grow with them. */
const countedMax = 1_000
/** The same with filters, in pages and at least: then to count means to read. */
const countedPages = 5
const countedMin = 100

const lists = {
  list: row({
    http: 'GET /api/tasks',
    summary: 'List tasks',
    details: `In the order of their creation; ${limitDefault} unless a limit is given.`,
    input: filters,
    output: page(taskShape, 'The tasks that match.', limitDefault),
    run: async (tree, query) => {
      const { tasks: items, total } = await tree.list(query)
      return { items, total, hasMore: (query.offset ?? 0) + items.length < total }
    },
  }),
  ready: row({
    http: 'GET /api/tasks/ready',
    summary: 'List what can be started now',
    details: `Open tasks that somebody can start now, by priority, then by the time of their creation: with no unfinished child, and below nothing that is blocked or closed. \`X-Total-Count\` is left out where there are more than ${countedMax} after the page, or with filters more than ${countedPages} pages and ${countedMin} tasks.`,
    input: filters,
    output: page(taskShape, 'The tasks that are ready.', limitDefault),
    run: async (tree, query) => {
      const { limit = limitDefault, offset = 0, include_deleted: _, ...filter } = query
      const isFiltered = Object.keys(filter).length > 0
      const wide = Math.min(limitMax, Math.max(limit * countedPages, countedMin))
      // One page, and how many there are in all, if those are not too many to count.
      const countMax = offset + limit + (isFiltered ? wide : countedMax)
      const { tasks: items, ...rest } = await tree.ready(query, { withTotal: true, countMax })
      return { items, ...rest }
    },
  }),
}

const hierarchy = {
  subtree: row({
    http: 'GET /api/tasks/:id/subtree',
    summary: 'Read a task with all below it',
    details:
      'Tasks nearer to the top come first: a `limit` and the 4 MB of a page leave out the deepest ones, and `next` then leads to these, as an array. Many JSON parsers refuse more than some hundred levels: of a deep tree take `flat=true`, level by level.',
    input: {
      id,
      ...isHidden,
      flat: optional(flag, 'Whether to give an array instead.'),
      depth: optional(count, 'How many levels below the task; all if left out.'),
      limit: optional(
        offsetInputs.limit.kind,
        'How many tasks in all, the task included: 1 to 1000.',
      ),
      offset: optional(count, 'With flat: how many to leave out first.'),
    },
    output: page(subtreeShape, 'The task and all below it.', limitMax),
    errors: missing,
    run: async (tree, { id, include_deleted: includeDeleted, depth, limit, offset }) => {
      const options = { includeDeleted, depth, limit, offset }
      const { tasks: items, ...rest } = await tree.subtreeList(id, options)
      return { items, ...rest }
    },
  }),
  ancestors: row({
    http: 'GET /api/tasks/:id/ancestors',
    summary: 'List what a task is part of',
    details: 'From its parent to the root.',
    input: { id, ...offsetInputs },
    output: whole(taskShape, 'Its ancestors.'),
    errors: missing,
    run: (tree, { id }) => tree.ancestors(id),
  }),
  children: row({
    http: 'GET /api/tasks/:id/children',
    summary: 'List the tasks right below a task',
    details: 'In the order of their creation; all of them, unless a limit is given.',
    input: { id, ...isHidden, ...offsetInputs },
    output: whole(taskShape, 'Its children.'),
    errors: missing,
    run: (tree, { id, include_deleted: includeDeleted = false }) =>
      tree.children(id, { includeDeleted }),
  }),
  reparent: row({
    ...changing,
    http: 'POST /api/tasks/:id/reparent',
    summary: 'Move a task below another, or to the top',
    details: 'All below it moves with it. `null` makes it a root.',
    input: { id, new_parent_id: required(given.parent_id), ...anybody },
    errors: [...missing, 'WOULD_CREATE_CYCLE'],
    // What is missing is no parent that was not found.
    missing: 'INVALID_BODY',
    run: (tree, { id, agent, new_parent_id }, { on }) =>
      tree.reparent(id, new_parent_id, byOf(agent, on)),
  }),
}

const retagging = (method: string, summary: string, name: 'addTags' | 'setTags' | 'removeTags') =>
  row({
    ...changing,
    http: `${method} /api/tasks/:id/tags`,
    summary,
    input: { id, tags: required(given.tags), ...anybody },
    errors: missing,
    run: (tree, { id, agent, tags }, { on }) => tree[name](id, tags, byOf(agent, on)),
  })

const tags = {
  addTags: retagging('POST', 'Add tags to a task', 'addTags'),
  setTags: retagging('PUT', 'Replace the tags of a task', 'setTags'),
  removeTags: retagging('DELETE', 'Remove tags from a task', 'removeTags'),
}

const insight = {
  history: row({
    http: 'GET /api/tasks/:id/history',
    summary: 'List the changes of a task',
    details: 'The newest first, one entry for each changed field; all, unless a limit is given.',
    input: {
      id,
      field: optional(oneOf(historyFields), 'Only of this field.'),
      since: optional(time(), 'Only from this time on.'),
      ...offsetInputs,
    },
    output: whole(historyShape, 'Its changes.'),
    errors: missing,
    run: (tree, { id, field, since }) => tree.history(id, { field, since }),
  }),
}

/** All that can be asked of the tree from outside, by what it is about. */
export const operations = { tasks, lists, work, hierarchy, tags, insight }
