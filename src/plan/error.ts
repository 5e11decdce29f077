import { Refusal } from '../collection/index.ts'

/** A title, description, id or status that can never be right. */
export class InvalidPlanError extends Refusal {
  override readonly name = 'InvalidPlanError'
  readonly kind = 'invalid'
}

/** No session is active here. */
export class NoSessionError extends Refusal {
  override readonly name = 'NoSessionError'
  readonly kind = 'no_store'
}

/** The session was archived: it can be read, not changed. */
export class SessionArchivedError extends Refusal {
  override readonly name = 'SessionArchivedError'
  readonly kind = 'no_store'
  /** The session that was archived. */
  readonly sid: string

  constructor(sid: string) {
    super(`Session ${sid} is archived.`, "Start a new one with 'np s'.")
    this.sid = sid
  }
}

/** No session has an id that starts so. */
export class SessionNotFoundError extends Refusal {
  override readonly name = 'SessionNotFoundError'
  readonly kind = 'not_found'

  constructor(prefix: string) {
    super(
      `No session has an id that starts with ${prefix}.`,
      "List the sessions with 'np l --all'.",
    )
  }
}

/** Several sessions have an id that starts so. */
export class AmbiguousSessionError extends Refusal {
  override readonly name = 'AmbiguousSessionError'
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
export class TaskNotFoundError extends Refusal {
  override readonly name = 'TaskNotFoundError'
  readonly kind = 'not_found'

  constructor(id: string) {
    super(`No task of this session has the id ${id}.`, "See the ids with 'np p'.")
  }
}

/** The session has a goal; it can be updated, not set again. */
export class GoalAlreadySetError extends Refusal {
  override readonly name = 'GoalAlreadySetError'
  readonly kind = 'conflict'

  constructor() {
    super("Goal already set. Use 'np g u' to update it (requires -r/--reason flag).")
  }
}

/** There is no goal to update; or, where one was asked for, to show. */
export class NoGoalError extends Refusal {
  override readonly name = 'NoGoalError'
  readonly kind: 'refused' | 'not_found'

  constructor(kind: 'refused' | 'not_found') {
    super("No goal set yet. Use 'np g s' to set it first.")
    this.kind = kind
  }
}

/** The change needs a reason. */
export class ReasonMissingError extends Refusal {
  override readonly name = 'ReasonMissingError'
  readonly kind = 'refused'

  constructor(what: string) {
    super(`${what} needs a reason.`, 'Give it with -r/--reason.')
  }
}
