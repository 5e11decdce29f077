import { type Method, objectOf } from '../../schema/index.ts'
import type { By, Task, TaskTree } from '../../tree/internal.ts'
import type { Route, Table } from '../route.ts'
import { changing } from './caller.ts'
import { agentHeader, idParam, ifMatch } from './fields.ts'
import { changedOutcome, onChanging } from './outcomes.ts'
import { given } from './schemas.ts'

type Retag = (id: string, tags: readonly string[], by: By) => Promise<Task>

export const tags = (tree: TaskTree): Table => ({
  name: 'Tags',
  about: 'Words by which tasks are found and routed.',
  routes: [
    tagsRoute('POST', 'Add tags to a task', (...args) => tree.addTags(...args)),
    tagsRoute('PUT', 'Replace the tags of a task', (...args) => tree.setTags(...args)),
    tagsRoute('DELETE', 'Remove tags from a task', (...args) => tree.removeTags(...args)),
  ],
})

const tagsRoute = (method: Method, summary: string, retag: Retag): Route => ({
  method,
  path: '/api/tasks/:id/tags',
  role: 'work',
  summary,
  params: idParam,
  headers: { ...agentHeader, ...ifMatch },
  body: { schema: objectOf({ tags: given.tags }, { required: ['tags'] }) },
  outcomes: changedOutcome,
  errors: [...onChanging, 'INVALID_TAG'],
  handle: changing((id, by, { body }) => retag(id, (body as { tags: string[] }).tags, by)),
})
