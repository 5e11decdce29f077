import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { anybody, type Caller, type KnownTokens, owner, type Stranger } from '../access/index.ts'
import { type HttpError, kitError } from './error.ts'
import { isLoopback, type Naming, nameCheckOf } from './names.ts'

interface GuardOptions extends Naming {
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
type Guard = (incoming: IncomingMessage) => Verdict | Promise<Verdict>
export type Verdict = HttpError | Caller

/** By its names, from its own pages, and with a token. */
export function guardOf(options: GuardOptions): Guard {
  const { isOpen } = options
  const nameCheck = nameCheckOf(options)
  const callerOf = identifierOf(options)
  return ({ headers, url = '' }) => {
    const refusal = nameCheck(headers)
    if (refusal) return refusal
    if (isOpen(url.split('?')[0] as string)) return anybody
    return callerOf(headers.authorization)
  }
}

/** Who a token stands for; a promise only where the tokens of the store must be read again. */
function identifierOf({ host, token, tokens, unreadable }: GuardOptions) {
  const wanted = token === null ? null : digestOf(token)
  // Whoever opens the store again opens it to this machine.
  const needsToken = wanted !== null || (host !== null && !isLoopback(host))
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

/** Whether a request brings any token, right or wrong. */
export const bringsToken = ({ headers }: IncomingMessage): boolean =>
  !/^(bearer)?\s*$/i.test(headers.authorization ?? '')

/** Of equal length for all, so that to compare takes as long wherever they differ. */
const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()

const unauthorized = (why: Stranger): HttpError =>
  kitError(
    'UNAUTHORIZED',
    why === 'expired token'
      ? 'The token has expired. Ask for a new one.'
      : 'The token is missing or wrong. Send "Authorization: Bearer TOKEN".',
    { headers: { 'WWW-Authenticate': 'Bearer' } },
  )
