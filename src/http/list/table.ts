import { operations, stateOf, type Task, type TaskList } from '../../list/internal.ts'
import { stateHeader, tagged } from '../etag.ts'
import { type Shown, tableOf } from '../operations.ts'
import { explainRefusal } from '../refusals.ts'
import type { Table } from '../route.ts'

/** The list that a person keeps, with tags. */
export const listTable = (list: TaskList): Table =>
  tableOf({
    name: 'List',
    about: 'The tagged tasks of a person. An id may be cut to what no other begins with.',
    explain: explainRefusal,
    model: list,
    operations,
    shapes: { ListTask: taskShown },
  })

const taskShown: Shown<Task> = {
  answer: (task) => ({ status: 200, body: task, headers: tagged(stateOf(task)) }),
  headers: stateHeader,
  at: ({ id }) => `/api/list/tasks/${id}`,
}
