import {
  ChangedMeanwhileError,
  CorruptTaskError,
  InvalidTaskError,
  QueueError,
  TaskNotFoundError,
} from '../../../src/queue/error.ts'
import { Refusal } from '../../../src/store/drivers/s3/failure.ts'
import { StoreError } from '../../../src/store/error.ts'
import { Failure, type FailureKind } from '../source/failure.ts'

/** Runs what may fail by the queue or its store, and says so in the words of the page. */
export async function inWords<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw failureFrom(error)
  }
}

/** Whatever the queue or its store threw, in the words of the page. */
export function failureFrom(error: unknown, isWrite = false): unknown {
  if (error instanceof StoreError) return failureOfStore(error, isWrite)
  if (error instanceof ChangedMeanwhileError) return overtaken()
  if (error instanceof CorruptTaskError) return unreadableTask(error)
  if (error instanceof TaskNotFoundError)
    return new Failure('missing', error.what, 'Go back to the list of tasks.')
  if (error instanceof InvalidTaskError)
    return new Failure('invalid', error.what, error.next ?? 'Correct it.')
  if (!(error instanceof QueueError)) return error
  return new Failure('conflict', error.what, error.next ?? 'Check its state, then decide again.')
}

function failureOfStore(error: StoreError, isWrite: boolean): Failure {
  if (error.reason === 'contended') return overtaken()
  const isDoubtful = error.code === 'unknown_outcome'
  const refusal = refusalIn(error)
  if (refusal) return refusalOf(refusal, isWrite || isDoubtful)
  if (isDoubtful) return inDoubt('The bucket did not answer')
  if (error.reason === 'foreign_server')
    return new Failure(
      'other',
      'That is not an answer from S3.',
      'Check the endpoint and the bucket.',
    )
  if (error.reason === 'down')
    return new Failure(
      'unreachable',
      'The bucket does not answer this page: it is down, or its CORS rules do not allow the page.',
      'Check the endpoint. For the rules run qo ui deploy, or set CORS to allow GET, PUT and HEAD, all headers, and to expose ETag and Date.',
    )
  const what = error.message.slice(0, -error.next.length).trim()
  return new Failure('other', what, error.next, error.reason)
}

/** What S3 said no with, if that is what lies behind a failure. */
function refusalIn(error: unknown): Refusal | null {
  for (let each = error; each instanceof Error; each = each.cause)
    if (each instanceof Refusal) return each
  return null
}

const overtaken = (): Failure =>
  new Failure('conflict', 'Someone else changed the task.', 'Check its state, then decide again.')

/** A task that can't be read, or one whose large input or output can't. */
const unreadableTask = ({ id, what, cause }: CorruptTaskError): Failure =>
  what.startsWith('The task ')
    ? new Failure(
        'corrupt',
        `Task ${id} can’t be read: ${cause instanceof Error ? cause.message : 'unknown error'}.`,
        'Repair it with the tool that wrote it.',
      )
    : new Failure('corrupt', what, 'Check it with an S3 tool.')

type Words = readonly [kind: FailureKind, message: string, next: string]

const words: Readonly<Record<string, Words>> = {
  InvalidAccessKeyId: [
    'unauthorized',
    'S3 does not know this access key: it is wrong, or has expired.',
    'Check the access key ID, or forget the keys and enter new ones.',
  ],
  SignatureDoesNotMatch: [
    'unauthorized',
    'The secret access key does not belong to this access key.',
    'Check the secret, and the region.',
  ],
  ExpiredToken: ['unauthorized', 'The keys have expired.', 'Forget the keys and enter new ones.'],
  InvalidToken: [
    'unauthorized',
    'The session token is not valid.',
    'Enter new keys, all three parts.',
  ],
  InvalidTokenId: [
    'unauthorized',
    'The session token is not valid.',
    'Enter new keys, all three parts.',
  ],
  TokenRefreshRequired: [
    'unauthorized',
    'The keys have expired.',
    'Forget the keys and enter new ones.',
  ],
  NoSuchBucket: ['missing', 'There is no such bucket.', 'Check its name and the endpoint.'],
  RequestTimeTooSkewed: [
    'unauthorized',
    'This computer’s clock is too far off for S3.',
    'Set the clock, or add Date to ExposeHeaders in the CORS rules of the bucket.',
  ],
  PermanentRedirect: ['invalid', 'The bucket is in another region.', 'Enter its region.'],
  AuthorizationHeaderMalformed: [
    'invalid',
    'The bucket is in another region.',
    'Enter its region.',
  ],
  SlowDown: ['unreachable', 'S3 asks for fewer requests.', 'Wait a minute.'],
}

const readOnly: Words = [
  'forbidden',
  'These keys may not write here. Nothing was changed.',
  'Forget them and enter keys that may put objects.',
]
const unreadable: Words = [
  'forbidden',
  'These keys may not read this bucket.',
  'Enter keys that may list the bucket and get its objects.',
]

function refusalOf({ status, word: code }: Refusal, isWrite: boolean): Failure {
  const known = words[code]
  if (known) return new Failure(...known, code)
  if (status === 403)
    return new Failure(...(isWrite ? readOnly : unreadable), code || 'AccessDenied')
  if (status === 404)
    return new Failure('missing', 'It is not in the bucket.', 'Go back to the list.')
  const kind: FailureKind = status >= 500 ? 'unreachable' : 'other'
  const answered = `S3 answered ${status}${code === '' ? '' : ` (${code})`}`
  if (kind === 'unreachable' && isWrite) return inDoubt(answered, code)
  return new Failure(kind, `${answered}.`, 'If this goes on, check the S3 server.', code)
}

/** A write that S3 did not confirm: nobody sends it again, and it may have been made. */
const inDoubt = (what: string, code: string | null = null): Failure =>
  new Failure(
    'unreachable',
    `${what}, so this may or may not have happened.`,
    'Check what the page shows before you try again.',
    code,
  )
