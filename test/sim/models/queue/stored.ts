import type { RetryPolicy } from '../../../../src/queue/index.ts'
import { tagIn, tagOf } from '../../../../src/queue/type-tag.ts'

/** A task as it is stored: the fields of the specification, and nothing beside them. */
export interface Stored {
  readonly id: string
  readonly task_type: string
  readonly status: Status
  readonly available_at: string
  readonly lease_expires_at: string | null
  readonly input: { readonly mark?: string } | null
  readonly output: { readonly by?: string } | null
  readonly timeout_seconds: number
  readonly max_retries: number
  readonly retry_count: number
  readonly retry_policy: RetryPolicy
  readonly created_at: string
  readonly updated_at: string
  readonly completed_at: string | null
  readonly worker_id: string | null
  readonly lease_id: string | null
  readonly attempt: number
  readonly last_error: string | null
  readonly idempotency_key: string | null
  readonly cancel_requested: boolean
  readonly archived_from: Status | null
}

export type Status = 'pending' | 'running' | 'completed' | 'failed' | 'archived' | 'cancelled'

export const statuses: readonly Status[] = [
  'pending',
  'running',
  'completed',
  'failed',
  'archived',
  'cancelled',
]

const fields = [
  'status',
  'available_at',
  'output',
  'timeout_seconds',
  'max_retries',
  'retry_count',
  'updated_at',
  'completed_at',
  'worker_id',
  'lease_id',
  'attempt',
  'last_error',
  'cancel_requested',
  'archived_from',
] as const satisfies readonly (keyof Stored)[]

/** All that tells one state of a task from another: a lease that is only renewed does not. */
export const likenessOf = (task: Stored): string =>
  JSON.stringify(fields.map((name) => task[name] ?? null))

export const taskPrefix = 'qo/tasks/'
const readyPrefix = 'qo/ready/'
export const leasesPrefix = 'qo/leases/'
const strayPrefix = 'qo/holdfast/strays/'
export const workersPrefix = 'qo/workers/'

const textOf = (value: Uint8Array): string => new TextDecoder().decode(value)

export const decoded = (value: Uint8Array): Stored => JSON.parse(textOf(value)) as Stored

export const taskIdOf = (key: string): string =>
  key.slice(`${taskPrefix}x/`.length, -'.json'.length)

/** An entry lies by the minute since the epoch, in ten digits. */
const placeOf = (id: string, time: string): string =>
  `${id.charAt(0)}/${String(Math.floor(Date.parse(time) / 60_000)).padStart(10, '0')}/${id}`

/** The entries that the state of a task asks for; none where it is in no index. */
export function entriesOf(task: Stored): string[] {
  const { id, task_type, status, available_at, lease_expires_at } = task
  if (status === 'running' && lease_expires_at)
    return [leasesPrefix + placeOf(id, lease_expires_at)]
  if (status !== 'pending') return []
  const place = placeOf(id, available_at)
  const isByType = task.updated_at !== task.created_at || tagIn(id) !== tagOf(task_type)
  return isByType
    ? [readyPrefix + place, `${strayPrefix}${tagOf(task_type)}${place.slice(1)}`]
    : [readyPrefix + place]
}

export const isEntry = (key: string): boolean =>
  [readyPrefix, leasesPrefix, strayPrefix].some((prefix) => key.startsWith(prefix))

export const idOfEntry = (key: string): string => key.slice(key.lastIndexOf('/') + 1)
