import type { IncomingHttpHeaders } from 'node:http'
import { type HttpError, kitError } from './error.ts'

/** By which names a server is asked, and from which pages. */
export interface Naming {
  /** Where it listens; null for a Unix socket. */
  readonly host: string | null
  /** Where a reverse proxy serves it, as `https://tasks.example.com`. */
  readonly publicUrl?: string | null | undefined
  /** Whether it speaks TLS itself. */
  readonly isSecure?: boolean | undefined
}

export const isLoopback = (host: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/i.test(host)

/** What is wrong with `Host` and `Origin`; null where nothing is. */
type NameCheck = (headers: IncomingHttpHeaders) => HttpError | null

/**
 * A page of another site, open in a browser on this machine, must get nothing from us: not by asking across
 * sites (`Origin`), and not by a name of its own that it has pointed at this machine (`Host`).
 */
export function nameCheckOf({ host, publicUrl = null, isSecure = false }: Naming): NameCheck {
  const open = publicUrl === null ? null : new URL(publicUrl)
  // Other addresses need a token, which no page of another site knows.
  const isAnyOurs = host !== null && !isLoopback(host)
  const isOurs = (name: string) => isAnyOurs || isLoopback(name) || name === open?.hostname
  const own = isSecure ? /^https:\/\// : /^https?:\/\//
  /** The last one that was found to be ours: most are the same. */
  let known: string | undefined
  return ({ host: asked, origin }) => {
    if (asked !== known || known === undefined) {
      const name = hostNameIn(asked)
      if (name === null || !isOurs(name)) return forbiddenHost()
      known = asked
    }
    if (origin === undefined) return null
    const from = origin.toLowerCase()
    if (from === open?.origin) return null
    // Its public name leads through the proxy, whose pages all have the public origin.
    const isPublic = open !== null && hostNameIn(asked) === open.hostname
    return !isPublic && from.replace(own, '') === asked?.toLowerCase() ? null : forbiddenOrigin()
  }
}

/** The name in `Host: NAME:PORT`; null for what is none. */
function hostNameIn(host: string | undefined): string | null {
  const [, name] = /^([a-z0-9._-]{1,253}|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.exec(host ?? '') ?? []
  return name?.toLowerCase() ?? null
}

const hint = 'Behind a proxy, start it with --public-url URL.'

const forbiddenHost = (): HttpError =>
  kitError(
    'FORBIDDEN_HOST',
    `This server answers only to the names of this machine. Ask for it as 127.0.0.1 or localhost. ${hint}`,
  )

const forbiddenOrigin = (): HttpError =>
  kitError('FORBIDDEN_ORIGIN', `Pages of other sites may not call this server. ${hint}`)
