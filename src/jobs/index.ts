export {
  type DocumentEvent,
  Refusal,
  type RefusalKind,
  type RepairReport,
  type StandardIssue,
  type StandardResult,
  type StandardSchema,
} from '../collection/index.ts'
export type { CallOptions } from './calls.ts'
export type { Page, Submission } from './checks.ts'
export {
  CorruptTaskError,
  InvalidResultError,
  InvalidTaskError,
  InvalidWorkerIdError,
  MaxAttemptsReachedError,
  StoreClosedError,
  TaskAlreadyClaimedError,
  TaskCompletedError,
  TaskError,
  TaskExistsError,
  TaskFailedError,
  TaskNotClaimedError,
  TaskNotFoundError,
  TaskNotTerminalError,
  WrongWorkerError,
} from './error.ts'
export { statuses, type Task, type TaskStatus } from './task.ts'
export { type ClaimantOptions, TaskManager, type TaskManagerOptions } from './task-manager.ts'
