import { httpStatuses, type TaskTree, TreeError } from '../../tree/internal.ts'
import { HttpError } from '../error.ts'
import type { Api } from '../route.ts'
import { insight, type Matchers } from './insight.ts'
import type { LiveFeed } from './live-feed.ts'
import { treeTables } from './tables.ts'

interface CovenParts {
  readonly tree: TaskTree
  readonly matchers: Matchers
  readonly feed: LiveFeed
  readonly version: string
}

/** The HTTP API of a tree of tasks. */
export const covenApi = ({ tree, matchers, feed, version }: CovenParts): Api => ({
  title: 'coven',
  about:
    'A tree of work that agents and people share. Say who you are in the header `X-Agent-ID`. Errors are `{"error", "code", "details"}`; go by the code.',
  version,
  tables: treeTables(tree, insight(tree, matchers, feed)),
  statuses: httpStatuses,
  explain: (thrown) =>
    thrown instanceof TreeError
      ? new HttpError({ code: thrown.code, status: thrown.httpStatus }, thrown.message, {
          details: thrown.details,
        })
      : null,
})
