import { Refusal, type RefusalKind, textOf } from '../collection/index.ts'

/** The status with which HTTP answers each code. */
export const httpStatuses = {
  TASK_NOT_FOUND: 404,
  PARENT_NOT_FOUND: 400,
  INVALID_PRIORITY: 400,
  INVALID_TYPE: 400,
  INVALID_STATUS: 400,
  INVALID_TRANSITION: 400,
  INVALID_TAG: 400,
  INVALID_BODY: 400,
  INVALID_QUERY: 400,
  INVALID_ID: 400,
  MISSING_AGENT: 400,
  WOULD_CREATE_CYCLE: 400,
  AMBIGUOUS_ID: 409,
  ALREADY_CLAIMED: 409,
  NOT_CLAIMABLE: 409,
  TASK_ACTIVE: 409,
  HAS_ACTIVE_CHILDREN: 409,
  NOT_CLAIM_OWNER: 403,
  PRECONDITION_FAILED: 412,
} as const

/** Every code by which the tree refuses. */
export type TreeErrorCode = keyof typeof httpStatuses

/** What a tree refuses, and why. Nothing was changed. */
export abstract class TreeError extends Refusal {
  abstract override readonly kind: RefusalKind
  /** What was refused, for programs; the same over HTTP. */
  abstract readonly code: TreeErrorCode
  /** What a program needs to know beside the code; no two codes have the same. */
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    what: string,
    next: string | null = null,
    details: Readonly<Record<string, unknown>> = {},
  ) {
    super(what, next)
    this.details = details
  }

  /** The status of an HTTP answer that says so. */
  get httpStatus(): number {
    return httpStatuses[this.code]
  }
}

/** There is no such task. */
export class TaskNotFoundError extends TreeError {
  override readonly name = 'TaskNotFoundError'
  readonly kind = 'not_found'
  readonly code = 'TASK_NOT_FOUND'

  constructor(id: string) {
    super(`task not found: ${id}`, 'List the tasks to see their ids.', { id })
  }
}

/** The task that is to be the parent is not there, or is deleted. */
export class ParentNotFoundError extends TreeError {
  override readonly name = 'ParentNotFoundError'
  readonly kind = 'not_found'
  readonly code = 'PARENT_NOT_FOUND'

  constructor(given: unknown) {
    const shown = textOf(given).slice(0, 80)
    super(`parent task not found: ${shown}`, 'List the tasks to see their ids.', {
      parent_id: shown,
    })
  }
}

export type InvalidCode =
  | 'INVALID_PRIORITY'
  | 'INVALID_TYPE'
  | 'INVALID_STATUS'
  | 'INVALID_TAG'
  | 'INVALID_BODY'
  | 'INVALID_QUERY'
  | 'INVALID_ID'
  | 'MISSING_AGENT'

/** Something given that can never be right. */
export class InvalidTaskError extends TreeError {
  override readonly name = 'InvalidTaskError'
  readonly kind = 'invalid'
  readonly code: InvalidCode

  constructor(code: InvalidCode, what: string, next: string) {
    super(what, next)
    this.code = code
  }
}

/** Several tasks have an id that starts so. */
export class AmbiguousIdError extends TreeError {
  override readonly name = 'AmbiguousIdError'
  readonly kind = 'ambiguous'
  readonly code = 'AMBIGUOUS_ID'
  override readonly candidates: readonly string[]
  override readonly count: number

  constructor(prefix: string, candidates: readonly string[], count: number) {
    super(`${count} tasks have an id that starts with ${prefix}.`, 'Give more of the id.')
    this.candidates = candidates
    this.count = count
  }
}

/** No such step leads from its status; `details` name those that do. */
export class InvalidTransitionError extends TreeError {
  override readonly name = 'InvalidTransitionError'
  readonly kind = 'refused'
  readonly code = 'INVALID_TRANSITION'

  /** `moves` says where a task can go from its status, and what leads there. */
  constructor(current: string, requested: string, moves: Readonly<Record<string, string>>) {
    const valid = Object.keys(moves)
    // With what leads there: the verb that was refused may be the wrong one for a move that is possible.
    const ways = valid.map((status) => `${status} (${moves[status]})`)
    const way = ways.length === 0 ? 'nowhere' : `to ${ways.join(' or ')}`
    super(
      `invalid transition from ${current} to ${requested}`,
      `From ${current} a task goes ${way}.`,
      { current_status: current, requested_status: requested, valid_transitions: valid },
    )
  }
}

/** It would be moved below itself. */
export class CycleError extends TreeError {
  override readonly name = 'CycleError'
  readonly kind = 'refused'
  readonly code = 'WOULD_CREATE_CYCLE'

  constructor(id: string, parentId: string) {
    super(
      `moving task ${id} below ${parentId} would create a cycle`,
      'Choose a parent that is neither the task itself nor below it.',
      { id, new_parent_id: parentId },
    )
  }
}

/** Another agent was first; `details` say who, and when. */
export class AlreadyClaimedError extends TreeError {
  override readonly name = 'AlreadyClaimedError'
  readonly kind = 'conflict'
  readonly code = 'ALREADY_CLAIMED'
  override readonly heldBy: string | null

  constructor(claimedBy: string | null, claimedAt: string | null) {
    super(`task already claimed by ${claimedBy}`, null, {
      claimed_by: claimedBy,
      claimed_at: claimedAt,
    })
    this.heldBy = claimedBy
  }
}

/** Only what is open can be claimed. */
export class NotClaimableError extends TreeError {
  override readonly name = 'NotClaimableError'
  readonly kind = 'conflict'
  readonly code = 'NOT_CLAIMABLE'
  override readonly heldBy: string | null

  constructor(status: string, claimedBy: string | null = null) {
    super(`task is not claimable (status: ${status})`, null, { status })
    this.heldBy = claimedBy
  }
}

/** Another agent has it; `details` say who. */
export class NotClaimOwnerError extends TreeError {
  override readonly name = 'NotClaimOwnerError'
  readonly kind = 'not_owner'
  readonly code = 'NOT_CLAIM_OWNER'
  override readonly heldBy: string

  constructor(claimedBy: string) {
    super(`not claim owner (claimed by ${claimedBy})`, null, { claimed_by: claimedBy })
    this.heldBy = claimedBy
  }
}

/** Only what nobody works on can be deleted. */
export class TaskActiveError extends TreeError {
  override readonly name = 'TaskActiveError'
  readonly kind = 'refused'
  readonly code = 'TASK_ACTIVE'

  constructor(id: string, status: string) {
    super(`task ${id} is active (status: ${status})`, 'Release, block or finish it first.', {
      id,
      status,
    })
  }
}

/** Somebody works on something below it. */
export class ActiveChildrenError extends TreeError {
  override readonly name = 'ActiveChildrenError'
  readonly kind = 'refused'
  readonly code = 'HAS_ACTIVE_CHILDREN'

  constructor(id: string, activeId: string) {
    super(
      `task ${id} has active children, ${activeId} among them`,
      'Release, block or finish them first.',
      { id, active_id: activeId },
    )
  }
}

/** The task has changed since the version that was asked for. */
export class PreconditionFailedError extends TreeError {
  override readonly name = 'PreconditionFailedError'
  readonly kind = 'conflict'
  readonly code = 'PRECONDITION_FAILED'

  constructor(wanted: number | readonly number[], version: number) {
    const named = [wanted].flat().slice(0, namedMax).join(' or ')
    const why = named === '' ? 'and no version was named' : `not ${named}`
    super(`task is at version ${version}, ${why}`, 'Read it again, then decide.', { version })
  }
}

/** How many versions a message names. */
const namedMax = 5
