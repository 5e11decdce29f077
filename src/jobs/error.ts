import { Refusal, shown } from '../collection/index.ts'

/** What a {@link TaskManager} refuses, and why: one code for each class. Nothing was changed. */
export abstract class TaskError extends Refusal {
  /** What was refused, for programs. */
  abstract readonly code: string
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

  constructor(id: string) {
    super(`Task ${id} is not claimed.`, 'Call claim() first.')
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

  constructor(id: string) {
    super(`Task ${id} has failed.`, 'Look at its error; retry(id, { attempts }) allows more.')
  }
}

/** No more attempts are allowed. */
export class MaxAttemptsReachedError extends TaskError {
  override readonly name = 'MaxAttemptsReachedError'
  readonly code = 'MAX_ATTEMPTS_REACHED'
  readonly kind = 'refused'

  constructor(id: string, maxAttempts: number) {
    super(
      `Task ${id} has had all of its ${maxAttempts} attempts.`,
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

  constructor(id: string, claim: { claimedBy: string | null; attempts: number }) {
    super(
      `Task ${id} is claimed by worker ${shown(claim.claimedBy ?? '')}, attempt ${claim.attempts}.`,
      'Only that claim can be completed or failed; drop the work.',
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
