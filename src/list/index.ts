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
export { holdings } from './holdings.ts'
export { checkPrefix } from './id.ts'
export { stateOf } from './state.ts'
export { checkTag, checkTags, parseTags } from './tags.ts'
export type { TagEdit, Task, TaskEdit, TaskFilter } from './task.ts'
export { type RebuildReport, TaskList, type TaskListOptions, type TaskQuery } from './task-list.ts'
export { checkText } from './text.ts'
