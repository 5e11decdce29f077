import {
  ambiguous,
  changedMeanwhile,
  type ErrorsOf,
  errorsOf,
  Refusal,
  row,
} from '../collection/index.ts'

const rows = {
  InvalidPlanError: row('INVALID_PLAN', 'invalid'),
  NoSessionError: row('NO_SESSION', 'no_store'),
  SessionArchivedError: row('SESSION_ARCHIVED', 'no_store', (sid: string) => [
    `Session ${sid} is archived.`,
    "Start a new one with 'np s'.",
    { sid },
  ]),
  SessionNotFoundError: row('SESSION_NOT_FOUND', 'not_found', (prefix: string) => [
    `No session has an id that starts with ${prefix}.`,
    "List the sessions with 'np l --all'.",
  ]),
  AmbiguousSessionError: row('AMBIGUOUS_SESSION', 'ambiguous', ambiguous('sessions')),
  TaskNotFoundError: row('TASK_NOT_FOUND', 'not_found', (id: string) => [
    `No task of this session has the id ${id}.`,
    "See the ids with 'np p'.",
  ]),
  GoalAlreadySetError: row('GOAL_ALREADY_SET', 'conflict', () => [
    "Goal already set. Use 'np g u' to update it (requires -r/--reason flag).",
  ]),
  NoGoalError: row('NO_GOAL', 'refused', (kind: 'refused' | 'not_found') => [
    "No goal set yet. Use 'np g s' to set it first.",
    null,
    { kind },
  ]),
  ReasonMissingError: row('REASON_MISSING', 'refused', (what: string) => [
    `${what} needs a reason.`,
    'Give it with -r/--reason.',
  ]),
  ChangedMeanwhileError: row(
    'CHANGED_MEANWHILE',
    'conflict',
    changedMeanwhile as (noun: 'goal' | 'task') => [string, string],
  ),
}

/** What {@link Plans} refuse, and why: one code for each class. Nothing was changed. */
export abstract class PlanError extends Refusal {
  /** What was refused, for programs. */
  abstract readonly code: string
}

const errors: ErrorsOf<PlanError, typeof rows> = errorsOf(PlanError, rows)

/** A title, description, id or status that can never be right. */
export class InvalidPlanError extends errors.InvalidPlanError {}
/** No session is active here. */
export class NoSessionError extends errors.NoSessionError {}
/** The session was archived: it can be read, not changed. */
export class SessionArchivedError extends errors.SessionArchivedError {
  /** The session that was archived. */
  declare readonly sid: string
}
/** No session has an id that starts so. */
export class SessionNotFoundError extends errors.SessionNotFoundError {}
/** Several sessions have an id that starts so. */
export class AmbiguousSessionError extends errors.AmbiguousSessionError {
  /** The ids of the first 20. */
  declare readonly candidates: readonly string[]
}
/** No task of this session has such an id. */
export class TaskNotFoundError extends errors.TaskNotFoundError {}
/** The session has a goal; it can be updated, not set again. */
export class GoalAlreadySetError extends errors.GoalAlreadySetError {}
/** There is no goal to update; or, where one was asked for, to show. */
export class NoGoalError extends errors.NoGoalError {}
/** The change needs a reason. */
export class ReasonMissingError extends errors.ReasonMissingError {}
/** The change was for another state of the goal, or of the task. */
export class ChangedMeanwhileError extends errors.ChangedMeanwhileError {}
