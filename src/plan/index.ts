export {
  type Condition,
  CorruptDocumentError,
  type DocumentEvent,
  type Logged,
  Refusal,
  type StoredEvent,
} from '../collection/index.ts'
export type { ChangeOutcome, Plan, PlansOptions, SessionSummary } from './answers.ts'
export { stateOf } from './condition.ts'
export type { Goal, PlanTask, Session } from './documents.ts'
export {
  AmbiguousSessionError,
  ChangedMeanwhileError,
  GoalAlreadySetError,
  InvalidPlanError,
  NoGoalError,
  NoSessionError,
  PlanError,
  ReasonMissingError,
  SessionArchivedError,
  SessionNotFoundError,
  TaskNotFoundError,
} from './error.ts'
export type { EventType, PlanEvent } from './event.ts'
export { Plans } from './plans.ts'
export type { RepairReport } from './repair.ts'
export { type Status, statuses } from './status.ts'
export type { Change, GoalWords, TaskChange, TaskWords, Told, WordChange } from './steps.ts'
