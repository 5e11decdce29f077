import { inspect } from 'node:util'
import { checkedFields, cutError, shown } from '../collection/index.ts'
import type { Content } from './content.ts'
import { InvalidTaskError, InvalidWorkerIdError } from './error.ts'
import { isId, isPlace, segmentBytesMax } from './keys.ts'
import { type Fields, fields } from './options.ts'
import { statuses, type TaskStatus } from './task.ts'

/** What a caller submits. */
export interface Submission<P = Uint8Array> {
  /** What the worker gets: bytes, or what the manager's payload schema takes. At most 256 KiB. */
  readonly payload: P
  /** The same key is the same task, however often it is submitted. Without one every submission is a new task. */
  readonly idempotencyKey?: string | null | undefined
  /** How many times it may be claimed; 0, the default, is without limit. */
  readonly maxAttempts?: number | undefined
  /** Made for you where it is left out. */
  readonly id?: string | undefined
}

/** A submission that can be stored. */
interface Checked {
  readonly id: string | null
  readonly idempotencyKey: string | null
  readonly maxAttempts: number
  readonly payload: string
}

/** Which part of a long list to give. */
export interface Page {
  /** 1 to 1000; 100 where it is left out. */
  readonly limit?: number | undefined
  /** Of the page before; null or left out for the first one. */
  readonly cursor?: string | null | undefined
}

/**
 * As JSON, in which it is stored: beside the largest payload and result and all else that a task may hold, it fits into
 * a value of any store.
 */
const keyBytesMax = 262_144
const workerIdBytesMax = 4096
const pageTasksDefault = 100
const pageTasksMax = 1000

/** Throws {@link InvalidTaskError}. */
export async function checkSubmission(
  given: Submission<unknown>,
  payload: Content<unknown>,
): Promise<Checked> {
  checkedFields(given, { noun: 'The submission', known: Object.keys(fields.submission) }, invalid)
  const { id, idempotencyKey, maxAttempts = 0 } = given
  if (id !== undefined && !isId(id))
    throw invalid(
      `Not possible as the id of a task: ${shown(String(id))}.`,
      `Give some text of at most ${segmentBytesMax} bytes, or leave it out.`,
    )
  if (!Number.isSafeInteger(maxAttempts) || maxAttempts < 0)
    throw invalid(
      `maxAttempts is ${shown(String(maxAttempts))}.`,
      'Give a whole number; 0 is without limit.',
    )
  const missing = 'Include it; empty bytes are fine.'
  if (given.payload === undefined) throw invalid('The payload is missing.', missing)
  const encoded = await payload.encode(given.payload)
  if (encoded === null) throw invalid('The payload is missing.', missing)
  const hasKey = idempotencyKey !== undefined && idempotencyKey !== null
  return {
    id: id ?? null,
    idempotencyKey: hasKey ? checkKey(idempotencyKey) : null,
    maxAttempts,
    payload: encoded,
  }
}

/** Throws {@link InvalidTaskError}. */
export function checkKey(key: string): string {
  if (typeof key !== 'string' || key === '')
    throw invalid('The idempotency key is empty, or no text.', 'Name the work that it is for.')
  const bytes = Buffer.byteLength(JSON.stringify(key)) - '""'.length
  if (bytes > keyBytesMax)
    throw invalid(
      `The idempotency key has ${bytes} bytes as JSON; the limit is 256 KiB (${keyBytesMax} bytes).`,
      'Use a hash of it.',
    )
  return key
}

/** The options of a method; unknown ones are most likely misspelled. Throws {@link InvalidTaskError}. */
export const checkOptions = <T extends object>(
  given: T | undefined,
  known: Fields<T>,
): Partial<T> =>
  checkedFields(
    given === undefined ? {} : given,
    { noun: 'The object of options', known: Object.keys(known) },
    invalid,
  )

/** Throws {@link InvalidWorkerIdError}. */
export function checkWorkerId(workerId: string): string {
  if (typeof workerId !== 'string') throw new InvalidWorkerIdError('The worker id is no text.')
  if (workerId === '') throw new InvalidWorkerIdError('The worker id is empty.')
  const bytes = Buffer.byteLength(workerId)
  if (bytes <= workerIdBytesMax) return workerId
  throw new InvalidWorkerIdError(
    `The worker id has ${bytes} bytes; the limit is ${workerIdBytesMax}.`,
  )
}

/** Throws {@link InvalidTaskError}. */
export function checkStatus(status: TaskStatus | null | undefined): TaskStatus | null {
  if (status === undefined || status === null) return null
  if (statuses.includes(status)) return status
  throw invalid(`There is no status ${shown(String(status))}.`, `Use ${statuses.join(', ')}.`)
}

/** Throws {@link InvalidTaskError}. */
export function checkLimit(limit: number = pageTasksDefault): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= pageTasksMax) return limit
  throw invalid(`A page of ${shown(String(limit))} tasks.`, `Give 1 to ${pageTasksMax}.`)
}

/** Where a page begins. Throws {@link InvalidTaskError}. */
export function checkCursor(cursor: string | null | undefined): string | null {
  if (cursor === undefined || cursor === null) return null
  if (typeof cursor === 'string' && isPlace(cursor)) return cursor
  throw invalid(`Not a cursor: ${shown(String(cursor))}.`, 'Give that of the page before.')
}

/** How many more attempts a retry allows. Throws {@link InvalidTaskError}. */
export function checkMoreAttempts(attempts: number = 0): number {
  if (Number.isSafeInteger(attempts) && attempts >= 0) return attempts
  throw invalid(`${shown(String(attempts))} more attempts.`, 'Give a whole number.')
}

/** What a failure is stored as: its message, cut where it is too long. Whatever was thrown, this does not fail. */
export const errorText = (error: unknown): string => cutError(messageOf(error))

/** Anything can be thrown: what has no message is shown as the console would. */
function messageOf(error: unknown): string {
  if (error === undefined || error === null) return ''
  if (typeof error !== 'object') return String(error)
  try {
    const { message, name } = error as Partial<Error>
    if (typeof message === 'string' && (message !== '' || typeof name === 'string'))
      return message || String(name)
    return inspect(error)
  } catch {
    return 'What was thrown can not be shown.'
  }
}

const invalid = (what: string, next: string): InvalidTaskError => new InvalidTaskError(what, next)
