import { StoreError } from '../../error.ts'
import { rememberSecret } from '../../shown-cause.ts'
import type { Credentials } from './sign.ts'

/** Gives the keys to sign the next request with; those of a role change from time to time. */
export type CredentialSource = () => Credentials | Promise<Credentials>

/**
 * The keys of the environment, else whatever the AWS tools would find: a profile, single sign-on, a role of the
 * machine or the container. The package for those is loaded only when it is needed.
 */
export async function credentialSource(environment = process.env): Promise<CredentialSource> {
  const accessKeyId = environment['AWS_ACCESS_KEY_ID']
  const secretAccessKey = environment['AWS_SECRET_ACCESS_KEY']
  if (accessKeyId && secretAccessKey) {
    const sessionToken = environment['AWS_SESSION_TOKEN']
    checkSendable({ AWS_ACCESS_KEY_ID: accessKeyId, AWS_SESSION_TOKEN: sessionToken })
    remember({ accessKeyId, secretAccessKey, sessionToken })
    return () => ({ accessKeyId, secretAccessKey, sessionToken })
  }
  const provide = await loadProvider()
  let last: Credentials | undefined
  return async () => {
    try {
      // It remembers what it found, and asks again shortly before that expires.
      const credentials = await provide()
      if (credentials !== last) remember(credentials)
      last = credentials
      return credentials
    } catch (error) {
      throw noCredentials('none were found in the environment, a profile or a role', error)
    }
  }
}

function remember({ secretAccessKey, sessionToken }: Credentials): void {
  rememberSecret(secretAccessKey)
  rememberSecret(sessionToken)
}

/** These two stand in headers of each request, which carry no line end; what was read from a file often has one. */
function checkSendable(variables: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(variables))
    if (value && !/^[\x21-\x7e]+$/.test(value))
      throw new StoreError(
        'permission',
        `${name} has white space, a line end or other characters that no key has.`,
        'Set it without them.',
      )
}

async function loadProvider(): Promise<() => Promise<Credentials>> {
  try {
    const { defaultProvider } = await import('@aws-sdk/credential-provider-node')
    return defaultProvider()
  } catch (error) {
    throw noCredentials(
      'none are in the environment, and @aws-sdk/credential-provider-node, which reads profiles and roles, is not installed',
      error,
    )
  }
}

const noCredentials = (why: string, cause: unknown): StoreError =>
  new StoreError(
    'permission',
    `There are no AWS credentials (${why}).`,
    'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE.',
    cause,
  )
