import { Refusal, shown } from '../collection/index.ts'
import { isExpiry } from './task.ts'

/** Every code that a {@link TaskError} can have: one for each class. */
export type TaskErrorCode =
  | 'TASK_NOT_FOUND'
  | 'TASK_ALREADY_CLAIMED'
  | 'TASK_NOT_CLAIMED'
  | 'TASK_COMPLETED'
  | 'TASK_FAILED'
  | 'MAX_ATTEMPTS_REACHED'
  | 'INVALID_TASK'
  | 'INVALID_RESULT'
  | 'INVALID_WORKER_ID'
  | 'WRONG_WORKER'
  | 'STORE_CLOSED'
  | 'TASK_NOT_TERMINAL'
  | 'TASK_EXISTS'
  | 'CORRUPT_TASK'
  | 'CHANGED_MEANWHILE'

/** What a {@link TaskManager} refuses, and why: one code for each class. Nothing was changed. */
export abstract class TaskError extends Refusal {
  /** What was refused, for programs. */
  abstract readonly code: TaskErrorCode
}

/** How the last attempt at a task ended. */
interface Ended {
  readonly attempts: number
  readonly error: string | null
}

/** No task has this id, or this idempotency key. */
export class TaskNotFoundError extends TaskError {
  override readonly name = 'TaskNotFoundError'
  readonly code = 'TASK_NOT_FOUND'
  readonly kind = 'not_found'

  constructor(what: string) {
    super(`There is no task with the ${what}.`, 'Check it; a task may also have been deleted.')
  }
}

/** Another worker has it. */
export class TaskAlreadyClaimedError extends TaskError {
  override readonly name = 'TaskAlreadyClaimedError'
  readonly code = 'TASK_ALREADY_CLAIMED'
  readonly kind = 'conflict'
  /** The worker that has it. */
  readonly claimedBy: string

  constructor(id: string, claimedBy: string) {
    super(`Task ${id} is claimed by worker ${shown(claimedBy)}.`, 'Skip it, or wait.')
    this.claimedBy = claimedBy
  }
}

/** Only what is claimed can be completed or failed. */
export class TaskNotClaimedError extends TaskError {
  override readonly name = 'TaskNotClaimedError'
  readonly code = 'TASK_NOT_CLAIMED'
  readonly kind = 'refused'

  constructor(id: string, { attempts, error }: Ended = { attempts: 0, error: null }) {
    if (attempts === 0) super(`Task ${id} is not claimed.`, 'Call claim() first.')
    else {
      const why = isExpiry(error) ? `. ${error}` : `: attempt ${attempts} has ended.`
      super(`Task ${id} is not claimed any more${why}`, 'Drop the work, or claim the task again.')
    }
  }
}

/** The task is done already. */
export class TaskCompletedError extends TaskError {
  override readonly name = 'TaskCompletedError'
  readonly code = 'TASK_COMPLETED'
  readonly kind = 'refused'

  constructor(id: string) {
    super(`Task ${id} is completed.`, 'There is nothing left to do.')
  }
}

/** The task has failed for good. */
export class TaskFailedError extends TaskError {
  override readonly name = 'TaskFailedError'
  readonly code = 'TASK_FAILED'
  readonly kind = 'refused'

  constructor(id: string, { error }: Pick<Ended, 'error'> = { error: null }) {
    const why = isExpiry(error) ? ` ${error}` : ''
    super(`Task ${id} has failed.${why}`, 'Look at its error; retry(id, { attempts }) allows more.')
  }
}

/** The task has changed since the state that was asked for. */
export class ChangedMeanwhileError extends TaskError {
  override readonly name = 'ChangedMeanwhileError'
  readonly code = 'CHANGED_MEANWHILE'
  readonly kind = 'conflict'
  /** As it is now. */
  readonly status: string

  constructor(id: string, status: string) {
    super(
      `Task ${id} has changed since you looked: it is ${status} now.`,
      'Look at it again, then decide.',
    )
    this.status = status
  }
}

/** No more attempts are allowed. */
export class MaxAttemptsReachedError extends TaskError {
  override readonly name = 'MaxAttemptsReachedError'
  readonly code = 'MAX_ATTEMPTS_REACHED'
  readonly kind = 'refused'

  constructor(id: string, maxAttempts: number) {
    super(
      `Task ${id} has had ${maxAttempts === 1 ? 'its only attempt' : `all of its ${maxAttempts} attempts`}.`,
      'Find out why it fails; retry(id, { attempts: n }) allows n more.',
    )
  }
}

/** What was given can never be a task, a key, a page or a number of attempts. */
export class InvalidTaskError extends TaskError {
  override readonly name = 'InvalidTaskError'
  readonly code = 'INVALID_TASK'
  readonly kind = 'invalid'
}

/** The result can't be stored, or is not what its schema asks for. */
export class InvalidResultError extends TaskError {
  override readonly name = 'InvalidResultError'
  readonly code = 'INVALID_RESULT'
  readonly kind = 'invalid'
}

/** A worker must say who it is. */
export class InvalidWorkerIdError extends TaskError {
  override readonly name = 'InvalidWorkerIdError'
  readonly code = 'INVALID_WORKER_ID'
  readonly kind = 'invalid'

  constructor(what: string) {
    super(what, 'Give each worker a name that no other has.')
  }
}

/** Whoever asks does not hold the claim (any more). */
export class WrongWorkerError extends TaskError {
  override readonly name = 'WrongWorkerError'
  readonly code = 'WRONG_WORKER'
  readonly kind = 'conflict'

  constructor(id: string, { claimedBy, attempts, error }: Ended & { claimedBy: string | null }) {
    const holder = `Task ${id} is claimed by worker ${shown(claimedBy ?? '')}, attempt ${attempts}.`
    // What its last claim ended with; who asks most likely had that one.
    if (isExpiry(error)) super(`${error} ${holder}`, 'Drop the work.')
    else
      super(
        holder,
        'Only that claim can be completed or failed: pass its claimToken, or drop the work.',
      )
  }
}

/** The manager was closed. */
export class StoreClosedError extends TaskError {
  override readonly name = 'StoreClosedError'
  readonly code = 'STORE_CLOSED'
  readonly kind = 'refused'

  constructor() {
    super('The task manager was closed.', 'Make a new one.')
  }
}

/** A task that is pending or claimed is not deleted. */
export class TaskNotTerminalError extends TaskError {
  override readonly name = 'TaskNotTerminalError'
  readonly code = 'TASK_NOT_TERMINAL'
  readonly kind = 'refused'

  constructor(id: string, status: string) {
    super(`Task ${id} is ${status}.`, 'Only completed and failed tasks can be deleted.')
  }
}

/** The id that a caller chose is taken. */
export class TaskExistsError extends TaskError {
  override readonly name = 'TaskExistsError'
  readonly code = 'TASK_EXISTS'
  readonly kind = 'conflict'

  constructor(id: string) {
    super(
      `There is a task ${id} already.`,
      'Choose another id, or none; use an idempotency key to submit the same work safely twice.',
    )
  }
}

/** What is stored under a task's id, or under its key, can't be what it should be. */
export class CorruptTaskError extends TaskError {
  override readonly name = 'CorruptTaskError'
  readonly code = 'CORRUPT_TASK'
  readonly kind = 'corrupt'
  /** The id of the task that can't be read. */
  readonly id: string

  constructor(
    id: string,
    what: string,
    {
      cause,
      next = 'Look at what is stored; delete(id) removes the task and its key.',
    }: {
      cause?: unknown
      next?: string
    } = {},
  ) {
    super(what, next)
    this.id = id
    if (cause !== undefined) this.cause = cause
  }
}
