import { JetStreamApiError } from '@nats-io/jetstream'
import { errors } from '@nats-io/transport-node'
import { closedError, StoreError } from '../../error.ts'
import { withSecretsHidden } from '../../shown-cause.ts'

/** The codes of JetStream's own errors that mean something to us. */
export const apiCodes = {
  wrongLastSequence: 10071,
  wrongLastSequenceInBatch: 10164,
  duplicateInBatch: 10201,
  streamNotFound: 10059,
  streamNameInUse: 10058,
  messageNotFound: 10037,
  messageTooLarge: 10054,
  insufficientResources: 10023,
  storageFull: 10047,
  bucketFull: 10077,
} as const

/** A refusal that no further try will change; null for any other. */
export function lastingRefusal(
  code: number | undefined,
  what: string,
  shown: string,
): StoreError | null {
  switch (code) {
    case apiCodes.messageTooLarge:
      return new StoreError(
        'too_large',
        `A value is larger than its bucket on ${shown} takes: ${what}.`,
        'Store less, or raise the limit of the bucket.',
      )
    case apiCodes.insufficientResources:
    case apiCodes.storageFull:
    case apiCodes.bucketFull:
      return new StoreError(
        'disk_full',
        `No space is left on ${shown}: ${what}. Nothing was written.`,
        'Free some space or raise the limits, then do it again.',
      )
    default:
      return null
  }
}

/** The number of a JetStream error; undefined for any other failure. */
export const apiCodeOf = (error: unknown): number | undefined =>
  error instanceof JetStreamApiError ? error.code : undefined

/** No server answers on that subject: no such stream, or one without a leader. Nothing happened. */
export function isNoResponders(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause)
    if (at instanceof errors.NoRespondersError) return true
  return false
}

/** What a failure of NATS means to a caller; reads and everything else that changed nothing. */
export function storeErrorOf(error: unknown, shown: string): unknown {
  if (error instanceof StoreError || !(error instanceof Error)) return error
  // Its message is quoted below, and may quote a server that repeats what it was told.
  withSecretsHidden(error)
  switch (error.name) {
    case 'PermissionViolationError':
      return permissionError(shown, error)
    case 'AuthorizationError':
    case 'UserAuthenticationExpiredError':
      return new StoreError(
        'permission',
        `The NATS server ${shown} did not accept the credentials.`,
        'Check user and password, token, nkey or creds file.',
        error,
      )
    case 'ClosedConnectionError':
    case 'DrainingConnectionError':
      return closedError()
    case 'JetStreamNotEnabled':
      return noJetStream(shown, error)
    case 'JetStreamApiError':
    case 'StreamNotFoundError':
      return new StoreError(
        'down',
        `JetStream on ${shown} refused a request: ${error.message}.`,
        'Look at the log of the server, then try again.',
        error,
      )
    default:
      return downError(shown, error)
  }
}

export const downError = (shown: string, cause?: unknown): StoreError =>
  new StoreError(
    'down',
    `The NATS server ${shown} does not answer${reasonOf(withSecretsHidden(cause))}.`,
    'Check that it runs and can be reached, then try again.',
    cause,
  )

export const noJetStream = (shown: string, cause?: unknown): StoreError =>
  new StoreError(
    'no_jetstream',
    `The NATS server ${shown} has no JetStream, which keeps the data.`,
    'Start it with -js, or enable JetStream for this account.',
    cause,
  )

const permissionError = (shown: string, cause: Error): StoreError =>
  new StoreError(
    'permission',
    `The NATS user may not do this on ${shown}: ${cause.message}.`,
    'Give it the permissions that docs/stores/nats.md lists.',
    cause,
  )

export const lostAnswerError = (shown: string, cause?: unknown): StoreError =>
  new StoreError(
    'lost_answer',
    `${whyLost(shown, cause)}; whether it is there is not known.`,
    'Read the keys again, then decide.',
    cause,
  )

const whyLost = (shown: string, cause: unknown): string =>
  cause instanceof StoreError && cause.reason === 'disk_full'
    ? `The NATS server ${shown} has no space left for a commit`
    : `The NATS server ${shown} did not answer a commit`

const reasonOf = (cause: unknown): string =>
  cause instanceof Error && cause.message !== '' ? ` (${cause.message})` : ''
