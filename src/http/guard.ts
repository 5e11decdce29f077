import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type HttpError, kitError } from './error.ts'
import { type Naming, nameCheckOf } from './names.ts'

export interface GuardOptions extends Naming {
  readonly token: string | null
  /** Paths that tell nothing but how to call us; they need no token. */
  readonly isOpen: (path: string) => boolean
}

/** What is wrong with who asks, before anything is done about what is asked; null where nothing is. */
export type Guard = (incoming: IncomingMessage) => HttpError | null

/** By its names, from its own pages, and with the token. */
export function guardOf({ token, isOpen, ...naming }: GuardOptions): Guard {
  const nameCheck = nameCheckOf(naming)
  const wanted = token === null ? null : digestOf(`Bearer ${token}`)
  return ({ headers, url = '' }) => {
    const refusal = nameCheck(headers)
    if (refusal) return refusal
    if (wanted === null || isOpen(url.split('?')[0] as string)) return null
    return isEqual(headers.authorization ?? '', wanted) ? null : unauthorized()
  }
}

/** Whether a request brings any token at all, be it right or wrong. */
export const bringsToken = ({ headers }: IncomingMessage): boolean =>
  !/^(bearer)?\s*$/i.test(headers.authorization ?? '')

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Takes as long wherever they differ. */
function isEqual(given: string, wanted: Buffer): boolean {
  const bearer = given.replace(/^bearer +/i, 'Bearer ')
  return timingSafeEqual(digestOf(bearer), wanted)
}

const unauthorized = (): HttpError =>
  kitError('UNAUTHORIZED', 'The token is missing or wrong. Send "Authorization: Bearer TOKEN".', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  })
