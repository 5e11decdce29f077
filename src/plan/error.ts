import { Refusal } from '../collection/index.ts'

/** What {@link Plans} refuse, and why: one code for each class. Nothing was changed. */
export abstract class PlanError extends Refusal {
  /** What was refused, for programs. */
  abstract readonly code: string
}

/** A title, description, id or status that can never be right. */
export class InvalidPlanError extends PlanError {
  override readonly name = 'InvalidPlanError'
  readonly code = 'INVALID_PLAN'
  readonly kind = 'invalid'
}

/** No session is active here. */
export class NoSessionError extends PlanError {
  override readonly name = 'NoSessionError'
  readonly code = 'NO_SESSION'
  readonly kind = 'no_store'
}

/** The session was archived: it can be read, not changed. */
export class SessionArchivedError extends PlanError {
  override readonly name = 'SessionArchivedError'
  readonly code = 'SESSION_ARCHIVED'
  readonly kind = 'no_store'
  /** The session that was archived. */
  readonly sid: string

  constructor(sid: string) {
    super(`Session ${sid} is archived.`, "Start a new one with 'np s'.")
    this.sid = sid
  }
}

/** No session has an id that starts so. */
export class SessionNotFoundError extends PlanError {
  override readonly name = 'SessionNotFoundError'
  readonly code = 'SESSION_NOT_FOUND'
  readonly kind = 'not_found'

  constructor(prefix: string) {
    super(
      `No session has an id that starts with ${prefix}.`,
      "List the sessions with 'np l --all'.",
    )
  }
}

/** Several sessions have an id that starts so. */
export class AmbiguousSessionError extends PlanError {
  override readonly name = 'AmbiguousSessionError'
  readonly code = 'AMBIGUOUS_SESSION'
  readonly kind = 'ambiguous'
  /** The ids of the first 20. */
  override readonly candidates: readonly string[]
  override readonly count: number

  constructor(prefix: string, candidates: readonly string[], count: number) {
    super(`${count} sessions have an id that starts with ${prefix}.`, 'Give more of the id.')
    this.candidates = candidates
    this.count = count
  }
}

/** No task of this session has such an id. */
export class TaskNotFoundError extends PlanError {
  override readonly name = 'TaskNotFoundError'
  readonly code = 'TASK_NOT_FOUND'
  readonly kind = 'not_found'

  constructor(id: string) {
    super(`No task of this session has the id ${id}.`, "See the ids with 'np p'.")
  }
}

/** The session has a goal; it can be updated, not set again. */
export class GoalAlreadySetError extends PlanError {
  override readonly name = 'GoalAlreadySetError'
  readonly code = 'GOAL_ALREADY_SET'
  readonly kind = 'conflict'

  constructor() {
    super("Goal already set. Use 'np g u' to update it (requires -r/--reason flag).")
  }
}

/** There is no goal to update; or, where one was asked for, to show. */
export class NoGoalError extends PlanError {
  override readonly name = 'NoGoalError'
  readonly code = 'NO_GOAL'
  readonly kind: 'refused' | 'not_found'

  constructor(kind: 'refused' | 'not_found') {
    super("No goal set yet. Use 'np g s' to set it first.")
    this.kind = kind
  }
}

/** The change needs a reason. */
export class ReasonMissingError extends PlanError {
  override readonly name = 'ReasonMissingError'
  readonly code = 'REASON_MISSING'
  readonly kind = 'refused'

  constructor(what: string) {
    super(`${what} needs a reason.`, 'Give it with -r/--reason.')
  }
}

/** The change was for another state of the goal, or of the task. */
export class ChangedMeanwhileError extends PlanError {
  override readonly name = 'ChangedMeanwhileError'
  readonly code = 'CHANGED_MEANWHILE'
  readonly kind = 'conflict'

  constructor(noun: 'goal' | 'task') {
    super(`The ${noun} has been changed meanwhile.`, 'Look at it now, and decide again.')
  }
}
