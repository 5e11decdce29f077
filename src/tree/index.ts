export {
  CorruptDocumentError,
  type DocumentEvent,
  Refusal,
  type RefusalKind,
} from '../collection/index.ts'
export type { BulkAction, BulkOptions, BulkRequest, BulkResult } from './bulk.ts'
export type { Note } from './change.ts'
export type { NewTask, TaskPatch } from './checks.ts'
export type { TaskEdit } from './edit.ts'
export {
  ActiveChildrenError,
  AlreadyClaimedError,
  AmbiguousIdError,
  CycleError,
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
export type { TaskFilter, TaskQuery } from './filter.ts'
export type { Deleted } from './growth.ts'
export type { HistoryEntry } from './history.ts'
export type { Resync, TaskEvent, TaskEventType } from './journal.ts'
export type { MaintenanceReport, RetentionOptions } from './maintenance.ts'
export {
  chooseGrimoire,
  explainGrimoire,
  type Finding,
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
export { type Status, statuses } from './status.ts'
export {
  nestedSubtree,
  type SubtreeListOptions,
  type SubtreeOptions,
  type SubtreePage,
  type SubtreeTask,
  type TaskNode,
} from './subtree.ts'
export { isChanged, type Task, type TaskType, taskTypes } from './task.ts'
export { TaskTree, type TaskTreeOptions } from './task-tree.ts'
export type { By } from './writes.ts'
