import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import type { KnownTokens } from '../access/index.ts'
import { ListenError } from './listen-error.ts'
import { isLoopback } from './names.ts'
import { listenOnSocket } from './socket-file.ts'
import type { TlsFiles } from './tls.ts'

/** Where a server listens. */
interface Place {
  readonly host: string
  /** 0 for any that is free. */
  readonly port: number
  /** The path of a Unix socket in place of them. */
  readonly socket?: string | null | undefined
  readonly tls?: TlsFiles | null | undefined
}

export interface Exposure extends Place {
  /** Its own, which allows everything. */
  readonly token: string | null
  /** Those of the store. */
  readonly tokens: Pick<KnownTokens, 'isClosed'>
  /** Whether other machines may ask without TLS. */
  readonly insecure?: boolean | undefined
}

/** Shorter tokens can be guessed by other machines. */
const tokenCharactersMin = 20

/** Throws where other machines could come in that should not. */
export async function checkExposure(exposure: Exposure): Promise<void> {
  const { host, socket, token, tokens, tls, insecure } = exposure
  if (socket || isLoopback(host)) return
  if (token === null && !(await tokens.isClosed()))
    throw new ListenError(
      `Listening on ${host} lets other machines in, which needs a token.`,
      'Give one, or listen on 127.0.0.1.',
    )
  if (token !== null && token.length < tokenCharactersMin)
    throw new ListenError(
      `Listening on ${host} lets other machines in, and the token is shorter than ${tokenCharactersMin} characters.`,
      'Make a longer one with "openssl rand -hex 16".',
    )
  if (!tls && !insecure)
    throw new ListenError(
      `Listening on ${host} without TLS sends tokens and tasks in the clear.`,
      'Pass --tls-cert and --tls-key, or --insecure if you trust the network.',
    )
}

/** A server that listens. */
export interface Listening {
  /** That of a Unix socket is `unix:PATH`. */
  readonly url: string
  /** Stops accepting connections. */
  readonly close: () => void
}

export async function listen(server: Server, place: Place): Promise<Listening> {
  const { host, port, socket, tls } = place
  if (socket) return { url: `unix:${socket}`, close: await listenOnSocket(server, socket) }
  server.listen(port, withoutBrackets(host))
  try {
    await once(server, 'listening')
  } catch (error) {
    throw notListening(error as NodeJS.ErrnoException, place)
  }
  const { address, port: given, family } = server.address() as AddressInfo
  const shown = family === 'IPv6' ? `[${address}]` : address
  return { url: `${schemeOf(tls)}://${shown}:${given}`, close: () => server.close() }
}

const schemeOf = (tls: Place['tls']): string => (tls ? 'https' : 'http')

const withoutBrackets = (host: string): string => host.replace(/^\[(.*)\]$/, '$1')

function notListening(error: NodeJS.ErrnoException, { host, port, tls }: Place): ListenError {
  const isTaken = error.code === 'EADDRINUSE'
  const why = isTaken ? 'another program has it' : error.message
  const next = 'Choose another port or host.'
  return new ListenError(`Can't listen on port ${port} of ${host}: ${why}.`, next, {
    cause: error,
    taken: isTaken ? `${schemeOf(tls)}://${reachable(host)}:${port}` : null,
  })
}

/** A host as it stands in a URL of this machine: of "any address" its own one, of IPv6 in brackets. */
function reachable(given: string): string {
  const host = withoutBrackets(given)
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
