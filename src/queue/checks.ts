import { encodeText, shown } from '../collection/index.ts'
import { InvalidTaskError } from './error.ts'
import { retriesDefault, type TaskDocument, timeoutSecondsDefault } from './fields.ts'
import { checkId } from './id.ts'
import { type RetryPolicy, retryPolicyDefault } from './retry.ts'
import { statuses, type TaskStatus } from './task.ts'
import type { SubmittableType } from './task-type.ts'
import { isTimeMs, parseTime } from './time.ts'

/** What a caller submits. */
export interface Submission<I = unknown> {
  /** The name of a type, or a typed one. */
  readonly type: string | SubmittableType<I>
  /** Anything that JSON can hold; null where it is left out. */
  readonly input?: I | undefined
  /** The same key is the same task, however often it is submitted. */
  readonly idempotencyKey?: string | null | undefined
  /** The limit for one attempt, from 1 s to 7 days; 5 minutes where it is left out. */
  readonly timeoutMs?: number | undefined
  /** How often it is tried again; 3 times where it is left out. */
  readonly maxRetries?: number | undefined
  /** How long to wait between attempts; what is left out is as {@link retryPolicyDefault} says. */
  readonly retryPolicy?: Partial<RetryPolicy> | undefined
  /** When it can be claimed, at the earliest: RFC 3339, a date, or milliseconds since the epoch. */
  readonly availableAt?: string | Date | number | undefined
  /** Or so long after its submission. */
  readonly delayMs?: number | undefined
  /** A UUID; made for you where it is left out. */
  readonly id?: string | undefined
}

/** A submission that can be stored, but for its input. */
export interface Checked {
  readonly id: string | null
  /** What it says of the task, as the task has it. */
  readonly given: Pick<
    TaskDocument,
    'task_type' | 'idempotency_key' | 'timeout_seconds' | 'max_retries' | 'retry_policy'
  >
  /** Null for at once. */
  readonly availableMs: number | null
  readonly delayMs: number
}

const typeCharactersMax = 200
const keyBytesMax = 4096
const workerIdBytesMax = 200
const timeoutMsMin = 1_000
const timeoutMsMax = 7 * 86_400_000
const delayMsMax = 100 * 365 * 86_400_000
const retriesMax = 1_000_000
const pageTasksDefault = 50
const pageTasksMax = 1000

/** Works in browsers, too. */
const bytesOf = (text: string): number => encodeText(text).byteLength

const invalid = (what: string, next: string): InvalidTaskError => new InvalidTaskError(what, next)

/** Throws {@link InvalidTaskError}. */
export function checkSubmission(given: Submission): Checked {
  if (typeof given !== 'object' || given === null)
    throw invalid('What was submitted is no task.', 'Give an object with a type and an input.')
  const { type, id, idempotencyKey, timeoutMs, maxRetries, retryPolicy } = given
  return {
    id: id === undefined ? null : checkId(id),
    given: {
      task_type: checkType(typeof type === 'object' && type !== null ? type.name : type),
      idempotency_key:
        idempotencyKey === undefined || idempotencyKey === null ? null : checkKey(idempotencyKey),
      timeout_seconds: timeoutMs === undefined ? timeoutSecondsDefault : checkTimeout(timeoutMs),
      max_retries: maxRetries === undefined ? retriesDefault : checkRetries(maxRetries),
      retry_policy: retryPolicy === undefined ? retryPolicyDefault : checkPolicy(retryPolicy),
    },
    ...checkStart(given),
  }
}

/** Throws {@link InvalidTaskError}. */
export function checkType(type: unknown): string {
  const isFine =
    typeof type === 'string' &&
    type !== '' &&
    type === type.trim() &&
    type.length <= typeCharactersMax &&
    type.isWellFormed() &&
    !/\p{Cc}/u.test(type)
  if (isFine) return type
  throw invalid(
    type === undefined || type === ''
      ? 'The type of the task is missing.'
      : `Not possible as a type of tasks: ${shown(type)}.`,
    `Give 1 to ${typeCharactersMax} characters without control characters, such as send_email.`,
  )
}

/** Throws {@link InvalidTaskError}. */
function checkKey(key: unknown): string {
  if (typeof key !== 'string' || key === '')
    throw invalid('The idempotency key is empty, or no text.', 'Name the work that it is for.')
  const bytes = bytesOf(key)
  if (bytes <= keyBytesMax) return key
  throw invalid(
    `The idempotency key has ${bytes} bytes; the limit is 4 KiB (${keyBytesMax} bytes).`,
    'Use a hash of it.',
  )
}

function checkTimeout(timeoutMs: number): number {
  if (typeof timeoutMs === 'number' && timeoutMs >= timeoutMsMin && timeoutMs <= timeoutMsMax)
    return Math.ceil(timeoutMs / 1000)
  throw invalid(`A timeout of ${shown(timeoutMs)} ms is not possible.`, 'Give 1 second to 7 days.')
}

function checkRetries(retries: number): number {
  if (Number.isSafeInteger(retries) && retries >= 0 && retries <= retriesMax) return retries
  throw invalid(
    `${shown(retries)} retries are not possible.`,
    `Give a whole number from 0 to ${retriesMax}.`,
  )
}

function checkPolicy(given: Partial<RetryPolicy>): RetryPolicy {
  const policy = { ...retryPolicyDefault, ...given }
  const { initial_interval_ms, max_interval_ms, multiplier, jitter_percent } = policy
  const isFine =
    [initial_interval_ms, max_interval_ms].every(
      (ms) => Number.isFinite(ms) && ms >= 0 && ms <= delayMsMax,
    ) &&
    Number.isFinite(multiplier) &&
    multiplier >= 1 &&
    jitter_percent >= 0 &&
    jitter_percent <= 1
  if (isFine) return policy
  throw invalid(
    `The retry policy ${shown(JSON.stringify(given))} is not possible.`,
    'Give intervals from 0 on, a multiplier from 1 on, and a jitter from 0 to 1.',
  )
}

function checkStart({
  availableAt,
  delayMs = 0,
}: Submission): Pick<Checked, 'availableMs' | 'delayMs'> {
  if (!(typeof delayMs === 'number' && delayMs >= 0 && delayMs <= delayMsMax))
    throw invalid(`A delay of ${shown(delayMs)} ms is not possible.`, 'Give a number from 0 on.')
  if (availableAt === undefined) return { availableMs: null, delayMs: Math.ceil(delayMs) }
  if (delayMs > 0)
    throw invalid('There is a time and a delay.', 'Give one of availableAt and delayMs.')
  const ms =
    typeof availableAt === 'string' ? (parseTime(availableAt) ?? Number.NaN) : Number(availableAt)
  if (isTimeMs(ms)) return { availableMs: Math.ceil(ms), delayMs: 0 }
  throw invalid(
    `Not a time: ${shown(availableAt)}.`,
    'Give RFC 3339 with an offset, such as 2027-01-31T08:00:00Z.',
  )
}

/** Throws {@link InvalidTaskError}. */
export function checkWorkerId(workerId: unknown): string {
  const isFine =
    typeof workerId === 'string' &&
    workerId !== '' &&
    workerId.isWellFormed() &&
    !/\p{Cc}/u.test(workerId) &&
    bytesOf(workerId) <= workerIdBytesMax
  if (isFine) return workerId
  throw invalid(
    `Not possible as the id of a worker: ${shown(workerId)}.`,
    `Give 1 to ${workerIdBytesMax} bytes without control characters.`,
  )
}

/** Throws {@link InvalidTaskError}. */
export function checkStatus(status: unknown): TaskStatus {
  if ((statuses as readonly unknown[]).includes(status)) return status as TaskStatus
  throw invalid(`There is no status ${shown(status)}.`, `Use ${statuses.join(', ')}.`)
}

/** Throws {@link InvalidTaskError}. */
export function checkShard(shard: unknown): string {
  const digit = typeof shard === 'string' ? shard.toLowerCase() : ''
  if (/^[0-9a-f]$/.test(digit)) return digit
  throw invalid(`There is no shard ${shown(shard)}.`, 'Shards are hex digits, 0 to f.')
}

/** Throws {@link InvalidTaskError}. */
export function checkLimit(limit: number = pageTasksDefault): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= pageTasksMax) return limit
  throw invalid(`A page of ${shown(limit)} tasks.`, `Give 1 to ${pageTasksMax}.`)
}

/** A whole number within bounds, for options. Throws {@link InvalidTaskError}. */
export function checkNumber(name: string, value: number, min: number, max: number): number {
  if (Number.isFinite(value) && value >= min && value <= max) return value
  throw invalid(`${name} is ${shown(value)}.`, `Give ${min} to ${max}.`)
}
