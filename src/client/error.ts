/**
 * Why a call failed. `code` is the server's own word, such as `NOT_FOUND`, with its message, status and details; or, in
 * lower case, what only the client can know:
 *
 * - `unreachable`: the server did not answer, or not at all well; nothing was changed.
 * - `timeout`: it did not answer in time; nothing was changed.
 * - `unknown_outcome`: a change was sent and its answer was lost, so it may or may not have happened. Read, then decide.
 * - `invalid_answer`: it answered with something that is not Holdfast's.
 * - `invalid_request`: nothing was sent, because what was asked for can’t be.
 * - `no_state`: nothing was sent, because the value given as `ifMatch` has no ETag.
 */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  /** The server's code, or one of the client's own. */
  readonly code: string
  /** The HTTP status; null where there was no answer. */
  readonly status: number | null
  /** What the server says besides, such as `candidates` or `current_status`. */
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    code: string,
    message: string,
    more: {
      readonly status?: number | null
      readonly details?: Readonly<Record<string, unknown>>
      readonly cause?: unknown
    } = {},
  ) {
    super(message, more.cause === undefined ? {} : { cause: more.cause })
    this.code = code
    this.status = more.status ?? null
    this.details = more.details ?? {}
  }
}

export const invalidRequest = (message: string): ClientError =>
  new ClientError('invalid_request', message)

/** For a change whose answer was lost. */
export const unknownOutcome = (cause: ClientError): ClientError =>
  new ClientError(
    'unknown_outcome',
    'The answer was lost, so the change may or may not have happened. Read again, then decide.',
    { status: cause.status, details: cause.details, cause },
  )
