import { cutError, Refusal, shown } from '../collection/index.ts'
import type { Task, TaskStatus } from './task.ts'

/** What the queue refuses, and why: one code for each class. Nothing was changed. */
export abstract class QueueError extends Refusal {
  /** What was refused, for programs. */
  abstract readonly code: string
}

/** There is no such task. */
export class TaskNotFoundError extends QueueError {
  override readonly name = 'TaskNotFoundError'
  readonly code = 'TASK_NOT_FOUND'
  readonly kind = 'not_found'

  constructor(id: string) {
    super(`There is no task ${id}.`, 'Check the id, and the store.')
  }
}

/** There is no such worker. */
export class WorkerNotFoundError extends QueueError {
  override readonly name = 'WorkerNotFoundError'
  readonly code = 'WORKER_NOT_FOUND'
  readonly kind = 'not_found'

  constructor(id: string) {
    super(`No worker ${shown(id)} is registered.`, 'List the workers to see their ids.')
  }
}

/** Several tasks have ids that start so. */
export class AmbiguousIdError extends QueueError {
  override readonly name = 'AmbiguousIdError'
  readonly code = 'AMBIGUOUS_ID'
  readonly kind = 'ambiguous'
  override readonly candidates: readonly string[]
  override readonly count: number

  constructor(prefix: string, candidates: readonly string[], count: number) {
    super(`${count} tasks have ids that start with ${prefix}.`, 'Give more of the id.')
    this.candidates = candidates
    this.count = count
  }
}

/** What was given can never be a task, an id, a filter or an option. */
export class InvalidTaskError extends QueueError {
  override readonly name = 'InvalidTaskError'
  readonly code = 'INVALID_TASK'
  readonly kind = 'invalid'
}

/** The id that a caller chose is taken. */
export class TaskExistsError extends QueueError {
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

/** The task is in a status that does not allow it. */
export class TransitionError extends QueueError {
  override readonly name = 'TransitionError'
  readonly code = 'INVALID_TRANSITION'
  readonly kind = 'refused'
  /** The status that does not allow it. */
  readonly status: TaskStatus

  constructor({ id, status }: Task, refused: string, next: string) {
    super(`Task ${id} is ${status}; ${refused}`, next)
    this.status = status
  }
}

/** The task has changed since the state that was asked for. */
export class ChangedMeanwhileError extends QueueError {
  override readonly name = 'ChangedMeanwhileError'
  readonly code = 'CHANGED_MEANWHILE'
  readonly kind = 'conflict'
  /** As it is now. */
  readonly status: TaskStatus

  constructor({ id, status }: Task) {
    super(
      `Task ${id} has been changed meanwhile: it is ${status} now.`,
      'Look at its state now, and decide again.',
    )
    this.status = status
  }
}

/** It may not be claimed yet. */
export class NotAvailableError extends QueueError {
  override readonly name = 'NotAvailableError'
  readonly code = 'NOT_AVAILABLE'
  readonly kind = 'refused'

  constructor({ id, available_at }: Task) {
    super(`Task ${id} can't be claimed before ${available_at}.`, 'Wait until then.')
  }
}

/** Whoever finishes it has lost it: the lease expired, and the task went on without. */
export class LostLeaseError extends QueueError {
  override readonly name = 'LostLeaseError'
  readonly code = 'LOST_LEASE'
  readonly kind = 'conflict'

  constructor({ id, status, attempt }: Task) {
    super(
      `The lease on task ${id} is lost: the task is ${status}, attempt ${attempt}.`,
      'Drop the work; whatever has the task now decides.',
    )
  }
}

/** Whether whoever had a task has it no more. */
export const isLoss = (error: unknown): boolean =>
  error instanceof LostLeaseError || error instanceof TaskNotFoundError

/** What is stored under the key of a task, or of its idempotency key, can't be what it should be. */
export class CorruptTaskError extends QueueError {
  override readonly name = 'CorruptTaskError'
  readonly code = 'CORRUPT_TASK'
  readonly kind = 'corrupt'
  /** The id of the task that can't be read. */
  readonly id: string

  constructor(id: string, what: string, cause?: unknown) {
    super(what, 'Put it right with the tool that wrote it.')
    this.id = id
    if (cause !== undefined) this.cause = cause
  }
}

/** Thrown by a handler: another attempt would not help. */
export class PermanentError extends Error {
  override readonly name = 'PermanentError'
}

/** What a failure is stored as: its message, cut where it is too long. Handlers may throw anything. */
export const errorText = (error: unknown): string => cutError(wordsOf(error))

function wordsOf(error: unknown): string {
  try {
    if (error instanceof Error) return (error.message || error.name).toWellFormed()
    if (typeof error === 'object' && error !== null) return JSON.stringify(error).toWellFormed()
    return String(error).toWellFormed()
  } catch {
    return 'The handler threw something that can not be shown.'
  }
}
