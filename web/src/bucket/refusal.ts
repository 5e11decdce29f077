import { Failure, type FailureKind } from '../source/failure.ts'

/** The text of an element of an XML answer, wherever it stands. */
export const textIn = (xml: string, name: string): string =>
  new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? ''

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

/** What S3 said no with, in words. */
export function refusalOf(status: number, xml: string, isWrite: boolean): Failure {
  const code = textIn(xml, 'Code')
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
export const inDoubt = (what: string, code: string | null = null): Failure =>
  new Failure(
    'unreachable',
    `${what}, so this may or may not have happened.`,
    'Check what the page shows before you try again.',
    code,
  )
