import { operations, type TaskTree } from '../../tree/internal.ts'
import { type Binding, tableOf } from '../operations.ts'
import type { Table } from '../route.ts'
import { readingOf, subtreeOf } from './reading.ts'
import { bulkShown, byVersion, taskShown } from './shown.ts'

/** The tree, by what one wants of it. */
export function treeTables(
  tree: TaskTree,
  more: Pick<Table, 'routes' | 'schemas'>,
): readonly Table[] {
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
