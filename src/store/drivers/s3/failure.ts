import { textIn } from '../../bytes.ts'
import { StoreError, type StoreErrorReason } from '../../error.ts'
import { withSecretsHidden } from '../../shown-cause.ts'
import { type Answer, NoAnswer } from './answer.ts'
import type { Place } from './place.ts'

/** An answer that is not what was asked for; what it means is for {@link storeErrorOf} to say. */
export class Refusal extends Error {
  readonly status: number
  /** S3's own word, such as `NoSuchBucket`; empty where the answer has none. */
  readonly word: string
  readonly headers: Answer['headers']
  /** Whether S3, and not some other server, may have said it. */
  readonly isFromS3: boolean

  constructor({ status, headers, body }: Answer) {
    const text = textIn(body)
    const word = /<Code>\s*([\w.]+)\s*<\/Code>/.exec(text)?.[1] ?? ''
    super(`answer ${status} ${word}`.trim())
    this.status = status
    this.word = word
    this.headers = headers
    this.isFromS3 = word !== '' || body.byteLength === 0
  }
}

interface Meaning {
  readonly reason: StoreErrorReason
  readonly what: string
  readonly next: string
}

const checkKeys =
  'Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY or the profile, and that they belong to this server.'

const notWhole: Meaning = {
  reason: 'down',
  what: 'did not get the whole of a request',
  next: 'Try again.',
}

const meanings: Readonly<Record<string, Meaning>> = {
  NoSuchBucket: {
    reason: 'missing_store',
    what: 'does not exist',
    next: 'Create the bucket with the tools of its server; Holdfast never does.',
  },
  InvalidBucketName: {
    reason: 'missing_store',
    what: 'has a name that this server does not take',
    next: 'Correct the name of the bucket in the URL.',
  },
  InvalidAccessKeyId: {
    reason: 'permission',
    what: 'does not know the access key',
    next: checkKeys,
  },
  SignatureDoesNotMatch: { reason: 'permission', what: 'refuses the secret key', next: checkKeys },
  ExpiredToken: {
    reason: 'permission',
    what: 'says that the session has expired',
    next: 'Log in again.',
  },
  RequestTimeTooSkewed: {
    reason: 'permission',
    what: 'refuses the time of this machine',
    next: 'Set the clock of this machine.',
  },
  EntityTooLarge: {
    reason: 'too_large',
    what: 'takes no object of this size',
    next: 'Store less, or raise the limit of the server.',
  },
  KeyTooLongError: {
    reason: 'bad_key',
    what: 'takes no object name of this length',
    next: 'Use a shorter key, or a shorter prefix in the URL.',
  },
  // MinIO says so of a sound request, too, when its disk fills up meanwhile.
  IncompleteBody: notWhole,
  RequestTimeout: notWhole,
  XMinioStorageFull: { reason: 'disk_full', what: 'has no space left', next: 'Free some space.' },
  XMinioInvalidObjectName: {
    reason: 'bad_key',
    what: 'does not take the name of this object',
    next: 'Use another key.',
  },
}

/**
 * Why one object can't be read while others can, where a failure says so: another tool has archived it, encrypted it by a key that
 * we lack, or made it far too large, or a policy forbids it.
 */
export function flawOfObject(error: unknown): string | null {
  const { cause } = error instanceof StoreError ? error : {}
  if (!(cause instanceof Refusal)) return null
  const { status, word } = cause
  if (status === 413) return 'it is far too large'
  if (word === 'InvalidObjectState') return 'it is archived'
  const isRefused = (status === 400 || status === 403) && !Object.hasOwn(meanings, word)
  return isRefused ? `the server refuses it (${status} ${word})` : null
}

/** What a failed call means to its caller. A `Refusal` and a `NoAnswer` become what they stand for. */
export function storeErrorOf(error: unknown, { shown, region }: Place): unknown {
  if (!(error instanceof NoAnswer || error instanceof Refusal)) return error
  // What the server has said is quoted below, and may be what it was told.
  withSecretsHidden(error)
  if (error instanceof NoAnswer) return noAnswerError(error, shown)
  const { status, word } = error
  const say = ({ reason, what, next }: Meaning) =>
    new StoreError(reason, `The ${shown} ${what} (${status} ${word}).`, next, error)
  const known = Object.hasOwn(meanings, word) ? meanings[word] : undefined
  if (known) return say(known)
  if (status === 403)
    return say({
      reason: 'permission',
      what: 'does not allow this',
      next: 'Give the user the rights that docs/stores/s3.md lists for S3.',
    })
  const otherRegion = error.headers['x-amz-bucket-region']
  if (status === 301 || word === 'AuthorizationHeaderMalformed')
    return say({
      reason: 'bad_option',
      what: `is not in the region ${region}`,
      next: `Put region=${otherRegion ?? 'its region'} into the URL.`,
    })
  if (status === 501)
    return say({
      reason: 'unsafe_server',
      what: 'does not know a request that Holdfast needs',
      next: 'Use a server that knows conditional writes; docs/stores/s3.md lists some.',
    })
  if (status === 507) return say(meanings['XMinioStorageFull']!)
  if (status >= 500 || status === 429)
    return say({ reason: 'down', what: 'can not answer at present', next: 'Try again later.' })
  return error.isFromS3 ? unexpectedAnswer(error, shown) : foreignServerError(shown, error)
}

const unexpectedAnswer = (error: Refusal, shown: string): StoreError =>
  new StoreError(
    'foreign_server',
    `The ${shown} gave an answer that S3 would not give: ${error.status} ${error.word || 'without a reason'}.`,
    'Check the endpoint, and whether the server does all that docs/stores/s3.md asks for.',
    error,
  )

export const foreignServerError = (shown: string, cause?: unknown): StoreError =>
  new StoreError(
    'foreign_server',
    `The server of ${shown} does not speak S3.`,
    'Check the endpoint in the URL: host, port, and http or https.',
    cause,
  )

function noAnswerError(error: NoAnswer, shown: string): StoreError {
  const { code = '', message = '' } = (error.cause ?? {}) as NodeJS.ErrnoException
  if (code.startsWith('HPE_')) return foreignServerError(shown, error)
  return new StoreError(
    'down',
    `The ${shown} does not answer (${code || message}).`,
    !error.mayPass
      ? 'Check http or https in the endpoint; name a certificate authority of your own in NODE_EXTRA_CA_CERTS.'
      : 'Check that the server runs and the endpoint is right, then try again.',
    error,
  )
}

export const lostAnswerError = (key: string, shown: string, cause?: unknown): StoreError =>
  new StoreError(
    'lost_answer',
    `Whether ${key} was written is not known: the answer of ${shown} was lost.`,
    'Read it, then decide.',
    cause,
  )
