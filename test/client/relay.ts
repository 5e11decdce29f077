import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** What becomes of one request on its way, and of its answer. */
export type Fault =
  /** It never gets to the server. */
  | 'drop'
  /** The server does it, and its answer is lost. */
  | 'lose'
  /** Half of the answer arrives. */
  | 'halve'
  /** It gets there, and a proxy answers in place of the server. */
  | { readonly status: number; readonly body?: unknown; readonly headers?: Record<string, string> }
  /** The same, but the server never hears of it. */
  | { readonly instead: number; readonly body?: unknown; readonly headers?: Record<string, string> }

/** Stands between a client and a server; faults hit the requests to come, one each. */
export class Relay implements AsyncDisposable {
  /** What is to happen next; `null` lets a request pass. */
  readonly faults: (Fault | null)[] = []
  /** What came in, such as `POST /api/jobs`. */
  readonly seen: string[] = []
  /** What the server was asked. */
  readonly passed: string[] = []
  #target: string
  readonly #sockets = new Set<Socket>()
  readonly #server = createServer((incoming, outgoing) => void this.#pass(incoming, outgoing))

  private constructor(target: string) {
    this.#target = target
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
    })
  }

  static async to(target: string): Promise<Relay> {
    const relay = new Relay(target)
    relay.#server.listen(0, '127.0.0.1')
    await once(relay.#server, 'listening')
    return relay
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Leads to another server from now on. */
  lead(target: string): void {
    this.#target = target
  }

  /** Breaks all connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const fault = this.faults.shift() ?? null
    const line = `${incoming.method} ${incoming.url}`
    this.seen.push(line)
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    if (fault === 'drop') return void incoming.socket.destroy()
    if (isInstead(fault)) return answer(outgoing, fault.instead, fault)
    this.passed.push(line)
    const { host: _, ...headers } = incoming.headers
    const sent = request(this.#target + incoming.url, {
      method: incoming.method as string,
      headers,
      agent: false,
    })
    sent.on('error', () => incoming.socket.destroy())
    outgoing.on('close', () => sent.destroy())
    sent.end(Buffer.concat(chunks))
    sent.on('response', (response) => {
      if (fault === 'lose') return void response.on('end', () => incoming.socket.destroy()).resume()
      if (fault === 'halve') return void halve(response, outgoing)
      if (fault !== null)
        return void response.on('end', () => answer(outgoing, fault.status, fault)).resume()
      outgoing.writeHead(response.statusCode as number, response.headers)
      response.pipe(outgoing)
      response.on('error', () => outgoing.destroy())
      response.on('close', () => response.complete || outgoing.destroy())
    })
  }
}

const isInstead = (fault: Fault | null): fault is Extract<Fault, { instead: number }> =>
  typeof fault === 'object' && fault !== null && 'instead' in fault

async function halve(response: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks)
  outgoing.writeHead(response.statusCode as number, response.headers)
  outgoing.write(body.subarray(0, Math.floor(body.length / 2)), () => outgoing.destroy())
}

const answer = (
  outgoing: ServerResponse,
  status: number,
  {
    body = '<h1>Bad gateway</h1>',
    headers = {},
  }: { body?: unknown; headers?: Record<string, string> },
): void => {
  outgoing.writeHead(status, headers)
  outgoing.end(typeof body === 'string' ? body : JSON.stringify(body))
}
