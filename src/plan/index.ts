export {
  CorruptDocumentError,
  type Logged,
  Refusal,
  type StoredEvent,
} from '../collection/index.ts'
export { canonicalPath, directoryHash } from './directory.ts'
export type { Goal, PlanTask, Session } from './documents.ts'
export {
  AmbiguousSessionError,
  GoalAlreadySetError,
  InvalidPlanError,
  NoGoalError,
  NoSessionError,
  ReasonMissingError,
  SessionArchivedError,
  SessionNotFoundError,
  TaskNotFoundError,
} from './error.ts'
export type { EventType, PlanEvent } from './event.ts'
export { type Plan, Plans, type PlansOptions, type SessionSummary } from './plans.ts'
export type { RepairReport } from './repair.ts'
export { parseStatus, type Status, statuses } from './status.ts'
export type { GoalWords, TaskChange, TaskWords, Told, WordChange } from './steps.ts'
