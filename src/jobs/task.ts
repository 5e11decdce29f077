import { type Codec, jsonCodec } from '../collection/index.ts'

/** Every status that a task can have. */
export const statuses = ['pending', 'claimed', 'completed', 'failed'] as const

/** Waiting to be claimed, being worked on, successfully finished, permanently failed. */
export type TaskStatus = (typeof statuses)[number]

/** A task as its users see it; `P` and `R` are bytes, or what the schemas say. */
export interface Task<P = Uint8Array, R = Uint8Array> {
  /** What it is called by. */
  readonly id: string
  /** The key under which it was submitted, if any. */
  readonly idempotencyKey: string | null
  /** What the worker is to work on. */
  readonly payload: P
  /** Where it is between its submission and its end. */
  readonly status: TaskStatus
  /** How many times it was claimed. */
  readonly attempts: number
  /** How many times it may be; 0 is without limit. */
  readonly maxAttempts: number
  /** When it was submitted, by the store's clock. */
  readonly createdAt: Date
  /** When, and by which worker, it was claimed; null unless it is claimed or completed. */
  readonly claimedAt: Date | null
  /** The worker of its last claim; null unless it is claimed or completed. */
  readonly claimedBy: string | null
  /** Names its present claim, and no other one ever; null unless it is claimed. */
  readonly claimToken: string | null
  /** When it was completed, or failed for good. */
  readonly completedAt: Date | null
  /** What the worker made of it; null until it is completed. */
  readonly result: R | null
  /** Why the last attempt failed; null once one succeeds. */
  readonly error: string | null
}

/** The same as it is stored: JSON, with bytes as base64 and times as RFC 3339. */
export interface StoredTask {
  readonly id: string
  readonly idempotencyKey: string | null
  readonly payload: string
  readonly status: TaskStatus
  readonly attempts: number
  readonly maxAttempts: number
  readonly createdAt: string
  readonly claimedAt: string | null
  readonly claimedBy: string | null
  readonly completedAt: string | null
  readonly result: string | null
  readonly error: string | null
  /** Set while it is claimed: what one claim has and no other, not even by a worker of the same name at the same time. */
  readonly claimToken?: string | undefined
  /** Set while it is deleted on a store without transactions: nobody claims or retries it any more. */
  readonly isDeleting?: true
}

/** What a task says whose claim expired, and whether it does. */
export const expiry = (workerId: string | null, ttlMs: number): string =>
  `The claim of worker ${workerId} expired after ${ttlMs} ms.`
export const isExpiry = (error: string | null): error is string =>
  error !== null && /^The claim of worker .* expired after \S+ ms\.$/s.test(error)

export const isTerminal = ({ status }: StoredTask): boolean =>
  status === 'completed' || status === 'failed'

/** A task that nobody has claimed yet. */
export const newTask = (
  given: Pick<StoredTask, 'id' | 'idempotencyKey' | 'payload' | 'maxAttempts' | 'createdAt'>,
): StoredTask => ({
  id: given.id,
  idempotencyKey: given.idempotencyKey,
  payload: given.payload,
  status: 'pending',
  attempts: 0,
  maxAttempts: given.maxAttempts,
  createdAt: given.createdAt,
  claimedAt: null,
  claimedBy: null,
  completedAt: null,
  result: null,
  error: null,
})

/** Times lie in index keys as so many digits, which last until the year 9999, as RFC 3339 does. */
const timeMsMax = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

export const isTimeMs = (ms: number): boolean => Number.isInteger(ms) && ms >= 0 && ms <= timeMsMax

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

const isTime = (value: unknown): boolean =>
  typeof value === 'string' && rfc3339.test(value) && isTimeMs(Date.parse(value))
const isText = (value: unknown): value is string => typeof value === 'string'
const isName = (value: unknown): boolean => isText(value) && value !== ''
const isBytes = (value: unknown): boolean => isText(value) && base64.test(value)
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0
const orNull = (is: (value: unknown) => boolean) => (value: unknown) => value === null || is(value)

/** What each field must be, and its name for who reads that it is not. */
const fields: Readonly<Record<keyof StoredTask, (value: unknown) => boolean>> = {
  id: isName,
  idempotencyKey: orNull(isName),
  payload: isBytes,
  status: (value) => (statuses as readonly unknown[]).includes(value),
  attempts: isCount,
  maxAttempts: isCount,
  createdAt: isTime,
  claimedAt: orNull(isTime),
  claimedBy: orNull(isName),
  completedAt: orNull(isTime),
  result: orNull(isBytes),
  error: orNull(isText),
  claimToken: (value) => value === undefined || isText(value),
  isDeleting: (value) => value === undefined || value === true,
}

/** What another program may leave out. */
const absent = {
  idempotencyKey: null,
  maxAttempts: 0,
  claimedAt: null,
  claimedBy: null,
  completedAt: null,
  result: null,
  error: null,
}

/** Fields that another program added are kept. `checkContent` throws where payload or result are no content. */
export const taskCodec = (checkContent?: (task: StoredTask) => void): Codec<StoredTask> =>
  jsonCodec<StoredTask>((parsed, id) => {
    if (typeof parsed !== 'object' || parsed === null) throw new Error('it is no JSON object')
    const task = { ...absent, ...parsed } as StoredTask
    for (const [name, is] of Object.entries(fields))
      if (!is(task[name as keyof StoredTask])) throw new Error(`its ${name} is not possible`)
    if (task.id !== id) throw new Error('its id is not that of its key')
    if (task.status === 'claimed' && (task.claimedAt === null || task.claimedBy === null))
      throw new Error('it is claimed, but not by whom and when')
    checkContent?.(task)
    return task
  })
