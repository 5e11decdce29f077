import { shown } from '../collection/index.ts'
import {
  MaxAttemptsReachedError,
  TaskAlreadyClaimedError,
  TaskCompletedError,
  TaskFailedError,
  TaskNotClaimedError,
  TaskNotFoundError,
  TaskNotTerminalError,
  WrongWorkerError,
} from './error.ts'
import { expiry, type StoredTask, type TaskStatus } from './task.ts'

/** Who completes or fails; what is given must be the claim's. */
export interface Claimant {
  readonly workerId?: string | undefined
  /** The `attempts` of the claimed task: it tells a claim from a later one by a worker of the same name. */
  readonly attempt?: number | undefined
  /** The `claimToken` of the claimed task: no other claim ever has it, not even after the id was deleted and reused. */
  readonly claimToken?: string | null | undefined
}

/** What can be done to a task, and what each needs to know. Times are RFC 3339. */
interface Commands {
  /** The token tells this claim from any other, where its answer is lost. */
  claim: { readonly workerId: string; readonly token: string; readonly now: string }
  complete: Claimant & { readonly result: string | null; readonly now: string }
  fail: Claimant & { readonly error: string; readonly now: string }
  /** `attempts` more are allowed. */
  retry: { readonly attempts: number }
  /** Takes a claim away that is as old as `ttlMs`. */
  release: { readonly ttlMs: number; readonly now: string }
  /** Refuses what must not be deleted. What is deleted in steps is kept from being claimed or retried meanwhile. */
  delete: {
    /** Whoever deletes it can't read it: then it may be deleted while it is pending. */
    readonly isUnreadable?: boolean
  }
}

type Rule<C> = (task: StoredTask, command: C) => StoredTask

const unclaimed = { claimedAt: null, claimedBy: null, claimToken: undefined }

const hasAttemptsLeft = ({ attempts, maxAttempts }: StoredTask): boolean =>
  maxAttempts === 0 || attempts < maxAttempts

const stay = (task: StoredTask): StoredTask => task

const refuse =
  (error: (task: StoredTask) => Error) =>
  (task: StoredTask): never => {
    throw error(task)
  }
const refuseUnclaimed = refuse((task) => new TaskNotClaimedError(task.id, task))
const refuseCompleted = refuse(({ id }) => new TaskCompletedError(id))
const refuseFailed = refuse((task) => new TaskFailedError(task.id, task))

const begin: Rule<Commands['claim']> = (task, { workerId, token, now }) => {
  if (task.isDeleting) throw new TaskNotFoundError(`id ${shown(task.id)}`)
  if (!hasAttemptsLeft(task)) throw new MaxAttemptsReachedError(task.id, task.maxAttempts)
  const attempts = task.attempts + 1
  const claim = { claimedAt: now, claimedBy: workerId, claimToken: token }
  return { ...task, ...claim, status: 'claimed', attempts }
}

/** One's own claim is stamped again: only who was not given it yet asks with its token. */
const sameWorkerOnly: Rule<Commands['claim']> = (task, { workerId, token, now }) => {
  if (task.claimToken === token) return { ...task, claimedAt: now }
  if (task.claimedBy === workerId) return task
  throw new TaskAlreadyClaimedError(task.id, task.claimedBy ?? '')
}

function checkClaimant(task: StoredTask, { workerId, attempt, claimToken }: Claimant): void {
  const isWorker = workerId === undefined || workerId === task.claimedBy
  const isAttempt = attempt === undefined || attempt === task.attempts
  const isClaim = claimToken === undefined || claimToken === (task.claimToken ?? null)
  if (!isWorker || !isAttempt || !isClaim) throw new WrongWorkerError(task.id, task)
}

/** Who did it, and when that began, is kept. */
const finish: Rule<Commands['complete']> = (task, command) => {
  checkClaimant(task, command)
  const { result, now } = command
  const ended = { completedAt: now, result, error: null, claimToken: undefined }
  return { ...task, ...ended, status: 'completed' }
}

const giveUp: Rule<Commands['fail']> = (task, command) => {
  checkClaimant(task, command)
  return failed(task, command.error, command.now)
}

const giveUpIfExpired: Rule<Commands['release']> = (task, { ttlMs, now }) => {
  if (Date.parse(now) - Date.parse(task.claimedAt ?? now) < ttlMs) return task
  return failed(task, expiry(task.claimedBy, ttlMs), now)
}

const failed = (task: StoredTask, error: string, now: string): StoredTask =>
  hasAttemptsLeft(task)
    ? { ...task, ...unclaimed, status: 'pending', error }
    : { ...task, ...unclaimed, status: 'failed', completedAt: now, error }

const again: Rule<Commands['retry']> = (task, { attempts }) => {
  if (task.isDeleting) throw new TaskNotFoundError(`id ${shown(task.id)}`)
  // Without a limit there is none to raise.
  const sum = Math.min(task.maxAttempts + attempts, Number.MAX_SAFE_INTEGER)
  const maxAttempts = task.maxAttempts === 0 ? 0 : sum
  const raised = { ...task, ...unclaimed, maxAttempts, completedAt: null, error: null }
  if (!hasAttemptsLeft(raised)) throw new MaxAttemptsReachedError(task.id, maxAttempts)
  return { ...raised, status: 'pending' }
}

const doom = (task: StoredTask): StoredTask =>
  task.isDeleting ? task : { ...task, isDeleting: true }

const refuseDeletion = refuse(({ id, status }) => new TaskNotTerminalError(id, status))

/** Nobody has begun it. What is claimed is in the hands of somebody who can read it. */
const doomIfUnreadable: Rule<Commands['delete']> = (task, { isUnreadable }) => {
  if (!isUnreadable && !task.isDeleting) throw new TaskNotTerminalError(task.id, task.status)
  return doom(task)
}

/**
 * The state machine: what each command makes of a task in each status. A rule gives the next state, the very
 * same object where nothing changes, or throws why not.
 */
const rules: { readonly [K in keyof Commands]: Readonly<Record<TaskStatus, Rule<Commands[K]>>> } = {
  claim: {
    pending: begin,
    claimed: sameWorkerOnly,
    completed: refuseCompleted,
    failed: refuseFailed,
  },
  complete: {
    pending: refuseUnclaimed,
    claimed: finish,
    completed: stay,
    failed: refuseFailed,
  },
  fail: {
    pending: refuseUnclaimed,
    claimed: giveUp,
    completed: refuseCompleted,
    failed: stay,
  },
  retry: {
    pending: stay,
    claimed: again,
    completed: refuseCompleted,
    failed: again,
  },
  release: {
    pending: stay,
    claimed: giveUpIfExpired,
    completed: stay,
    failed: stay,
  },
  delete: {
    pending: doomIfUnreadable,
    claimed: refuseDeletion,
    completed: stay,
    failed: doom,
  },
}

export const apply = <K extends keyof Commands>(
  name: K,
  task: StoredTask,
  command: Commands[K],
): StoredTask => rules[name][task.status](task, command)

/** A command that waits for a task, and for the time as RFC 3339. */
export type TimedRule = (task: StoredTask, now: string) => StoredTask

/** The same, for one claim alone. */
export type FencedRule = (task: StoredTask, now: string, claimant: Claimant) => StoredTask

/**
 * A rule for the one claim that was meant: the one that was named, else the one that was seen first. Where it
 * must be tried again, that claim may have ended and another begun.
 */
export function fenced(named: Claimant, rule: FencedRule): TimedRule {
  let meant: Claimant | null = null
  return (task, now) => {
    meant ??= { attempt: task.attempts, claimToken: task.claimToken, ...given(named) }
    return rule(task, now, meant)
  }
}

const given = (named: Claimant): Claimant =>
  Object.fromEntries(Object.entries(named).filter(([, part]) => part !== undefined))

/** Makes a task pending again, unless it has been since it was first seen: then a later claim would be lost. */
export function retried(attempts: number): TimedRule {
  let seen: StoredTask | null = null
  return (task) => {
    seen ??= task
    const isLater = task.claimToken !== undefined && task.claimToken !== seen.claimToken
    if (isLater || task.attempts !== seen.attempts) return task
    return apply('retry', task, { attempts })
  }
}
