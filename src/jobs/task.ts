import { type Codec, jsonCodec } from '../collection/index.ts'
import { documentIn } from '../schema/index.ts'
import { type statuses, type TaskFields, taskFields } from './fields.ts'

export { isTimeMs, statuses } from './fields.ts'

/** Waiting to be claimed, being worked on, successfully finished, permanently failed. */
export type TaskStatus = (typeof statuses)[number]

/** Times are dates in the library. */
type Dated<T> = {
  readonly [Name in keyof T]: Name extends `${string}At`
    ? Date | (null extends T[Name] ? null : never)
    : T[Name]
}

/** A task as its users see it; `P` and `R` are bytes, or what the schemas say. */
export interface Task<P = Uint8Array, R = Uint8Array>
  extends Omit<Dated<TaskFields>, 'payload' | 'result'> {
  /** What the worker is to work on. */
  readonly payload: P
  /** What the worker made of it; null until it is completed. */
  readonly result: R | null
}

/** The same as it is stored: JSON, with bytes as base64 and times as RFC 3339. */
export interface StoredTask extends Omit<TaskFields, 'claimToken'> {
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

/** Fields that another program added are kept. `checkContent` throws where payload or result are no content. */
export const taskCodec = (checkContent?: (task: StoredTask) => void): Codec<StoredTask> =>
  jsonCodec<StoredTask>((parsed, id) => {
    const task = documentIn(taskFields, parsed) as StoredTask & { readonly isDeleting?: unknown }
    if (task.isDeleting !== undefined && task.isDeleting !== true)
      throw new Error('its isDeleting is not possible')
    if (task.id !== id) throw new Error('its id is not that of its key')
    if (task.status === 'claimed' && (task.claimedAt === null || task.claimedBy === null))
      throw new Error('it is claimed, but not by whom and when')
    checkContent?.(task)
    return task
  })
