import {
  limitDefault,
  limitMax,
  type Page,
  type ReadyPage,
  type TaskQuery,
  type TaskTree,
} from '../../tree/internal.ts'
import { offsetAnswer } from '../paging.ts'
import type { Answer, Call, Table } from '../route.ts'
import { filterFields } from './fields.ts'
import { listOutcome } from './outcomes.ts'

/** How many tasks that are ready are counted beyond a page, so that what a page costs does not grow with them. */
const countedMax = 1_000
/** The same with filters, in pages and at least: then to count means to read. */
const countedPages = 5
const countedMin = 100

export const lists = (tree: TaskTree): Table => ({
  name: 'Lists',
  about:
    'Tasks by what they are. In a filter a comma means "or"; all filters that are given must hold.',
  routes: [
    {
      method: 'GET',
      path: '/api/tasks',
      role: 'read',
      summary: 'List tasks',
      details: `In the order of their creation; ${limitDefault} unless a limit is given.`,
      query: filterFields,
      outcomes: listOutcome('The tasks that match.'),
      errors: [],
      handle: async (call) => {
        const query = call.query as TaskQuery
        return pageAnswer(call, query, await tree.list(query))
      },
    },
    {
      method: 'GET',
      path: '/api/tasks/ready',
      role: 'read',
      summary: 'List what can be started now',
      details: `Open tasks that somebody can start now, by priority, then by the time of their creation: with no unfinished child, and below nothing that is blocked or closed. \`X-Total-Count\` is left out where there are more than ${countedMax} after the page, or with filters more than ${countedPages} pages and ${countedMin} tasks.`,
      query: filterFields,
      outcomes: listOutcome('The tasks that are ready.'),
      errors: [],
      handle: async (call) => {
        const query = call.query as TaskQuery
        return pageAnswer(call, query, await readyPage(tree, query))
      },
    },
  ],
})

/** One page, and how many there are in all, if those are not too many to count. */
function readyPage(tree: TaskTree, query: TaskQuery): Promise<ReadyPage> {
  const { limit = limitDefault, offset = 0, include_deleted: _, ...filter } = query
  const isFiltered = Object.keys(filter).length > 0
  const wide = Math.min(limitMax, Math.max(limit * countedPages, countedMin))
  const countMax = offset + limit + (isFiltered ? wide : countedMax)
  return tree.ready(query, { withTotal: true, countMax })
}

type Counted = Page | ReadyPage

function pageAnswer(call: Call, query: TaskQuery, page: Counted): Promise<Answer> {
  const { limit = limitDefault, offset = 0 } = query
  const { tasks, total } = page
  const hasMore = 'hasMore' in page ? page.hasMore : offset + tasks.length < page.total
  return offsetAnswer(call, { items: tasks, limit, offset, total, hasMore })
}
