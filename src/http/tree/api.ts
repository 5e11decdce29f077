import { httpStatuses, operations, type TaskTree, TreeError } from '../../tree/internal.ts'
import { HttpError } from '../error.ts'
import { type Binding, tableOf } from '../operations.ts'
import type { Api, Table } from '../route.ts'
import { insight, type Matchers } from './insight.ts'
import type { LiveFeed } from './live-feed.ts'
import { readingOf, subtreeOf } from './reading.ts'
import { bulkShown, byVersion, taskShown } from './shown.ts'

export interface CovenParts {
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

/** The tree, by what one wants of it. */
function treeTables(tree: TaskTree, more: Pick<Table, 'routes' | 'schemas'>): readonly Table[] {
  const table = (
    name: string,
    about: string,
    rest: Pick<Binding<TaskTree>, 'operations' | 'own' | 'more'>,
  ) =>
    tableOf({
      ...{ name, about, ...rest, model: tree, condition: byVersion },
      shapes: { Task: taskShown, RestoredTask: taskShown, BulkResults: bulkShown },
    })
  return [
    table('Tasks', 'Tasks one by one, and many at once.', {
      operations: operations.tasks,
      own: { get: readingOf(tree) },
    }),
    table(
      'Lists',
      'Tasks by what they are. In a filter a comma means "or"; all filters that are given must hold.',
      { operations: operations.lists },
    ),
    table('Work', 'From open to closed. A verb is strict: doing it twice is an error.', {
      operations: operations.work,
    }),
    table('Hierarchy', 'What a task is part of, and what is part of it.', {
      operations: operations.hierarchy,
      own: { subtree: subtreeOf(tree) },
    }),
    table('Tags', 'Words by which tasks are found and routed.', { operations: operations.tags }),
    table('Insight', 'What has happened, what happens, and why.', {
      operations: operations.insight,
      more,
    }),
  ]
}
