import { Collection, type CorruptDocumentError, EntryIndex } from '../collection/index.ts'
import { escapeSegment, type Store } from '../store/internal.ts'
import { HistoryIndex, recalls } from './history.ts'
import { parseId } from './id.ts'
import { lastSegment, noParent, prefixes, timeSegment } from './keys.ts'
import { isActive } from './status.ts'
import { type TaskDocument, taskCodec } from './task.ts'
import { isUnfinished } from './unfinished.ts'

type Paths = (task: TaskDocument) => readonly string[]

/** Entries under these paths, followed by the task's id. What is doomed has none. */
const byPaths = (prefix: string, paths: Paths): EntryIndex<TaskDocument> =>
  new EntryIndex({
    prefix,
    entries: (id, task) =>
      task.doomed === null ? paths(task).map((path) => [`${path}/${id}`, ''] as const) : [],
    idOf: (path) => parseId(lastSegment(path)),
  })

const doomedIndex = new EntryIndex<TaskDocument>({
  prefix: prefixes.doomed,
  entries: (id, { doomed }) => (doomed === null ? [] : [[id, '']]),
  idOf: parseId,
})

const indexes = [
  byPaths(prefixes.children, ({ parent_id }) => (parent_id === null ? [] : [parent_id])),
  byPaths(prefixes.tags, ({ tags }) => tags.map(escapeSegment)),
  byPaths(prefixes.ready, ({ status, priority, deleted_at }) =>
    status === 'open' && deleted_at === null ? [String(priority)] : [],
  ),
  byPaths(prefixes.active, ({ status, parent_id }) =>
    isActive(status) ? [parent_id ?? noParent] : [],
  ),
  byPaths(prefixes.unfinished, (task) =>
    isUnfinished(task) && task.parent_id !== null ? [task.parent_id] : [],
  ),
  byPaths(prefixes.closed, ({ status, deleted_at, updated_at }) =>
    status === 'closed' && deleted_at === null ? [timeSegment(updated_at)] : [],
  ),
  byPaths(prefixes.trash, ({ deleted_at }) =>
    deleted_at === null ? [] : [timeSegment(deleted_at)],
  ),
  doomedIndex,
  new HistoryIndex(),
]

/** Parents are read with every child, and agents ask for the same tasks again and again. */
const recentMax = 1_000

export type Tasks = Collection<TaskDocument>

export const tasksOn = (
  store: Store,
  onCorrupt?: ((error: CorruptDocumentError) => void) | undefined,
): Tasks =>
  new Collection(
    store,
    { noun: 'task', prefix: prefixes.tasks, codec: taskCodec, indexes, recalls, recentMax },
    { onCorrupt },
  )
