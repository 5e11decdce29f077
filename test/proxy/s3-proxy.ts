import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type FaultOptions, Faults } from './faults.ts'

export const s3Faults = [
  /** The request never arrives; the connection breaks. */
  'drop-request',
  /** The server has applied the request; the connection breaks instead of an answer. */
  'drop-answer',
  /** The answer breaks off within its body, or within its head where it has no body. */
  'cut-answer',
  'delay',
  /** The server gets the request twice; the second answer counts, as with a gateway that retries. */
  'duplicate',
  /** The proxy answers so itself, and the server gets nothing. */
  '500',
  '503',
  '409',
  /** The server has applied the request, and yet the answer is 500. */
  '500-applied',
] as const

export type S3Fault = (typeof s3Faults)[number]

interface S3Request {
  readonly method: string
  /** Path and query as they stand in the URL. */
  readonly path: string
}

interface Exchange extends S3Request {
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
}

interface Answer {
  readonly status: number
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
}

/**
 * Stands between a client and an S3 server, and lets requests go wrong. Headers pass as they are, Host too: a
 * client signs for the proxy's address, and the server verifies by the Host that it reads.
 */
export class S3Proxy implements AsyncDisposable {
  readonly faults: Faults<S3Fault, S3Request>
  /** How many requests came, by method. */
  readonly requests: Record<string, number> = {}
  /** Paths of objects that nobody may read, as by a policy of the bucket. */
  readonly forbidden = new Set<string>()
  /** What happens before the server gets a request for the second time. */
  betweenDuplicates: (() => Promise<void>) | undefined
  readonly #target: URL
  readonly #server = createServer((incoming, response) => this.#serve(incoming, response))
  readonly #agent = new Agent({ keepAlive: true })

  constructor(target: string, options: FaultOptions<S3Fault>) {
    this.#target = new URL(target)
    this.faults = new Faults(s3Faults, options)
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent.destroy()
    this.#server.closeAllConnections()
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve))
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const { method = 'GET', url: path = '/', rawHeaders } = incoming
      this.requests[method] = (this.requests[method] ?? 0) + 1
      const body = await bytesOf(incoming)
      const fault = this.faults.draw({ method, path })
      await this.#answer({ method, path, rawHeaders, body }, fault, response)
    } catch {
      // The server is down, or the client has gone: either way there is no answer.
      response.destroy()
    }
  }

  async #answer(exchange: Exchange, fault: S3Fault | null, response: ServerResponse) {
    const isForbidden = exchange.method === 'GET' && this.forbidden.has(exchange.path)
    if (isForbidden) return sendError(response, '403')
    if (fault === 'drop-request') return response.destroy()
    if (fault === '500' || fault === '503' || fault === '409') return sendError(response, fault)
    if (fault === 'delay') await sleep(this.faults.delayMs())
    if (fault === 'duplicate') {
      await this.#forward(exchange)
      await this.betweenDuplicates?.()
    }
    const answer = await this.#forward(exchange)
    if (fault === 'drop-answer') return response.destroy()
    if (fault === '500-applied') return sendError(response, '500')
    if (fault === 'cut-answer') return cut(answer, response)
    return response.writeHead(answer.status, [...answer.rawHeaders]).end(answer.body)
  }

  async #forward({ method, path, rawHeaders, body }: Exchange): Promise<Answer> {
    const { hostname, port } = this.#target
    const outgoing = request({ hostname, port, method, path, agent: this.#agent })
    for (const [name, values] of byName(rawHeaders)) outgoing.setHeader(name, values)
    outgoing.end(body)
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
    const { statusCode = 0, rawHeaders: answered } = incoming
    // Its length is said anew: the whole body is here.
    const kept = byName(answered).filter(
      ([name]) => !/^(transfer-encoding|connection)$/i.test(name),
    )
    return {
      status: statusCode,
      rawHeaders: kept.flatMap(([name, values]) => values.flatMap((value) => [name, value])),
      body: await bytesOf(incoming),
    }
  }
}

export async function startS3Proxy(
  target: string,
  options: FaultOptions<S3Fault> = {},
): Promise<S3Proxy> {
  const proxy = new S3Proxy(target, options)
  await proxy.listen()
  return proxy
}

async function bytesOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** Names and values in turn, as Node gives them, gathered by name. */
function byName(rawHeaders: readonly string[]): [string, string[]][] {
  const headers = new Map<string, string[]>()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name, value] = rawHeaders.slice(index) as [string, string]
    headers.set(name, [...(headers.get(name) ?? []), value])
  }
  return [...headers]
}

const words = {
  403: 'AccessDenied',
  409: 'ConditionalRequestConflict',
  500: 'InternalError',
  503: 'SlowDown',
} as const

function sendError(response: ServerResponse, status: `${keyof typeof words}`): void {
  const code = words[status]
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code></Error>`
  response.writeHead(Number(status), { 'content-type': 'application/xml' }).end(body)
}

/** Sends half of the body, or of the head where there is no body, past what Node would see to. */
function cut({ status, rawHeaders, body }: Answer, response: ServerResponse): void {
  const lines = byName(rawHeaders).map(([name, values]) => `${name}: ${values.join(', ')}\r\n`)
  const head = Buffer.from(`HTTP/1.1 ${status} Cut\r\n${lines.join('')}\r\n`)
  const shown =
    body.length > 1
      ? Buffer.concat([head, body.subarray(0, body.length >> 1)])
      : head.subarray(0, head.length >> 1)
  response.socket?.end(shown)
}
