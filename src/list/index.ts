export {
  type Condition,
  CorruptDocumentError,
  type DocumentEvent,
  Refusal,
  type RefusalKind,
} from '../collection/index.ts'
export {
  AmbiguousPrefixError,
  ChangedMeanwhileError,
  InvalidTaskError,
  TaskNotFoundError,
} from './error.ts'
export { stateOf } from './state.ts'
export type { TagEdit, Task, TaskEdit, TaskFilter } from './task.ts'
export { type RebuildReport, TaskList, type TaskListOptions, type TaskQuery } from './task-list.ts'
