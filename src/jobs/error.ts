import {
  type CodesOf,
  type ErrorsOf,
  errorsOf,
  Refusal,
  row,
  shown,
  taskExists,
} from '../collection/index.ts'
import { isExpiry } from './task.ts'

/** How the last attempt at a task ended. */
interface Ended {
  readonly attempts: number
  readonly error: string | null
}

const rows = {
  TaskNotFoundError: row('TASK_NOT_FOUND', 'not_found', (what: string) => [
    `There is no task with the ${what}.`,
    'Check it; a task may also have been deleted.',
  ]),
  TaskAlreadyClaimedError: row(
    'TASK_ALREADY_CLAIMED',
    'conflict',
    (id: string, claimedBy: string) => [
      `Task ${id} is claimed by worker ${shown(claimedBy)}.`,
      'Skip it, or wait.',
      { claimedBy },
    ],
  ),
  TaskNotClaimedError: row(
    'TASK_NOT_CLAIMED',
    'refused',
    (id: string, { attempts, error }: Ended = { attempts: 0, error: null }) => {
      if (attempts === 0) return [`Task ${id} is not claimed.`, 'Call claim() first.']
      const why = isExpiry(error) ? `. ${error}` : `: attempt ${attempts} has ended.`
      return [`Task ${id} is not claimed any more${why}`, 'Drop the work, or claim the task again.']
    },
  ),
  TaskCompletedError: row('TASK_COMPLETED', 'refused', (id: string) => [
    `Task ${id} is completed.`,
    'There is nothing left to do.',
  ]),
  TaskFailedError: row(
    'TASK_FAILED',
    'refused',
    (id: string, { error }: Pick<Ended, 'error'> = { error: null }) => [
      `Task ${id} has failed.${isExpiry(error) ? ` ${error}` : ''}`,
      'Look at its error; retry(id, { attempts }) allows more.',
    ],
  ),
  ChangedMeanwhileError: row('CHANGED_MEANWHILE', 'conflict', (id: string, status: string) => [
    `Task ${id} has changed since you looked: it is ${status} now.`,
    'Look at it again, then decide.',
    { status },
  ]),
  MaxAttemptsReachedError: row(
    'MAX_ATTEMPTS_REACHED',
    'refused',
    (id: string, maxAttempts: number) => [
      `Task ${id} has had ${maxAttempts === 1 ? 'its only attempt' : `all of its ${maxAttempts} attempts`}.`,
      'Find out why it fails; retry(id, { attempts: n }) allows n more.',
    ],
  ),
  InvalidTaskError: row('INVALID_TASK', 'invalid'),
  InvalidResultError: row('INVALID_RESULT', 'invalid'),
  InvalidWorkerIdError: row('INVALID_WORKER_ID', 'invalid', (what: string) => [
    what,
    'Give each worker a name that no other has.',
  ]),
  WrongWorkerError: row(
    'WRONG_WORKER',
    'conflict',
    (id: string, { claimedBy, attempts, error }: Ended & { claimedBy: string | null }) => {
      const holder = `Task ${id} is claimed by worker ${shown(claimedBy ?? '')}, attempt ${attempts}.`
      // What its last claim ended with; who asks most likely had that one.
      if (isExpiry(error)) return [`${error} ${holder}`, 'Drop the work.']
      return [
        holder,
        'Only that claim can be completed or failed: pass its claimToken, or drop the work.',
      ]
    },
  ),
  StoreClosedError: row('STORE_CLOSED', 'refused', () => [
    'The task manager was closed.',
    'Make a new one.',
  ]),
  TaskNotTerminalError: row('TASK_NOT_TERMINAL', 'refused', (id: string, status: string) => [
    `Task ${id} is ${status}.`,
    'Only completed and failed tasks can be deleted.',
  ]),
  TaskExistsError: row('TASK_EXISTS', 'conflict', taskExists),
  CorruptTaskError: row(
    'CORRUPT_TASK',
    'corrupt',
    (
      id: string,
      what: string,
      {
        cause,
        next = 'Look at what is stored; delete(id) removes the task and its key.',
      }: { cause?: unknown; next?: string } = {},
    ) => [what, next, { id, ...(cause !== undefined && { cause }) }],
  ),
}

/** Every code that a {@link TaskError} can have: one for each class. */
export type TaskErrorCode = CodesOf<typeof rows>

/** What a {@link TaskManager} refuses, and why: one code for each class. Nothing was changed. */
export abstract class TaskError extends Refusal {
  /** What was refused, for programs. */
  abstract readonly code: TaskErrorCode
}

const errors: ErrorsOf<TaskError, typeof rows> = errorsOf(TaskError, rows)

/** No task has this id, or this idempotency key. */
export class TaskNotFoundError extends errors.TaskNotFoundError {}
/** Another worker has it. */
export class TaskAlreadyClaimedError extends errors.TaskAlreadyClaimedError {
  /** The worker that has it. */
  declare readonly claimedBy: string
}

/** Only what is claimed can be completed or failed. */
export class TaskNotClaimedError extends errors.TaskNotClaimedError {}
/** The task is done already. */
export class TaskCompletedError extends errors.TaskCompletedError {}
/** The task has failed for good. */
export class TaskFailedError extends errors.TaskFailedError {}
/** The task has changed since the state that was asked for. */
export class ChangedMeanwhileError extends errors.ChangedMeanwhileError {
  /** As it is now. */
  declare readonly status: string
}

/** No more attempts are allowed. */
export class MaxAttemptsReachedError extends errors.MaxAttemptsReachedError {}
/** What was given can never be a task, a key, a page or a number of attempts. */
export class InvalidTaskError extends errors.InvalidTaskError {}
/** The result can't be stored, or is not what its schema asks for. */
export class InvalidResultError extends errors.InvalidResultError {}
/** A worker must say who it is. */
export class InvalidWorkerIdError extends errors.InvalidWorkerIdError {}
/** Whoever asks does not hold the claim (any more). */
export class WrongWorkerError extends errors.WrongWorkerError {}
/** The manager was closed. */
export class StoreClosedError extends errors.StoreClosedError {}
/** A task that is pending or claimed is not deleted. */
export class TaskNotTerminalError extends errors.TaskNotTerminalError {}
/** The id that a caller chose is taken. */
export class TaskExistsError extends errors.TaskExistsError {}
/** What is stored under a task's id, or under its key, can't be what it should be. */
export class CorruptTaskError extends errors.CorruptTaskError {
  /** The id of the task that can't be read. */
  declare readonly id: string
}
