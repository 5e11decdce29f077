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
export { canonicalPath, directoryHash } from './directory.ts'
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
export { holdings } from './holdings.ts'
export { Plans } from './plans.ts'
export type { RepairReport } from './repair.ts'
export { checkSessionPrefix } from './session-id.ts'
export type { PlanChange, SessionReader } from './session-reader.ts'
export { glyphs, parseStatus, type Status, statuses } from './status.ts'
export {
  type Change,
  checkChange,
  type GoalWords,
  type TaskChange,
  type TaskWords,
  type Told,
  type WordChange,
} from './steps.ts'
