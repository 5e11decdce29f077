import {
  cutError,
  type ErrorsOf,
  errorsOf,
  Refusal,
  row,
  shown,
  taskExists,
} from '../collection/index.ts'
import type { Task, TaskStatus } from './task.ts'

const rows = {
  TaskNotFoundError: row('TASK_NOT_FOUND', 'not_found', (id: string) => [
    `There is no task ${id}.`,
    'Check the id, and the store.',
  ]),
  WorkerNotFoundError: row('WORKER_NOT_FOUND', 'not_found', (id: string) => [
    `No worker ${shown(id)} is registered.`,
    'List the workers to see their ids.',
  ]),
  AmbiguousIdError: row(
    'AMBIGUOUS_ID',
    'ambiguous',
    (prefix: string, candidates: readonly string[], count: number) => [
      `${count} tasks have ids that start with ${prefix}.`,
      'Give more of the id.',
      { candidates, count },
    ],
  ),
  InvalidTaskError: row('INVALID_TASK', 'invalid'),
  TaskExistsError: row('TASK_EXISTS', 'conflict', taskExists),
  TransitionError: row(
    'INVALID_TRANSITION',
    'refused',
    ({ id, status }: Task, refused: string, next: string) => [
      `Task ${id} is ${status}; ${refused}`,
      next,
      { status },
    ],
  ),
  ChangedMeanwhileError: row('CHANGED_MEANWHILE', 'conflict', ({ id, status }: Task) => [
    `Task ${id} has been changed meanwhile: it is ${status} now.`,
    'Look at its state now, and decide again.',
    { status },
  ]),
  NotAvailableError: row('NOT_AVAILABLE', 'refused', ({ id, available_at }: Task) => [
    `Task ${id} can't be claimed before ${available_at}.`,
    'Wait until then.',
  ]),
  LostLeaseError: row('LOST_LEASE', 'conflict', ({ id, status, attempt }: Task) => [
    `The lease on task ${id} is lost: the task is ${status}, attempt ${attempt}.`,
    'Drop the work; whatever has the task now decides.',
  ]),
  CorruptTaskError: row('CORRUPT_TASK', 'corrupt', (id: string, what: string, cause?: unknown) => [
    what,
    'Put it right with the tool that wrote it.',
    { id, ...(cause !== undefined && { cause }) },
  ]),
}

/** What the queue refuses, and why: one code for each class. Nothing was changed. */
export abstract class QueueError extends Refusal {
  /** What was refused, for programs. */
  abstract readonly code: string
}

const errors: ErrorsOf<QueueError, typeof rows> = errorsOf(QueueError, rows)

/** There is no such task. */
export class TaskNotFoundError extends errors.TaskNotFoundError {}
/** There is no such worker. */
export class WorkerNotFoundError extends errors.WorkerNotFoundError {}
/** Several tasks have ids that start so. */
export class AmbiguousIdError extends errors.AmbiguousIdError {}
/** What was given can never be a task, an id, a filter or an option. */
export class InvalidTaskError extends errors.InvalidTaskError {}
/** The id that a caller chose is taken. */
export class TaskExistsError extends errors.TaskExistsError {}
/** The task is in a status that does not allow it. */
export class TransitionError extends errors.TransitionError {
  /** The status that does not allow it. */
  declare readonly status: TaskStatus
}
/** The task has changed since the state that was asked for. */
export class ChangedMeanwhileError extends errors.ChangedMeanwhileError {
  /** As it is now. */
  declare readonly status: TaskStatus
}
/** It may not be claimed yet. */
export class NotAvailableError extends errors.NotAvailableError {}
/** Whoever finishes it has lost it: the lease expired, and the task went on without. */
export class LostLeaseError extends errors.LostLeaseError {}
/** What is stored under the key of a task, or of its idempotency key, can't be what it should be. */
export class CorruptTaskError extends errors.CorruptTaskError {
  /** The id of the task that can't be read. */
  declare readonly id: string
}

/** Whether whoever had a task has it no more. */
export const isLoss = (error: unknown): boolean =>
  error instanceof LostLeaseError || error instanceof TaskNotFoundError

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
