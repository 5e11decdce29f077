import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { Caller, KnownTokens } from '../access/index.ts'
import type { App } from './app.ts'
import { errorBody, HttpError, kitError } from './error.ts'
import { guardOf, isLoopback, type Verdict } from './guard.ts'
import { type Bindings, commonHeaders, errorResponse, failed } from './runner.ts'

export interface ListenOptions {
  readonly host: string
  /** 0 for any that is free. */
  readonly port: number
  /** Its own, which allows everything. */
  readonly token: string | null
  /** Those of the store. */
  readonly tokens: KnownTokens
  /** Told what a client is not. */
  readonly log: (line: string) => void
  /** Aborted when the server ends. */
  readonly ending: AbortController
  /** How long a client may read nothing of an answer that waits for it. */
  readonly unreadMsMax?: number | undefined
}

/** It can't listen there, or must not. */
export class ListenError extends Error {
  override readonly name = 'ListenError'
  readonly next: string
  /** Where somebody else listens already, where that is why. */
  readonly taken: string | null

  constructor(
    what: string,
    next: string,
    { cause = null as unknown, taken = null as string | null } = {},
  ) {
    super(what, cause === null ? undefined : { cause })
    this.next = next
    this.taken = taken
  }
}

/** How long a client may take to send its headers, and all of its request. */
const headersMsMax = 10_000
const requestMsMax = 60_000
const connectionsMax = 10_000
/** How long a connection may be idle. Agents think between two requests, and one that ends just when it is used again loses one. */
const idleMsMax = 65_000
/** A client that reads nothing for so long is gone, and its answer only takes memory. */
const unreadMsDefault = 30_000
/** How long requests that are under way may take to end when the server ends. */
const endingMsMax = 5_000
const endingPollMs = 20

/** A server that listens, until it is disposed of. */
export class HttpServer implements AsyncDisposable {
  readonly url: string
  readonly #server: Server
  readonly #ending: AbortController
  readonly #sockets = new Set<Socket>()
  #end: Promise<void> | undefined

  private constructor(server: Server, url: string, ending: AbortController) {
    this.#server = server
    this.url = url
    this.#ending = ending
    server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
  }

  static async listen(app: App, options: ListenOptions): Promise<HttpServer> {
    const { host, port, token, tokens, ending } = options
    if (!isLoopback(host) && token === null && !(await tokens.isClosed())) throw tokenMissing(host)
    const server = createServer(serverOptions, listenerOf(app, options))
    server.maxConnections = connectionsMax
    server.timeout = options.unreadMsMax ?? unreadMsDefault
    server.on('clientError', answerUnreadable)
    server.listen(port, host.replace(/^\[(.*)\]$/, '$1'))
    try {
      await once(server, 'listening')
    } catch (error) {
      throw notListening(error as NodeJS.ErrnoException, host, port)
    }
    const { address, port: taken, family } = server.address() as AddressInfo
    const shown = family === 'IPv6' ? `[${address}]` : address
    return new HttpServer(server, `http://${shown}:${taken}`, ending)
  }

  /** Takes no more requests, ends streams, and lets what is under way finish, for a while. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#end ??= this.#stop()
    return this.#end
  }

  async #stop(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#ending.abort()
    // Browsers and others connect before they ask, and Node takes such a connection for a busy one.
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy()
    // A connection that has just answered is idle, but nobody tells.
    const sweep = setInterval(() => this.#server.closeIdleConnections(), endingPollMs)
    const impatience = setTimeout(() => this.#server.closeAllConnections(), endingMsMax)
    await closed
    clearInterval(sweep)
    clearTimeout(impatience)
  }
}

const serverOptions = {
  headersTimeout: headersMsMax,
  requestTimeout: requestMsMax,
  keepAliveTimeout: idleMsMax,
  connectionsCheckingInterval: 1_000,
  // A request without a host is told so, as any other that we refuse.
  requireHostHeader: false,
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

function listenerOf(app: App, { host, token, tokens, log }: ListenOptions) {
  const guard = guardOf({
    ...{ host, token, tokens },
    isOpen: (path) => app.isOpen(path),
    unreadable: (error) => failed(error, { explain: () => null, method: 'GET' }, { log }),
  })
  /** The framework passes on the request alone. */
  const callers = new WeakMap<IncomingMessage, Caller>()
  const fetch = (request: Request, env: unknown) => {
    const { incoming, outgoing } = env as Bindings
    const caller = callers.get(incoming) as Caller
    const whileAllowed = (lapsed: () => void) => tokens.watch(caller, lapsed)
    return app.fetch(request, { incoming, outgoing, caller, whileAllowed })
  }
  const listener = getRequestListener(fetch, {
    // Node itself throws away what is left of a body; ending the connection would lose the answer.
    autoCleanupIncoming: false,
    // What is left to fail is the reading of the address: the application answers for itself.
    errorHandler: () => errorResponse(kitError('ROUTE_NOT_FOUND', 'There is no such address.')),
  })
  const goOn = (incoming: IncomingMessage, outgoing: ServerResponse, verdict: Verdict): void => {
    const refusal = verdict instanceof HttpError ? verdict : unroutable(incoming)
    if (!refusal) {
      callers.set(incoming, verdict as Caller)
      void listener(incoming, outgoing)
      return
    }
    app.refused(incoming.method ?? '', refusal.status)
    answer(outgoing, refusal)
  }
  return (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    outgoing.on('timeout', endUnread)
    const verdict = guard(incoming)
    if (!(verdict instanceof Promise)) goOn(incoming, outgoing, verdict)
    else void verdict.then((later) => goOn(incoming, outgoing, later))
  }
}

/**
 * Told of a connection on which nothing moved for a while. That is fine where we have nothing to send, as on a quiet stream
 * of events: then it is told of again once there is something.
 */
function endUnread(socket: Socket): void {
  if (socket.writableLength > 0) socket.destroy()
}

/** What the framework would not get as far as routing. */
function unroutable({ method = '', url = '' }: IncomingMessage): HttpError | null {
  if (!url.startsWith('/')) return kitError('ROUTE_NOT_FOUND', 'The path must start with a slash.')
  if (methods.includes(method)) return null
  return kitError('METHOD_NOT_ALLOWED', `No path knows ${method}.`, {
    headers: { Allow: methods.join(', ') },
  })
}

function answer(outgoing: ServerResponse, error: HttpError): void {
  const body = JSON.stringify(errorBody(error))
  const headers = {
    ...commonHeaders,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    ...error.headers,
  }
  outgoing.writeHead(error.status, headers).end(body)
}

/** What is no HTTP, or came too slowly to be. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const isSlow = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
  const told = isSlow
    ? kitError('REQUEST_TIMEOUT', 'The request did not come in time. Send it faster.')
    : kitError('INVALID_QUERY', 'The request is no HTTP that can be read.')
  const body = JSON.stringify(errorBody(told))
  const reason = isSlow ? '408 Request Timeout' : '400 Bad Request'
  const lines = ['Content-Type: application/json', `Content-Length: ${body.length}`]
  socket.end(`HTTP/1.1 ${reason}\r\n${lines.join('\r\n')}\r\nConnection: close\r\n\r\n${body}`)
}

const tokenMissing = (host: string): ListenError =>
  new ListenError(
    `Listening on ${host} lets other machines in, which needs a token.`,
    'Give one, or listen on 127.0.0.1.',
  )

function notListening(error: NodeJS.ErrnoException, host: string, port: number): ListenError {
  const isTaken = error.code === 'EADDRINUSE'
  const why = isTaken ? 'another program has it' : error.message
  const next = 'Choose another port or host.'
  return new ListenError(`Can't listen on port ${port} of ${host}: ${why}.`, next, {
    cause: error,
    taken: isTaken ? `http://${reachable(host)}:${port}` : null,
  })
}

/** A host as it stands in a URL of this machine: of "any address" its own one, of IPv6 in brackets. */
function reachable(given: string): string {
  const host = given.replace(/^\[(.*)\]$/, '$1')
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
