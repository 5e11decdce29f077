import { LostLeaseError, NotAvailableError, TransitionError } from './error.ts'
import { backoffMs } from './retry.ts'
import { type ArchivableStatus, archivable, type Json, type Task, type TaskStatus } from './task.ts'
import { msOf, timeOf } from './time.ts'

/** Whoever finishes presents the token of the claim. */
interface Finishing {
  readonly leaseId: string
  readonly nowMs: number
}

/** What can be done to a task, and what each needs to know. Times are milliseconds by the store's clock. */
export interface Commands {
  /** `leaseMs` is for leases that are shorter than the task's timeout. */
  claim: {
    readonly workerId: string
    readonly leaseId: string
    readonly leaseMs?: number | undefined
    readonly nowMs: number
  }
  complete: Finishing & { readonly output: Json; readonly outputRef?: string | null | undefined }
  /** `random`, from 0 up to 1, spreads the next attempts of many tasks. */
  fail: Finishing & {
    readonly error: string
    readonly isPermanent?: boolean | undefined
    readonly random: number
  }
  /** Gives it back without charging a retry. */
  requeue: Finishing
  /** Ends it because its cancellation was asked for. */
  abandon: Finishing & { readonly error: string | null }
  /** The lease is to last until then, if that is later. */
  renew: { readonly leaseId: string; readonly untilMs: number }
  /** The lease, and with it the limit of the handler, is to last so much longer. */
  extend: { readonly leaseId?: string | undefined; readonly ms: number }
  /** Takes a task away from a worker that has not been heard of. */
  expire: { readonly nowMs: number; readonly random: number }
  replay: { readonly nowMs: number }
  archive: { readonly nowMs: number }
  unarchive: { readonly nowMs: number }
  cancel: { readonly nowMs: number }
}

type Rule<C> = (task: Task, command: C) => Task

const unclaimed = { lease_expires_at: null, worker_id: null, lease_id: null }

const stay = (task: Task): Task => task

type Next = Readonly<Partial<Record<TaskStatus, string>>>

/** What to do next may depend on the status; where it does not say, `byDefault` holds. */
const refuse =
  (refused: string, byDefault: string, next: Next = {}) =>
  (task: Task): never => {
    throw new TransitionError(task, refused, next[task.status] ?? byDefault)
  }

const refuseClaim = refuse('only pending tasks can be claimed.', 'Skip it.')
const refuseReplay = refuse(
  'only failed and cancelled tasks can be replayed.',
  'Wait until it has ended.',
  {
    pending: 'It is waiting for a worker already.',
    completed: 'Submit a new task to do the work again.',
    archived: 'Unarchive it first.',
  },
)
const refuseArchive = refuse(
  'only completed, failed and cancelled tasks can be archived.',
  'Wait until it has ended, or cancel it.',
)
const refuseUnarchive = refuse(
  'only archived tasks can be unarchived.',
  'Archived ones are listed with the status archived.',
)
const refuseCancel = refuse(
  'only pending and running tasks can be cancelled.',
  'It has ended already.',
)
const refuseExtend = refuse('only running tasks have a lease to extend.', 'Skip it.')
const refuseFinish = (task: Task): never => {
  throw new LostLeaseError(task)
}

const claim: Rule<Commands['claim']> = (task, { workerId, leaseId, leaseMs, nowMs }) => {
  if (nowMs < msOf(task.available_at)) throw new NotAvailableError(task)
  const timeoutMs = task.timeout_seconds * 1000
  return {
    ...task,
    status: 'running',
    lease_expires_at: timeOf(nowMs + Math.min(leaseMs ?? timeoutMs, timeoutMs)),
    updated_at: timeOf(nowMs),
    worker_id: workerId,
    lease_id: leaseId,
    attempt: task.attempt + 1,
    cancel_requested: false,
  }
}

const complete: Rule<Commands['complete']> = (task, { output, outputRef, nowMs }) => ({
  ...task,
  ...unclaimed,
  status: 'completed',
  output,
  output_ref: outputRef ?? null,
  updated_at: timeOf(nowMs),
  completed_at: timeOf(nowMs),
})

const fail: Rule<Commands['fail']> = (task, { error, isPermanent = false, nowMs, random }) => {
  const updated_at = timeOf(nowMs)
  const ended = { ...task, ...unclaimed, updated_at, last_error: error }
  if (task.cancel_requested) return { ...ended, status: 'cancelled' }
  if (isPermanent || task.retry_count >= task.max_retries) return { ...ended, status: 'failed' }
  const waitMs = backoffMs(task.retry_policy, task.retry_count, random)
  return {
    ...ended,
    status: 'pending',
    available_at: timeOf(nowMs + waitMs),
    retry_count: task.retry_count + 1,
  }
}

const requeue: Rule<Commands['requeue']> = (task, { nowMs }) => ({
  ...task,
  ...unclaimed,
  status: task.cancel_requested ? 'cancelled' : 'pending',
  available_at: task.cancel_requested ? task.available_at : timeOf(nowMs),
  updated_at: timeOf(nowMs),
})

const abandon: Rule<Commands['abandon']> = (task, { error, nowMs }) => ({
  ...task,
  ...unclaimed,
  status: 'cancelled',
  updated_at: timeOf(nowMs),
  last_error: error ?? task.last_error,
})

const renew: Rule<Commands['renew']> = (task, { untilMs }) =>
  untilMs <= expiryOf(task) ? task : { ...task, lease_expires_at: timeOf(untilMs) }

const extend: Rule<Commands['extend']> = (task, { ms }) =>
  ms <= 0 ? task : { ...task, lease_expires_at: timeOf(expiryOf(task) + ms) }

const expire: Rule<Commands['expire']> = (task, { nowMs, random }) => {
  if (!isExpired(task, nowMs)) return task
  const error = `The lease of worker ${task.worker_id ?? 'unknown'} expired at ${task.lease_expires_at}.`
  return fail(task, { leaseId: task.lease_id ?? '', error, nowMs, random })
}

const replay: Rule<Commands['replay']> = (task, { nowMs }) => ({
  ...task,
  status: 'pending',
  available_at: timeOf(nowMs),
  retry_count: 0,
  updated_at: timeOf(nowMs),
  cancel_requested: false,
})

const archive: Rule<Commands['archive']> = (task, { nowMs }) => ({
  ...task,
  status: 'archived',
  updated_at: timeOf(nowMs),
  archived_from: originOf(task.status),
})

const originOf = (status: TaskStatus): ArchivableStatus =>
  archivable.find((each) => each === status) ?? 'failed'

const unarchive: Rule<Commands['unarchive']> = (task, { nowMs }) => ({
  ...task,
  // Another tool may have archived it without saying from what: then it is failed, so that it can be replayed.
  status: task.archived_from ?? 'failed',
  updated_at: timeOf(nowMs),
  archived_from: null,
})

const cancelPending: Rule<Commands['cancel']> = (task, { nowMs }) => ({
  ...task,
  status: 'cancelled',
  updated_at: timeOf(nowMs),
})

const askToStop: Rule<Commands['cancel']> = (task, { nowMs }) =>
  task.cancel_requested ? task : { ...task, cancel_requested: true, updated_at: timeOf(nowMs) }

/** A rule for each status; those that are not named have the same one. */
const inEach = <C>(
  otherwise: Rule<C>,
  named: Partial<Record<TaskStatus, Rule<C>>>,
): Readonly<Record<TaskStatus, Rule<C>>> => ({
  pending: otherwise,
  running: otherwise,
  completed: otherwise,
  failed: otherwise,
  archived: otherwise,
  cancelled: otherwise,
  ...named,
})

/**
 * The state machine: what each command makes of a task in each status. A rule gives the next state, the very same
 * object where nothing changes, or throws why not.
 *
 *   pending → running → completed
 *      ↑         ├──→ pending (failed with retries left, expired, given back)
 *      │         ├──→ failed ──→ pending (replay)
 *      │         └──→ cancelled
 *      ├──→ cancelled ──→ pending (replay)
 *                                completed, failed, cancelled ⇄ archived
 */
const rules: { readonly [K in keyof Commands]: Readonly<Record<TaskStatus, Rule<Commands[K]>>> } = {
  claim: inEach(refuseClaim, { pending: claim }),
  complete: inEach(refuseFinish, { running: complete }),
  fail: inEach(refuseFinish, { running: fail }),
  requeue: inEach(refuseFinish, { running: requeue }),
  abandon: inEach(refuseFinish, { running: abandon }),
  renew: inEach(refuseFinish, { running: renew }),
  extend: inEach(refuseExtend, { running: extend }),
  expire: inEach(stay, { running: expire }),
  replay: inEach(refuseReplay, { failed: replay, cancelled: replay }),
  archive: inEach(refuseArchive, {
    completed: archive,
    failed: archive,
    cancelled: archive,
    archived: stay,
  }),
  unarchive: inEach(refuseUnarchive, { archived: unarchive }),
  cancel: inEach(refuseCancel, { pending: cancelPending, running: askToStop, cancelled: stay }),
}

/** What a command makes of a task. The lease is compared before the status: a lost one says so, whatever else holds. */
export function apply<K extends keyof Commands>(name: K, task: Task, command: Commands[K]): Task {
  if (name !== 'claim') {
    const { leaseId } = command as { leaseId?: string | undefined }
    if (leaseId !== undefined && leaseId !== task.lease_id) throw new LostLeaseError(task)
  }
  return rules[name][task.status](task, command)
}

const expiryOf = ({ lease_expires_at }: Task): number =>
  lease_expires_at === null ? 0 : msOf(lease_expires_at)

/** A running task without a lease, as another tool may leave one, belongs to nobody. */
export const isExpired = (task: Task, nowMs: number): boolean =>
  task.status === 'running' && nowMs > expiryOf(task)
