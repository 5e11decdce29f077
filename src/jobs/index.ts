export {
  type Condition,
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
  ChangedMeanwhileError,
  CorruptTaskError,
  InvalidResultError,
  InvalidTaskError,
  InvalidWorkerIdError,
  MaxAttemptsReachedError,
  StoreClosedError,
  TaskAlreadyClaimedError,
  TaskCompletedError,
  TaskError,
  type TaskErrorCode,
  TaskExistsError,
  TaskFailedError,
  TaskNotClaimedError,
  TaskNotFoundError,
  TaskNotTerminalError,
  WrongWorkerError,
} from './error.ts'
export type { ChangeOptions, ClaimantOptions, TaskManagerOptions } from './options.ts'
export { stateOf, type Telling } from './state.ts'
export { statuses, type Task, type TaskStatus } from './task.ts'
export { TaskManager } from './task-manager.ts'
