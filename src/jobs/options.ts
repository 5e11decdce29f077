import type { Condition, RepairOptions, StandardSchema } from '../collection/index.ts'
import type { CallOptions } from './calls.ts'
import type { Page, Submission } from './checks.ts'
import type { ClockSource } from './clock.ts'
import type { Claimant } from './rules.ts'
import type { Expected } from './state.ts'

/** How a manager works; all of it may be left out. */
export interface TaskManagerOptions<P = Uint8Array, R = Uint8Array, PIn = P, RIn = R> {
  /** What payloads are: JSON that a Standard Schema checks. Bytes where it is left out. */
  readonly payload?: StandardSchema<PIn, P> | undefined
  /** The same for results. */
  readonly result?: StandardSchema<RIn, R> | undefined
  /** How old a claim may become before it is taken away; for ever where it is left out. */
  readonly claimTtlMs?: number | undefined
  /** Milliseconds since the epoch; the store's clock where it is left out. */
  readonly now?: ClockSource | undefined
  /** Told in a sentence of every stored task that can't be read, and of failures in the background. */
  readonly onWarning?: ((warning: string) => void) | undefined
}

/** How many more attempts a retry allows, and whose claims it may take away. */
export type RetryOptions = CallOptions & Expected & { readonly attempts?: number | undefined }

/** Who finishes an attempt, and which: what a claim gave. A claim that is another's by now refuses it. */
export type ClaimantOptions = Claimant & ChangeOptions

/** A change may depend on a state that was seen; {@link ChangedMeanwhileError} where the task is in another. */
export type ChangeOptions = CallOptions & Condition

/** Every field that an object may have. The type sees to it that none is forgotten. */
export type Fields<T> = Readonly<Record<keyof T, true>>

const call: Fields<CallOptions> = { signal: true }
const change: Fields<ChangeOptions> = { state: true, ...call }

/** What may stand in a submission, and in the options of a manager and its methods. */
export const fields = {
  submission: {
    payload: true,
    idempotencyKey: true,
    maxAttempts: true,
    id: true,
  } satisfies Fields<Submission>,
  manager: {
    payload: true,
    result: true,
    claimTtlMs: true,
    now: true,
    onWarning: true,
  } satisfies Fields<TaskManagerOptions>,
  call,
  change,
  claimant: {
    workerId: true,
    attempt: true,
    claimToken: true,
    ...change,
  } satisfies Fields<ClaimantOptions>,
  retry: { attempts: true, mayTake: true, ...change } satisfies Fields<RetryOptions>,
  page: { limit: true, cursor: true, ...call } satisfies Fields<Page & CallOptions>,
  repair: { dryRun: true, graceMs: true } satisfies Fields<RepairOptions>,
}
