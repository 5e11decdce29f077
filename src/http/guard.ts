import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { anybody, type Caller, type KnownTokens, owner, type Stranger } from '../access/index.ts'
import { type HttpError, kitError } from './error.ts'

export interface GuardOptions {
  readonly host: string
  /** The server's own, which allows everything. */
  readonly token: string | null
  /** Those of the store. */
  readonly tokens: Pick<KnownTokens, 'find'>
  /** Paths that tell nothing but how to call us; they need no token. */
  readonly isOpen: (path: string) => boolean
  /** What is answered where the tokens of the store can't be read. */
  readonly unreadable: (error: unknown) => HttpError
}

/** Who asks, or what is wrong with them, before anything is done about what is asked. */
export type Guard = (incoming: IncomingMessage) => Verdict | Promise<Verdict>
export type Verdict = HttpError | Caller

export const isLoopback = (host: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/i.test(host)

/**
 * A page of another site, open in a browser on this machine, must get nothing from us: not by asking across
 * sites (`Origin`), and not by a name of its own that it has pointed at this machine (`Host`).
 */
export function guardOf(options: GuardOptions): Guard {
  const { host, isOpen } = options
  // Whoever listens elsewhere has a token, which no page of another site knows.
  const isOurs = isLoopback(host) ? isLoopback : () => true
  /** The last one that was found to be ours: most are the same. */
  let known: string | undefined
  const callerOf = identifierOf(options)
  return ({ headers, url = '' }) => {
    if (headers.host !== known || known === undefined) {
      const name = hostNameIn(headers.host)
      if (name === null || !isOurs(name)) return forbiddenHost()
      known = headers.host
    }
    const { origin } = headers
    if (origin !== undefined && !isSameOrigin(origin, known)) return forbiddenOrigin()
    if (isOpen(url.split('?')[0] as string)) return anybody
    return callerOf(headers.authorization)
  }
}

/** Who a token stands for; a promise only where the tokens of the store must be read again. */
function identifierOf({ host, token, tokens, unreadable }: GuardOptions) {
  const wanted = token === null ? null : digestOf(token)
  // Whoever opens the store again opens it to this machine.
  const needsToken = wanted !== null || !isLoopback(host)
  const verdictOf = (found: Caller | Stranger): Verdict => {
    if (typeof found === 'string') return unauthorized(found)
    return found === anybody && needsToken ? unauthorized('unknown token') : found
  }
  return (authorization: string | undefined): Verdict | Promise<Verdict> => {
    const secret = bearerIn(authorization)
    if (wanted !== null && secret !== null && timingSafeEqual(digestOf(secret), wanted))
      return owner
    if (needsToken && secret === null) return unauthorized('no token')
    const found = tokens.find(secret)
    return found instanceof Promise ? found.then(verdictOf).catch(unreadable) : verdictOf(found)
  }
}

/** The token in `Bearer TOKEN`; null where none is brought. */
const bearerIn = (authorization: string | undefined): string | null =>
  /^bearer +(.*)$/i.exec(authorization ?? '')?.[1] ?? null

/** The name in `Host: NAME:PORT`; null for what is none. */
function hostNameIn(host: string | undefined): string | null {
  return /^([a-z0-9._-]{1,253}|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.exec(host ?? '')?.[1] ?? null
}

const isSameOrigin = (origin: string, host: string | undefined): boolean =>
  origin.toLowerCase().replace(/^https?:\/\//, '') === host?.toLowerCase()

/** Of equal length for all, so that to compare takes as long wherever they differ. */
const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()

const forbiddenHost = (): HttpError =>
  kitError(
    'FORBIDDEN_HOST',
    'This server answers only to the names of this machine. Ask for it as 127.0.0.1 or localhost.',
  )

const forbiddenOrigin = (): HttpError =>
  kitError('FORBIDDEN_ORIGIN', 'Pages of other sites may not call this server.')

const unauthorized = (why: Stranger): HttpError =>
  kitError(
    'UNAUTHORIZED',
    why === 'expired token'
      ? 'The token has expired. Ask for a new one.'
      : 'The token is missing or wrong. Send "Authorization: Bearer TOKEN".',
    { headers: { 'WWW-Authenticate': 'Bearer' } },
  )
