import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type FaultOptions, Faults } from './faults.ts'
import { type Frame, Frames } from './nats-frames.ts'

const natsFaults = [
  /** The request vanishes; the client hears nothing. */
  'drop-request',
  /** The connection breaks when half of the request has passed: the server never sees the whole of it. */
  'cut-request',
  /** The server has applied the request; its answer vanishes. */
  'drop-answer',
  /** The server has applied the request; the connection breaks within its answer. */
  'cut-answer',
  /** The request and all behind it on the connection come late. */
  'delay',
  /** The server gets the request twice, and answers twice. */
  'duplicate',
] as const

export type NatsFault = (typeof natsFaults)[number]

/** What a client publishes with a subject for the answer, as every JetStream request and publish is. */
interface NatsRequest {
  readonly subject: string
  readonly reply: string
}

/** Stands between NATS clients and a server without TLS, and lets requests go wrong. */
export class NatsProxy implements AsyncDisposable {
  readonly faults: Faults<NatsFault, NatsRequest>
  readonly #target: URL
  readonly #server = createServer((client) => this.#connect(client))
  readonly #sockets = new Set<Socket>()

  constructor(target: string, options: FaultOptions<NatsFault>) {
    this.#target = new URL(target)
    this.faults = new Faults(natsFaults, options)
  }

  get url(): string {
    return `nats://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  /** Breaks all connections, as a network does that fails for a moment. */
  cutAll(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cutAll()
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve))
  }

  #connect(client: Socket): void {
    const server = connect(Number(this.#target.port), this.#target.hostname)
    const link = new Link(client, server, this.faults)
    for (const socket of [client, server]) {
      this.#sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => {
        this.#sockets.delete(socket)
        link.cut()
      })
    }
    void link.run()
  }
}

/** One connection of a client through the proxy. */
class Link {
  readonly #client: Socket
  readonly #server: Socket
  readonly #faults: Faults<NatsFault, NatsRequest>
  /** What is to happen to answers, by the subject that they go to. */
  readonly #answers = new Map<string, 'drop-answer' | 'cut-answer'>()

  constructor(client: Socket, server: Socket, faults: Faults<NatsFault, NatsRequest>) {
    this.#client = client
    this.#server = server
    this.#faults = faults
  }

  async run(): Promise<void> {
    const requests = pass(this.#client, (frame) => this.#request(frame))
    const answers = pass(this.#server, (frame) => this.#answer(frame))
    await Promise.allSettled([requests, answers])
    this.cut()
  }

  cut(): void {
    this.#client.destroy()
    this.#server.destroy()
  }

  async #request({ bytes, subject, reply }: Frame): Promise<void> {
    const isRequest = subject !== undefined && reply !== undefined
    const fault = isRequest ? this.#faults.draw({ subject, reply }) : null
    if (fault === 'drop-request') return
    if (fault === 'cut-request') return this.#cutWithin(this.#server, bytes)
    if (fault === 'drop-answer' || fault === 'cut-answer') this.#answers.set(reply!, fault)
    if (fault === 'delay') await sleep(this.#faults.delayMs())
    if (fault === 'duplicate') await send(this.#server, bytes)
    await send(this.#server, bytes)
  }

  async #answer({ bytes, verb, subject }: Frame): Promise<void> {
    // A client told of other addresses would reconnect past the proxy.
    if (verb === 'INFO') return send(this.#client, withoutAddresses(bytes))
    const fault = subject === undefined ? undefined : this.#answers.get(subject)
    if (fault === undefined) return send(this.#client, bytes)
    this.#answers.delete(subject!)
    if (fault === 'cut-answer') await this.#cutWithin(this.#client, bytes)
  }

  async #cutWithin(socket: Socket, bytes: Buffer): Promise<void> {
    await send(socket, bytes.subarray(0, bytes.length >> 1))
    // When the half has passed; the other end of the link goes with it.
    socket.destroySoon()
  }
}

export async function startNatsProxy(
  target: string,
  options: FaultOptions<NatsFault> = {},
): Promise<NatsProxy> {
  const proxy = new NatsProxy(target, options)
  await proxy.listen()
  return proxy
}

/** Hands on the frames of one direction, each when the one before has passed. */
async function pass(from: Socket, handle: (frame: Frame) => Promise<void>): Promise<void> {
  const frames = new Frames()
  for await (const chunk of from)
    for (const frame of frames.push(chunk as Buffer)) await handle(frame)
}

async function send(socket: Socket, bytes: Buffer): Promise<void> {
  if (socket.destroyed || socket.write(bytes)) return
  await Promise.race([once(socket, 'drain'), once(socket, 'close')])
}

function withoutAddresses(info: Buffer): Buffer {
  const { connect_urls: _, ...rest } = JSON.parse(info.toString().slice('INFO '.length))
  return Buffer.from(`INFO ${JSON.stringify(rest)}\r\n`)
}
