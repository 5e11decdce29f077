import type { KnownTokens } from '../access/index.ts'
import { appOf } from './app.ts'
import type { Api } from './route.ts'
import type { AppOptions } from './runner.ts'
import { HttpServer } from './server.ts'

/** Where a server listens, and for whom. */
export interface Reception {
  readonly host?: string | undefined
  /** 0 for any that is free. */
  readonly port?: number | undefined
  readonly token?: string | null | undefined
  readonly version?: string | undefined
  /** Told a line of whatever an operator should know. */
  readonly log?: ((line: string) => void) | undefined
  readonly bodyMsMax?: number | undefined
  readonly keepAliveMs?: number | undefined
  /** How long a client may read nothing of an answer before its connection is closed. */
  readonly unreadMsMax?: number | undefined
}

export interface ServingOptions
  extends Omit<Reception, 'version'>,
    Pick<AppOptions, 'site' | 'mounts' | 'observe'> {
  readonly port: number
  readonly tokens: KnownTokens
  readonly log: (line: string) => void
  readonly bodyBytesMax: number
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
  const { host = hostDefault, port, token = null, tokens, unreadMsMax, ...rest } = options
  const { bodyMsMax = bodyMsMaxDefault } = options
  const ending = new AbortController()
  const app = appOf(api, { ...rest, bodyMsMax, ending: ending.signal })
  const parts: AsyncDisposable[] = []
  const endAll = async () => {
    for (const part of parts) await part[Symbol.asyncDispose]()
  }
  try {
    const who = { token, tokens, log: options.log }
    const server = await HttpServer.listen(app, { host, port, ...who, ending, unreadMsMax })
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
    await endAll()
    throw error
  }
}
