import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request } from 'node:http'
import { Agent as HttpsAgent, request as secureRequest } from 'node:https'
import {
  type Answer,
  bodyBytesMax,
  NoAnswer,
  type Outgoing,
  type Transport,
  tooLarge,
} from './answer.ts'

const requestsAtOnceMax = 64

/** A connection that nobody used for so long may be dead: routers forget it. */
const idleMsMax = 30_000

/**
 * HTTP with connections kept alive. Node's own module rather than fetch: measured on loopback, a request costs a
 * third of the time, and it tells whether a connection was made at all, which decides what a failure means.
 */
export class HttpTransport implements Transport {
  readonly atOnceMax = requestsAtOnceMax
  readonly isPatient = true
  readonly #hostname: string
  readonly #port: string
  readonly #agent: HttpAgent
  readonly #isSecure: boolean

  constructor(endpoint: URL) {
    // An IPv6 address stands in brackets in a URL only.
    this.#hostname = endpoint.hostname.replace(/^\[|\]$/g, '')
    this.#port = endpoint.port
    this.#isSecure = endpoint.protocol === 'https:'
    const options = { keepAlive: true, maxSockets: requestsAtOnceMax, timeout: idleMsMax }
    this.#agent = this.#isSecure ? new HttpsAgent(options) : new HttpAgent(options)
  }

  send(outgoing: Outgoing): Promise<Answer> {
    const asked = performance.now()
    return new Promise((resolve, reject) => {
      const client = this.#start(outgoing)
      let isSent = false
      client.once('socket', (socket) => {
        if (!socket.connecting) isSent = true
        else socket.once(this.#isSecure ? 'secureConnect' : 'connect', () => (isSent = true))
      })
      const impatience = setTimeout(
        () => client.destroy(new Error('no answer in time')),
        outgoing.timeoutMs,
      )
      const fail = (error: unknown) => {
        clearTimeout(impatience)
        reject(new NoAnswer(error, isSent))
      }
      client.once('error', fail)
      client.once('response', (incoming) =>
        gather(incoming).then((body) => {
          clearTimeout(impatience)
          const { statusCode, headers } = incoming
          const status = body === null ? tooLarge : (statusCode ?? 0)
          resolve({ status, headers, body: body ?? nothing, asked, heard: performance.now() })
        }, fail),
      )
      client.end(outgoing.body)
    })
  }

  close(): void {
    this.#agent.destroy()
  }

  #start({ method, target, headers, body }: Outgoing): ClientRequest {
    const start = this.#isSecure ? secureRequest : request
    return start({
      hostname: this.#hostname,
      port: this.#port,
      method,
      path: target,
      agent: this.#agent,
      headers: body.byteLength > 0 || method === 'PUT' ? withLength(headers, body) : headers,
    })
  }
}

const withLength = (headers: Readonly<Record<string, string>>, body: Uint8Array) => ({
  ...headers,
  'content-length': String(body.byteLength),
})

const nothing = Buffer.alloc(0)

/** The body of an answer; null where it is too large to be ours. */
function gather(incoming: IncomingMessage): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    if (Number(incoming.headers['content-length']) > bodyBytesMax) {
      incoming.destroy()
      resolve(null)
      return
    }
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.once('error', reject)
    incoming.once('end', () => {
      if (incoming.complete) resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
      else reject(new Error('the answer broke off'))
    })
  })
}
