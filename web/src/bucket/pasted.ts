import { Failure } from '../source/failure.ts'

export interface Keys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string
}

type Given = Keys & { readonly pasted: string }

/** The keys that were typed, or that are in what was pasted: JSON of the AWS command, or lines of an environment. */
export function parseKeys({ pasted, ...typed }: Given): Keys {
  const found = (...names: readonly string[]): string => {
    for (const name of names) {
      const value = new RegExp(`\\b${name}\\b["']?\\s*[=:]\\s*["']?([^"'\\s,;]+)`, 'i').exec(pasted)
      if (value) return value[1] as string
    }
    return ''
  }
  const keys: Keys = {
    accessKeyId: typed.accessKeyId || found('AccessKeyId', 'aws_access_key_id'),
    secretAccessKey: typed.secretAccessKey || found('SecretAccessKey', 'aws_secret_access_key'),
    sessionToken: typed.sessionToken || found('SessionToken', 'aws_session_token'),
  }
  if (keys.accessKeyId !== '' && keys.secretAccessKey !== '') return keys
  throw new Failure(
    'invalid',
    'The access key ID or the secret access key is missing.',
    'Type both, or paste text that contains both.',
  )
}
