import { limitDefault, type Page, type TaskQuery, type TaskTree } from '../../tree/index.ts'
import { headersOf } from '../paging.ts'
import type { Answer, Call, Table } from '../route.ts'
import { filterFields } from './fields.ts'
import { listOutcome } from './outcomes.ts'

/** How far ahead of the page tasks that are ready are counted: to count them means to read them. */
const readyCountedMax = 500

export const lists = (tree: TaskTree): Table => ({
  name: 'Lists',
  about:
    'Tasks by what they are. In a filter a comma means "or"; all filters that are given must hold.',
  routes: [
    {
      method: 'GET',
      path: '/api/tasks',
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
      summary: 'List what can be claimed',
      details: `Open tasks with nothing active below them, by priority, then by the time of their creation. \`X-Total-Count\` is left out where more than ${readyCountedMax} follow.`,
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

type Counted = Omit<Page, 'total'> & { readonly total: number | null }

/** One page, and how many there are in all, if that is not too many to read. */
async function readyPage(tree: TaskTree, query: TaskQuery): Promise<Counted> {
  const { limit = limitDefault, offset = 0 } = query
  const wide = Math.max(limit, readyCountedMax)
  const { tasks, hasMore } = await tree.ready({ ...query, limit: wide })
  // A page beyond the end tells nothing of where the end is.
  const isKnown = !hasMore && (tasks.length > 0 || offset === 0)
  return { tasks: tasks.slice(0, limit), total: isKnown ? offset + tasks.length : null }
}

function pageAnswer(call: Call, query: TaskQuery, { tasks, total }: Counted): Answer {
  const { limit = limitDefault, offset = 0 } = query
  const hasMore = total === null ? tasks.length === limit : offset + tasks.length < total
  const headers = headersOf(call.url, { limit, offset, total, hasMore })
  return { status: 200, body: tasks, headers }
}
