import { readFileSync } from 'node:fs'
import type { NodeConnectionOptions } from '@nats-io/transport-node'
import { StoreError } from '../../error.ts'

/** What a URL and the environment say about a store on NATS. */
export interface NatsSettings {
  readonly servers: readonly string[]
  /** For messages: hosts only, never a secret. */
  readonly shown: string
  readonly replicas: number
  readonly history: number
  /** Whether to use atomic batches where the server has them. */
  readonly atomic: boolean
  /** How long a call may take before it fails. */
  readonly answerMsMax: number
  /** Monitoring addresses of the servers, by which it can be found out how they sync. */
  readonly monitors: readonly string[]
  readonly credentials: Credentials
}

interface Credentials {
  readonly user?: string | undefined
  readonly pass?: string | undefined
  readonly token?: string | undefined
  readonly nkeySeed?: string | undefined
  readonly credsFile?: string | undefined
  readonly tls?: NodeConnectionOptions['tls'] | undefined
}

const answerMsDefault = 5000
const form = /^\/\/(?:([^@/]*)@)?([^@/?]+)\/?(?:\?(.*))?$/s
const parameters = new Set([
  'replicas',
  'history',
  'atomic',
  'timeout_ms',
  'monitor',
  'tls',
  'tls_ca',
  'tls_cert',
  'tls_key',
  'nkey',
  'creds',
])

/** Reads what follows `nats:`; several hosts are separated by commas. The URL goes before the environment. */
export function parseNatsUrl(rest: string, env: NodeJS.ProcessEnv = process.env): NatsSettings {
  const [, userInfo, hosts, query = ''] = form.exec(rest) ?? []
  if (hosts === undefined) throw badUrl('it names no host')
  const given = new URLSearchParams(query)
  for (const name of given.keys())
    if (!parameters.has(name)) throw badUrl(unknownParameter(name, query))
  const servers = hosts.split(',')
  for (const host of servers) checkHost(host)
  return {
    servers,
    shown: hosts,
    replicas: integer(given, 'replicas', 1, 1, 5),
    history: integer(given, 'history', 1, 1, 64),
    atomic: flag(given, 'atomic', true),
    answerMsMax: integer(given, 'timeout_ms', answerMsDefault, 100, 600_000),
    monitors: given.get('monitor')?.split(',') ?? [],
    credentials: {
      ...userAndPassword(userInfo, env),
      nkeySeed: fileOrText(given.get('nkey') ?? env['NATS_NKEY']),
      credsFile: given.get('creds') ?? env['NATS_CREDS'],
      tls: tlsOf(given, env),
    },
  }
}

/** What has no `=` behind it, or a password with a `?` in it that was not escaped, must not be quoted as a parameter. */
const unknownParameter = (name: string, query: string): string =>
  query.includes('@') || !wordForm.test(name) || !query.includes(`${name}=`)
    ? 'it has an unknown parameter, or a password with / or ? that is not written as %2F or %3F'
    : `it has the unknown parameter "${name}"`

function userAndPassword(userInfo: string | undefined, env: NodeJS.ProcessEnv): Credentials {
  if (userInfo === undefined)
    return { user: env['NATS_USER'], pass: env['NATS_PASSWORD'], token: env['NATS_TOKEN'] }
  const [, user, pass] = /^([^:]*)(?::(.*))?$/s.exec(userInfo) as unknown as [
    string,
    string,
    string?,
  ]
  return pass === undefined
    ? { token: decoded(user) }
    : { user: decoded(user), pass: decoded(pass) }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw badUrl('its user or password has a % that is not followed by two hex digits')
  }
}

const wordForm = /^[\w.-]{1,20}$/
const quoted = (text: string): string => (wordForm.test(text) ? `"${text}"` : 'none it can be')

function flag(given: URLSearchParams, name: string, otherwise: boolean): boolean {
  const text = given.get(name)
  if (text === null) return otherwise
  if (text === 'true' || text === 'false') return text === 'true'
  throw new StoreError(
    'bad_option',
    `The parameter ${name} of a nats:// URL is ${quoted(text)}.`,
    'Give true or false.',
  )
}

function checkHost(host: string): void {
  const [, port] = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::(\d{1,5}))?$/i.exec(host) ?? [undefined, '0']
  if (port !== undefined && !(Number(port) >= 1 && Number(port) <= 65_535))
    throw badUrl('a host or port in it can not be')
}

function tlsOf(given: URLSearchParams, env: NodeJS.ProcessEnv): Credentials['tls'] {
  const caFile = given.get('tls_ca') ?? env['NATS_CA']
  const certFile = given.get('tls_cert') ?? env['NATS_CERT']
  const keyFile = given.get('tls_key') ?? env['NATS_KEY']
  if (!flag(given, 'tls', false) && !caFile && !certFile) return undefined
  return {
    ...(caFile ? { caFile } : {}),
    ...(certFile ? { certFile } : {}),
    ...(keyFile ? { keyFile } : {}),
  }
}

/** A seed may be given as it is, or as the path of the file that holds it. */
function fileOrText(given: string | undefined): string | undefined {
  if (given === undefined || /^S[A-Z0-9]{50,}$/.test(given)) return given
  try {
    return readFileSync(given, 'utf8').trim()
  } catch {
    // Without the cause, which would quote a seed that was mistyped.
    throw new StoreError(
      'bad_option',
      'The nkey is neither a seed nor a file that can be read.',
      'Check the parameter nkey or the variable NATS_NKEY.',
    )
  }
}

function integer(
  given: URLSearchParams,
  name: string,
  otherwise: number,
  min: number,
  max: number,
): number {
  const text = given.get(name)
  if (text === null) return otherwise
  const number = Number(text)
  if (Number.isInteger(number) && number >= min && number <= max) return number
  throw new StoreError(
    'bad_option',
    `The parameter ${name} of a nats:// URL is ${quoted(text)}.`,
    `Give a whole number from ${min} to ${max}.`,
  )
}

const badUrl = (why: string): StoreError =>
  new StoreError(
    'unknown_url',
    `Not the URL of a store on NATS: ${why}.`,
    'Use nats://HOST:4222, with several hosts separated by commas, and parameters such as ?replicas=3.',
  )
