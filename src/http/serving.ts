import type { KnownTokens } from '../access/index.ts'
import { AccessLog, type AccessLogOptions } from './access-log.ts'
import { appOf } from './app.ts'
import { clientAddress } from './client-address.ts'
import { Room } from './room.ts'
import type { Api } from './route.ts'
import type { Answered, AppOptions, Timed } from './runner.ts'
import { HttpServer } from './server.ts'
import type { TlsFiles } from './tls.ts'

/** Where a server listens, and for whom. */
export interface Reception {
  readonly host?: string | undefined
  /** 0 for any that is free. */
  readonly port?: number | undefined
  /** The path of a Unix socket, in place of host and port. */
  readonly socket?: string | null | undefined
  readonly token?: string | null | undefined
  /** Certificate and key, to speak TLS. */
  readonly tls?: TlsFiles | null | undefined
  /** Whether other machines may ask without TLS. */
  readonly insecure?: boolean | undefined
  /** Where a reverse proxy serves it: an origin. */
  readonly publicUrl?: string | null | undefined
  /** Whether a proxy stands in front of it that says whom it was asked by. */
  readonly trustsProxy?: boolean | undefined
  readonly version?: string | undefined
  /** Told a line of whatever an operator should know. */
  readonly log?: ((line: string) => void) | undefined
  readonly accessLog?: AccessLogOptions | undefined
  readonly bodyMsMax?: number | undefined
  readonly keepAliveMs?: number | undefined
  /** How long a client may read nothing of an answer before its connection is closed. */
  readonly unreadMsMax?: number | undefined
  /** How many bytes of answers may wait to be read, on all connections, for another page to be made. */
  readonly unreadBytesMax?: number | undefined
}

interface ServingOptions extends Omit<Reception, 'version'>, Pick<AppOptions, 'site' | 'mounts'> {
  readonly port: number
  readonly tokens: KnownTokens
  readonly log: (line: string) => void
  readonly bodyBytesMax: number
  /** Told of every answer, and of what was refused before it had a route. */
  readonly observe?: ((timed: Timed) => void) | undefined
}

const hostDefault = '127.0.0.1'
const bodyMsMaxDefault = 10_000

/** A server that runs. Disposing of it ends it in good order. */
export interface Serving extends AsyncDisposable {
  readonly url: string
  /** Whether a request needed a token when it began. */
  readonly needsToken: boolean
}

/** Something that begins after the server listens, and ends when that has ended. */
export interface Companion extends AsyncDisposable {
  start(): Promise<void>
}

/**
 * Serves an API, with all that must run beside it. It listens first, so that a port that is taken ends it before
 * anything is done; and what was begun first is the last that needs the others, so it ends first, too.
 */
export async function serve(
  api: Api,
  companions: readonly Companion[],
  options: ServingOptions,
): Promise<Serving> {
  const { host = hostDefault, token = null, tokens, trustsProxy = false } = options
  const { observe, accessLog, publicUrl = null, bodyMsMax = bodyMsMaxDefault } = options
  const { unreadMsMax: msMax, unreadBytesMax: bytesMax } = options
  const room = new Room({ msMax, bytesMax })
  const ending = new AbortController()
  const access = accessLog ? new AccessLog(accessLog, clientAddress(trustsProxy), token) : null
  const app = appOf(
    { ...api, publicUrl },
    {
      ...{ ...options, bodyMsMax, ending: ending.signal, room },
      observe: both(observe, access?.observe),
      acted: access?.acted ?? undefined,
    },
  )
  const parts: AsyncDisposable[] = []
  const endAll = async () => {
    for (const part of parts) await part[Symbol.asyncDispose]()
  }
  try {
    const server = await HttpServer.listen(app, {
      ...{ ...options, host, token, access, ending, room },
      refused: ({ method = '' }, { status }) =>
        observe?.({ method, route: '', status, seconds: 0 }),
    })
    parts.push(server, ...companions)
    for (const companion of companions) await companion.start()
    // Where the store can't tell, no request is let in either.
    const needsToken = token !== null || (await tokens.isClosed().catch(() => true))
    let ended: Promise<void> | undefined
    return {
      url: server.url,
      needsToken,
      [Symbol.asyncDispose]: () => {
        ended ??= endAll()
        return ended
      },
    }
  } catch (error) {
    room[Symbol.dispose]()
    await endAll()
    throw error
  }
}

type Observe = ((answered: Answered) => void) | null | undefined

function both(one: Observe, other: Observe): ((answered: Answered) => void) | undefined {
  if (!one || !other) return one ?? other ?? undefined
  return (answered) => {
    one(answered)
    other(answered)
  }
}
