import { withSecretsHidden } from './shown-cause.ts'
import { withoutSecrets } from './without-secrets.ts'

/**
 * What a caller must do about a failed call. Six codes, each an instruction:
 *
 * - `unavailable`: nothing happened; the same call may succeed later.
 * - `unknown_outcome`: the write may or may not be there; read, then decide.
 * - `unsupported`: this store, as it is, will never do that.
 * - `invalid`: the arguments can never be right; correct them.
 * - `corrupt`: what is stored can't be read; someone must look at it.
 * - `closed`: the store was disposed of; open it again.
 */
export type StoreErrorCode =
  | 'unavailable'
  | 'unknown_outcome'
  | 'unsupported'
  | 'invalid'
  | 'corrupt'
  | 'closed'

/** The finer word for each code; programs choose their exit code by it. */
export const codeOfReason = {
  too_many_writes: 'unsupported',
  read_only: 'unsupported',
  newer_schema: 'unsupported',
  network_filesystem: 'unsupported',
  no_engine: 'unsupported',
  unsafe_server: 'unsupported',
  unversioned: 'unsupported',
  no_jetstream: 'unsupported',
  unknown_url: 'invalid',
  foreign_file: 'invalid',
  foreign_server: 'invalid',
  missing_store: 'invalid',
  bad_key: 'invalid',
  too_large: 'invalid',
  bad_option: 'invalid',
  disk_full: 'unavailable',
  down: 'unavailable',
  locked: 'unavailable',
  permission: 'unavailable',
  contended: 'unavailable',
  lost_answer: 'unknown_outcome',
  damaged: 'corrupt',
  disposed: 'closed',
} as const satisfies Record<string, StoreErrorCode>

/** Why a call failed. Every reason belongs to exactly one {@link StoreErrorCode}. */
export type StoreErrorReason = keyof typeof codeOfReason

/** What every call gets once the store was disposed of. */
export const closedError = (): StoreError =>
  new StoreError('disposed', 'The store was closed.', 'Open it again with openStore().')

/** Every failure of a store except a conflict, which `commit` returns as a value. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  /** What to do about it. */
  readonly code: StoreErrorCode
  /** Why it happened. */
  readonly reason: StoreErrorReason
  /** What to do about it: one sentence, also the last one of `message`. */
  readonly next: string

  constructor(reason: StoreErrorReason, what: string, next: string, cause?: unknown) {
    // A path or a parameter may be quoted that was a URL with a password to whoever typed it.
    super(
      withoutSecrets(`${what} ${next}`),
      cause === undefined ? undefined : { cause: withSecretsHidden(cause) },
    )
    this.code = codeOfReason[reason]
    this.reason = reason
    this.next = withoutSecrets(next)
  }
}

/** The value of this key can't be read, whatever holds for others: another tool made it so. */
export class UnreadableValueError extends StoreError {
  /** Whose value it is. */
  readonly key: string

  constructor(key: string, why: string, cause?: unknown) {
    super(
      'damaged',
      `The value of ${key} can't be read: ${why}.`,
      'Look at it with the tool that wrote it.',
      cause,
    )
    this.key = key
  }
}
