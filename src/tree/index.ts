export {
  CorruptDocumentError,
  type DocumentEvent,
  Refusal,
  type RefusalKind,
} from '../collection/index.ts'
export {
  type BulkAction,
  type BulkOptions,
  type BulkRequest,
  type BulkResult,
  bulkActions,
  bulkTasksMax,
} from './bulk.ts'
export { historyFields, type Note } from './change.ts'
export {
  checkAgent,
  checkNewTask,
  checkNote,
  checkPatch,
  type NewTask,
  type TaskPatch,
} from './checks.ts'
export { depthUsualMax } from './depth-warning.ts'
export type { TaskEdit } from './edit.ts'
export {
  ActiveChildrenError,
  AlreadyClaimedError,
  AmbiguousIdError,
  CycleError,
  httpStatuses,
  InvalidTaskError,
  InvalidTransitionError,
  NotClaimableError,
  NotClaimOwnerError,
  ParentNotFoundError,
  PreconditionFailedError,
  TaskActiveError,
  TaskNotFoundError,
  TreeError,
  type TreeErrorCode,
} from './error.ts'
export type { TaskFeed } from './feed.ts'
export {
  limitDefault,
  limitMax,
  parseQuery,
  type TaskFilter,
  type TaskQuery,
} from './filter.ts'
export type { Deleted } from './growth.ts'
export type { HistoryEntry } from './history.ts'
export { holdings } from './holdings.ts'
export { checkId, checkIdPrefix } from './id.ts'
export type { Resync, TaskEvent, TaskEventType } from './journal.ts'
export { type MaintenanceReport, type RetentionOptions, retentionDefaults } from './maintenance.ts'
export {
  chooseGrimoire,
  defaultGrimoire,
  explainGrimoire,
  type Finding,
  formatFinding,
  type GrimoireMatch,
  MatcherFile,
  type MatcherFileOptions,
  type MatcherReader,
  type MatcherReading,
  type MatcherState,
  type ParsedMatchers,
  parseMatchers,
  type RoutedTask,
} from './matchers/index.ts'
export type { Page, ReadyOptions, ReadyPage } from './queries.ts'
export type { TaskReading } from './readings.ts'
export type { TreeRepairReport } from './repair.ts'
export type { RestoredTask } from './restoring.ts'
export { type Status, statuses, transitions } from './status.ts'
export {
  nestedSubtree,
  type SubtreeListOptions,
  type SubtreeOptions,
  type SubtreePage,
  type SubtreeTask,
  type TaskNode,
} from './subtree.ts'
export { checkTags } from './tags.ts'
export { isChanged, priorityMax, type Task, type TaskType, taskTypes, versionOf } from './task.ts'
export { TaskTree, type TaskTreeOptions } from './task-tree.ts'
export type { By } from './writes.ts'
