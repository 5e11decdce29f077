import type { Head } from '../store/internal.ts'
import type { Unreadable } from './unreadable.ts'

/** What an attempt at a task answers when others were faster, when it can't be read, and when there is none to claim. */
export const taken: unique symbol = Symbol('taken')
export const unreadable: unique symbol = Symbol('unreadable')
export const nothing: unique symbol = Symbol('nothing')

type None = typeof taken | typeof unreadable | typeof nothing

/** Tries to claim the task of an entry. */
export type Claim<T> = (id: string, place: string, entry: Head) => Promise<T | None>

/** Somebody's way through the entries of pending tasks. */
export interface Run<T> {
  readonly claim: Claim<T>
  /** What whoever claims can't read. */
  readonly reader: Unreadable
  /** Entries whose task was not pending, in the state in which they were seen. */
  readonly passed: Map<string, string>
  readonly signal: AbortSignal | undefined
}

/** An attempt of another worker of this process. */
export interface OtherAttempt {
  readonly reader: Unreadable
  /** Null where it failed. */
  readonly outcome: Promise<unknown>
}

export const isNone = (outcome: unknown): outcome is None =>
  outcome === taken || outcome === unreadable || outcome === nothing

/** Whether what others of this process have in hand may yet be ours. */
export async function lossOf<T>(other: OtherAttempt, head: Head, run: Run<T>): Promise<boolean> {
  const outcome = await other.outcome
  return (outcome === unreadable && other.reader !== run.reader) || isLoss(outcome, head, run)
}

/** Whether an entry that gave nothing is a sign of others: not where it is seen unchanged for the second time. */
export function isLoss<T>(outcome: unknown, { key, revision }: Head, { passed }: Run<T>): boolean {
  if (outcome === unreadable || outcome === nothing) return false
  const isSame = outcome === taken && passed.get(key) === revision
  passed.set(key, revision)
  return !isSame
}
