import {
  ambiguous,
  answersOf,
  type CodesOf,
  type ErrorsOf,
  errorsOf,
  Refusal,
  row,
  textOf,
} from '../collection/index.ts'

/** How many versions a message names. */
const namedMax = 5

const listThem = 'List the tasks to see their ids.'

const invalidCodes = [
  'INVALID_PRIORITY',
  'INVALID_TYPE',
  'INVALID_STATUS',
  'INVALID_TAG',
  'INVALID_BODY',
  'INVALID_QUERY',
  'INVALID_ID',
  'MISSING_AGENT',
] as const

type InvalidCode = (typeof invalidCodes)[number]

const rows = {
  TaskNotFoundError: row(
    'TASK_NOT_FOUND',
    'not_found',
    (id: string) => [`task not found: ${id}`, listThem, { details: { id } }],
    { exit: 10 },
  ),
  ParentNotFoundError: row(
    'PARENT_NOT_FOUND',
    'not_found',
    (given: unknown) => {
      const shown = textOf(given).slice(0, 80)
      return [`parent task not found: ${shown}`, listThem, { details: { parent_id: shown } }]
    },
    { status: 400, exit: 10 },
  ),
  InvalidTaskError: row(
    invalidCodes,
    'invalid',
    (code: InvalidCode, what: string, next: string) => [what, next, { code }],
  ),
  AmbiguousIdError: row('AMBIGUOUS_ID', 'ambiguous', ambiguous('tasks')),
  InvalidTransitionError: row('INVALID_TRANSITION', 'refused', refusedMove, {
    status: 400,
    exit: 11,
  }),
  CycleError: row(
    'WOULD_CREATE_CYCLE',
    'refused',
    (id: string, parentId: string) => [
      `moving task ${id} below ${parentId} would create a cycle`,
      'Choose a parent that is neither the task itself nor below it.',
      { details: { id, new_parent_id: parentId } },
    ],
    { status: 400, exit: 14 },
  ),
  AlreadyClaimedError: row(
    'ALREADY_CLAIMED',
    'conflict',
    (claimedBy: string | null, claimedAt: string | null) => [
      `task already claimed by ${claimedBy}`,
      null,
      { details: { claimed_by: claimedBy, claimed_at: claimedAt }, heldBy: claimedBy },
    ],
    { exit: 12 },
  ),
  NotClaimableError: row(
    'NOT_CLAIMABLE',
    'conflict',
    (status: string, claimedBy: string | null = null) => [
      `task is not claimable (status: ${status})`,
      null,
      { details: { status }, heldBy: claimedBy },
    ],
    { exit: 12 },
  ),
  NotClaimOwnerError: row(
    'NOT_CLAIM_OWNER',
    'not_owner',
    (claimedBy: string) => [
      `not claim owner (claimed by ${claimedBy})`,
      null,
      { details: { claimed_by: claimedBy }, heldBy: claimedBy },
    ],
    { status: 403, exit: 13 },
  ),
  TaskActiveError: row(
    'TASK_ACTIVE',
    'refused',
    (id: string, status: string) => [
      `task ${id} is active (status: ${status})`,
      'Release, block or finish it first.',
      { details: { id, status } },
    ],
    { exit: 11 },
  ),
  ActiveChildrenError: row(
    'HAS_ACTIVE_CHILDREN',
    'refused',
    (id: string, activeId: string) => [
      `task ${id} has active children, ${activeId} among them`,
      'Release, block or finish them first.',
      { details: { id, active_id: activeId } },
    ],
    { exit: 11 },
  ),
  PreconditionFailedError: row(
    'PRECONDITION_FAILED',
    'conflict',
    (wanted: number | readonly number[], version: number) => {
      const named = [wanted].flat().slice(0, namedMax).join(' or ')
      const why = named === '' ? 'and no version was named' : `not ${named}`
      const what = `task is at version ${version}, ${why}`
      return [what, 'Read it again, then decide.', { details: { version } }]
    },
    { status: 412 },
  ),
}

/** `moves` says where a task can go from its status, and what leads there. */
function refusedMove(current: string, requested: string, moves: Readonly<Record<string, string>>) {
  const valid = Object.keys(moves)
  // With what leads there: the verb that was refused may be the wrong one for a move that is possible.
  const ways = valid.map((status) => `${status} (${moves[status]})`)
  const way = ways.length === 0 ? 'nowhere' : `to ${ways.join(' or ')}`
  const details = { current_status: current, requested_status: requested, valid_transitions: valid }
  return [
    `invalid transition from ${current} to ${requested}`,
    `From ${current} a task goes ${way}.`,
    { details },
  ] as const
}

/** Every code by which the tree refuses. */
export type TreeErrorCode = CodesOf<typeof rows>

/** The status with which HTTP answers each code. */
export const httpStatuses = answersOf(rows, 'status')

/** What coven ends with: agents tell more apart than all programs do. */
const exitCodes = answersOf(rows, 'exit')

/** What a tree refuses, and why. Nothing was changed. */
export abstract class TreeError extends Refusal {
  /** What was refused, for programs; the same over HTTP. */
  abstract readonly code: TreeErrorCode
  /** What a program needs to know beside the code; no two codes have the same. */
  readonly details: Readonly<Record<string, unknown>> = {}

  /** The status of an HTTP answer that says so. */
  get httpStatus(): number {
    return httpStatuses[this.code]
  }

  /** What coven ends with. */
  get exitCode(): number {
    return exitCodes[this.code]
  }
}

const errors: ErrorsOf<TreeError, typeof rows> = errorsOf(TreeError, rows)

/** There is no such task. */
export class TaskNotFoundError extends errors.TaskNotFoundError {}
/** The task that is to be the parent is not there, or is deleted. */
export class ParentNotFoundError extends errors.ParentNotFoundError {}
/** Something given that can never be right. */
export class InvalidTaskError extends errors.InvalidTaskError {}
/** Several tasks have an id that starts so. */
export class AmbiguousIdError extends errors.AmbiguousIdError {}
/** No such step leads from its status; `details` name those that do. */
export class InvalidTransitionError extends errors.InvalidTransitionError {}
/** It would be moved below itself. */
export class CycleError extends errors.CycleError {}
/** Another agent was first; `details` say who, and when. */
export class AlreadyClaimedError extends errors.AlreadyClaimedError {}
/** Only what is open can be claimed. */
export class NotClaimableError extends errors.NotClaimableError {}
/** Another agent has it; `details` say who. */
export class NotClaimOwnerError extends errors.NotClaimOwnerError {}
/** Only what nobody works on can be deleted. */
export class TaskActiveError extends errors.TaskActiveError {}
/** Somebody works on something below it. */
export class ActiveChildrenError extends errors.ActiveChildrenError {}
/** The task has changed since the version that was asked for. */
export class PreconditionFailedError extends errors.PreconditionFailedError {}
