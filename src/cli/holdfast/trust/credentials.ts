import type { Io } from '../../program/io.ts'

const keys = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']

/** The variables by which programs sign in to a kind of store. */
const variables: Readonly<Record<string, readonly string[]>> = {
  nats: [
    ...['NATS_USER', 'NATS_PASSWORD', 'NATS_TOKEN', 'NATS_NKEY'],
    ...['NATS_CREDS', 'NATS_CERT', 'NATS_KEY'],
  ],
  s3: [
    ...[...keys, 'AWS_SESSION_TOKEN', 'AWS_PROFILE'],
    ...['AWS_ROLE_ARN', 'AWS_WEB_IDENTITY_TOKEN_FILE'],
    ...['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI', 'AWS_CONTAINER_CREDENTIALS_FULL_URI'],
  ],
}

/** The credentials that a store would be given: which ones, never what they are. Null where it takes none. */
export function credentialsFor(
  url: string,
  { env }: Io,
): { readonly names: readonly string[]; readonly text: string } | null {
  const kind = url.slice(0, url.indexOf(':'))
  const known = Object.hasOwn(variables, kind) ? variables[kind] : undefined
  if (!known) return null
  const names = known.filter((name) => env[name])
  // Without a whole pair of keys, those of a profile or role are looked for.
  const isEnough = kind !== 's3' || keys.every((name) => env[name])
  if (names.length > 0 && isEnough) return { names, text: names.join(', ') }
  const otherwise =
    kind === 's3'
      ? 'those of your AWS profile or role'
      : 'those of your environment; none are set now'
  return { names, text: [names.join(', '), otherwise].filter(Boolean).join(' and ') }
}
