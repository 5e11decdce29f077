import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { anybody, type Caller } from '../access/index.ts'
import { type HttpError, kitError } from './error.ts'

export interface GuardOptions {
  readonly host: string
  readonly token: string | null
  /** Paths that tell nothing but how to call us; they need no token. */
  readonly isOpen: (path: string) => boolean
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
export function guardOf({ host, token, isOpen }: GuardOptions): Guard {
  // Whoever listens elsewhere has a token, which no page of another site knows.
  const isOurs = isLoopback(host) ? isLoopback : () => true
  /** The last one that was found to be ours: most are the same. */
  let known: string | undefined
  const wanted = token === null ? null : digestOf(`Bearer ${token}`)
  return ({ headers, url = '' }) => {
    if (headers.host !== known || known === undefined) {
      const name = hostNameIn(headers.host)
      if (name === null || !isOurs(name)) return forbiddenHost()
      known = headers.host
    }
    const { origin } = headers
    if (origin !== undefined && !isSameOrigin(origin, known)) return forbiddenOrigin()
    if (wanted === null || isOpen(url.split('?')[0] as string)) return anybody
    return isEqual(headers.authorization ?? '', wanted) ? anybody : unauthorized()
  }
}

/** The name in `Host: NAME:PORT`; null for what is none. */
function hostNameIn(host: string | undefined): string | null {
  return /^([a-z0-9._-]{1,253}|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.exec(host ?? '')?.[1] ?? null
}

const isSameOrigin = (origin: string, host: string | undefined): boolean =>
  origin.toLowerCase().replace(/^https?:\/\//, '') === host?.toLowerCase()

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Takes as long wherever they differ. */
function isEqual(given: string, wanted: Buffer): boolean {
  const bearer = given.replace(/^bearer +/i, 'Bearer ')
  return timingSafeEqual(digestOf(bearer), wanted)
}

const forbiddenHost = (): HttpError =>
  kitError(
    'FORBIDDEN_HOST',
    'This server answers only to the names of this machine. Ask for it as 127.0.0.1 or localhost.',
  )

const forbiddenOrigin = (): HttpError =>
  kitError('FORBIDDEN_ORIGIN', 'Pages of other sites may not call this server.')

const unauthorized = (): HttpError =>
  kitError('UNAUTHORIZED', 'The token is missing or wrong. Send "Authorization: Bearer TOKEN".', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  })
