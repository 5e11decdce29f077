export {
  type Condition,
  CorruptDocumentError,
  type DocumentEvent,
  Refusal,
  type RefusalKind,
  type RepairReport,
  type StandardIssue,
  type StandardResult,
  type StandardSchema,
} from '../collection/index.ts'
export type { Submission } from './checks.ts'
export {
  AmbiguousIdError,
  ChangedMeanwhileError,
  CorruptTaskError,
  InvalidTaskError,
  LostLeaseError,
  NotAvailableError,
  PermanentError,
  QueueError,
  TaskExistsError,
  TaskNotFoundError,
  TransitionError,
  WorkerNotFoundError,
} from './error.ts'
export { type ExaminationOptions, examine } from './examination.ts'
export { type CommandOptions, commandHandler } from './exec/command-handler.ts'
export { killGroups as killCommands } from './exec/process-group.ts'
export { shards } from './fields.ts'
export type { Followed } from './follow.ts'
export type { TaskVersion } from './history.ts'
export type { ListFilter, ListOptions, TaskPage } from './listing.ts'
export { Metrics } from './metrics.ts'
export { type CheckReport, Monitor, type MonitorOptions, type SweepReport } from './monitor.ts'
export { type Changed, Queue, type QueueOptions } from './queue.ts'
export { type RetryPolicy, retryPolicyDefault } from './retry.ts'
export { stateOf } from './state.ts'
export type { Stats, StatsOptions } from './stats.ts'
export type { Submitted } from './submission.ts'
export { type ArchivableStatus, type Json, statuses, type Task, type TaskStatus } from './task.ts'
export { TaskGauges, type TaskGaugesOptions } from './task-gauges.ts'
export {
  type AnyHandler,
  type Handler,
  type HandlerContext,
  type SubmittableType,
  type TaskType,
  type TypedHandler,
  taskType,
} from './task-type.ts'
export type { IndexMode, StopOptions, WorkerEvent, WorkerOptions } from './worker/options.ts'
export { Worker } from './worker/worker.ts'
export type { RunningTask, WorkerInfo, WorkerStatus } from './worker-info.ts'
