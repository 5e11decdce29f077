import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import type { Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { Caller, KnownTokens } from '../access/index.ts'
import type { AccessLog } from './access-log.ts'
import type { App } from './app.ts'
import { clientAddress, peerAddress } from './client-address.ts'
import { HttpError, kitError } from './error.ts'
import { guardOf, type Verdict } from './guard.ts'
import { checkExposure, type Exposure, type Listening, listen } from './listen.ts'
import { type RefuseOptions, refuseBy } from './refuse.ts'
import { errorResponse } from './response.ts'
import { Room } from './room.ts'
import { type Bindings, failed } from './runner.ts'
import { Throttle } from './throttle.ts'
import { followKeyPair, readKeyPair, stateOf, tlsOptions } from './tls.ts'
import { answerUnreadable, unreadableOf } from './unreadable.ts'

interface ListenOptions extends Exposure, Pick<RefuseOptions, 'refused'> {
  /** Those of the store. */
  readonly tokens: Pick<KnownTokens, 'find' | 'isClosed' | 'mayStill' | 'watch'>
  /** Where a reverse proxy serves it, as `https://tasks.example.com`. */
  readonly publicUrl?: string | null | undefined
  /** Whether a proxy stands in front of it that says whom it was asked by. */
  readonly trustsProxy?: boolean | undefined
  readonly access?: AccessLog | null | undefined
  /** Told what a client is not. */
  readonly log: (line: string) => void
  /** Aborted when the server ends. */
  readonly ending: AbortController
  /** Bounds what clients cost that do not read. */
  readonly room?: Room | undefined
}

/** How long a client may take to send its headers, and all of its request. */
const headersMsMax = 10_000
const requestMsMax = 60_000
const connectionsMax = 10_000
/** How many requests a client may send ahead on one connection. */
const pipelinedMax = 1_000
/** How long a connection may be idle. Agents think between two requests, and one that ends just when it is used again loses one. */
const idleMsMax = 65_000
/** How long requests that are under way may take to end when the server ends. */
const endingMsMax = 5_000
const endingPollMs = 20

/** A server that listens, until it is disposed of. */
export class HttpServer implements AsyncDisposable {
  readonly url: string
  readonly #server: Server | TlsServer
  readonly #close: () => void
  readonly #ending: AbortController
  readonly #sockets: ReadonlySet<Socket>
  readonly #watches: readonly Disposable[]
  #end: Promise<void> | undefined

  private constructor(
    server: Server | TlsServer,
    { url, close }: Listening,
    {
      ending,
      sockets,
      watches,
    }: { ending: AbortController; sockets: Set<Socket>; watches: Disposable[] },
  ) {
    this.#server = server
    this.url = url
    this.#close = close
    this.#ending = ending
    this.#sockets = sockets
    this.#watches = watches
  }

  static async listen(app: App, options: ListenOptions): Promise<HttpServer> {
    const { ending, tls = null, log, room = new Room() } = options
    await checkExposure(options)
    const throttle = new Throttle()
    const since = tls ? stateOf(tls) : undefined
    const listener = listenerOf(app, options, { throttle, room })
    const server = tls
      ? createTlsServer({ ...serverOptions, ...tlsOptions, ...readKeyPair(tls) }, listener)
      : createServer(serverOptions, listener)
    server.maxConnections = connectionsMax
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
      const told = unreadableOf(error)
      // Browsers open connections ahead of time and often never use them.
      if (told && socket.bytesRead > 0) options.access?.unreadable(peerAddress({ socket }), told)
      if (told) answerUnreadable(socket, told)
      else socket.destroy()
    })
    const sockets = socketsOf(server, tls ? ['connection', 'secureConnection'] : ['connection'])
    const listening = await listen(server, options)
    room.follow(sockets)
    const watches: Disposable[] = [throttle, room]
    if (tls) watches.push(followKeyPair(server as TlsServer, tls, { log, since }))
    return new HttpServer(server, listening, { ending, sockets, watches })
  }

  /** Takes no more requests, ends streams, and lets what is under way finish, for a while. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#end ??= this.#stop()
    return this.#end
  }

  async #stop(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#close()
    this.#ending.abort()
    for (const watch of this.#watches) watch[Symbol.dispose]()
    // Browsers and others connect before they ask, and Node takes such a connection for a busy one.
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy()
    // A connection that has just answered is idle, but nobody tells.
    const sweep = setInterval(() => this.#server.closeIdleConnections(), endingPollMs)
    const impatience = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy()
    }, endingMsMax)
    await closed
    clearInterval(sweep)
    clearTimeout(impatience)
  }
}

const serverOptions = {
  headersTimeout: headersMsMax,
  handshakeTimeout: headersMsMax,
  requestTimeout: requestMsMax,
  keepAliveTimeout: idleMsMax,
  connectionsCheckingInterval: 1_000,
  // A request without a host is told so, as any other that we refuse.
  requireHostHeader: false,
}

/** Those that are open. */
function socketsOf(server: Server | TlsServer, events: readonly string[]): Set<Socket> {
  const sockets = new Set<Socket>()
  for (const event of events)
    server.on(event, (socket: Socket) => {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
    })
  return sockets
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

function listenerOf(
  app: App,
  options: ListenOptions,
  { throttle, room }: { throttle: Throttle; room: Room },
) {
  const { host, socket, token, tokens, log, publicUrl, tls, trustsProxy = false } = options
  const guard = guardOf({
    ...{ host: socket ? null : host, publicUrl, isSecure: Boolean(tls), token, tokens },
    isOpen: (path) => app.isOpen(path),
    unreadable: (error) => failed(error, { explain: () => null, method: 'GET' }, { log }),
  })
  const { access = null, refused } = options
  const refuse = refuseBy({ addressOf: clientAddress(trustsProxy), throttle, access, refused })
  const listener = getRequestListener(fetcherOf(app, tokens), {
    // Node itself throws away what is left of a body; ending the connection would lose the answer.
    autoCleanupIncoming: false,
    // What is left to fail is the reading of the address: the application answers for itself.
    errorHandler: () => errorResponse(kitError('ROUTE_NOT_FOUND', 'There is no such address.')),
  })
  const goOn = (incoming: IncomingMessage, outgoing: ServerResponse, verdict: Verdict): void => {
    const refusal = verdict instanceof HttpError ? verdict : unroutable(incoming)
    if (refusal) {
      refuse(incoming, outgoing, refusal)
      return
    }
    callers.set(incoming, verdict as Caller)
    const { socket } = incoming
    const answered: unknown = listener(incoming, outgoing)
    if (answered instanceof Promise) void answered.then(() => room.wrote(socket))
    else room.wrote(socket)
  }
  const respond = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const verdict = guard(incoming)
    if (!(verdict instanceof Promise)) goOn(incoming, outgoing, verdict)
    else void verdict.then((later) => goOn(incoming, outgoing, later))
  }
  return (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    // Pipelined requests run one by one: otherwise one packet could ask for thousands of pages at once.
    const { socket } = incoming
    if (outgoing.socket !== null) {
      respond(incoming, outgoing)
      return
    }
    const waiting = (pipelined.get(socket) ?? 0) + 1
    // Each is kept in memory until its turn.
    if (waiting > pipelinedMax) {
      socket.destroy()
      return
    }
    pipelined.set(socket, waiting)
    outgoing.once('socket', () => {
      pipelined.set(socket, (pipelined.get(socket) ?? 1) - 1)
      setImmediate(respond, incoming, outgoing)
    })
  }
}

/** How many requests of a connection wait for the one before. */
const pipelined = new WeakMap<Socket, number>()

/** Who asks: the framework passes on the request alone. */
const callers = new WeakMap<IncomingMessage, Caller>()

const fetcherOf =
  (app: App, tokens: ListenOptions['tokens']) => (request: Request, env: unknown) => {
    const { incoming, outgoing } = env as Bindings
    const caller = callers.get(incoming) as Caller
    const whileAllowed = (lapsed: () => void) => tokens.watch(caller, lapsed)
    const isStillAllowed = () => tokens.mayStill(caller)
    return app.fetch(request, { incoming, outgoing, caller, whileAllowed, isStillAllowed })
  }

/** What the framework would not get as far as routing. */
function unroutable({ method = '', url = '' }: IncomingMessage): HttpError | null {
  if (!url.startsWith('/')) return kitError('ROUTE_NOT_FOUND', 'The path must start with a slash.')
  if (methods.includes(method)) return null
  return kitError('METHOD_NOT_ALLOWED', `No path knows ${method}.`, {
    headers: { Allow: methods.join(', ') },
  })
}
