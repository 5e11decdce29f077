import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { anybody } from '../../../src/access/index.ts'
import { type App, appOf } from '../../../src/http/app.ts'
import { holdfastApi } from '../../../src/http/holdfast/api.ts'
import { RequestMetrics } from '../../../src/http/metrics/requests.ts'
import type { Companion } from '../../../src/http/serving.ts'
import { Workshop } from '../../../src/http/tree/workshop.ts'
import { type Store, StoreError } from '../../../src/store/index.ts'

export interface Request {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** What a client hears. */
export interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  readonly etag: string | null
  /** `unknown_outcome` where nobody knows what has happened. */
  readonly outcome: string | null
}

const origin = 'http://127.0.0.1:7700'
const limits = { bodyBytesMax: 1_048_576, bodyMsMax: 10_000 }

/** The application as a server runs it, with all that runs beside it; requests reach it without a network. */
export class SimServer {
  readonly #app: App
  readonly #companions: readonly Companion[]
  readonly #ending = new AbortController()
  /** Whether it could begin: where one of them fails, the real one ends. */
  readonly #started: Promise<boolean>

  constructor(store: Store) {
    const log = () => {}
    const requests = new RequestMetrics()
    const workshop = new Workshop({ store, folder: null }, log)
    const { api, companions } = holdfastApi({ store, storeKind: 'sim', workshop, requests, log })
    this.#app = appOf(api, {
      ...{ ...limits, log, ending: this.#ending.signal },
      observe: requests.observe,
    })
    this.#companions = [workshop, ...companions]
    this.#started = this.#start()
  }

  async #start(): Promise<boolean> {
    try {
      for (const companion of this.#companions) await companion.start()
      return true
    } catch (error) {
      if (error instanceof StoreError) return false
      throw error
    }
  }

  /** Null where it could not begin. */
  async ask(request: Request): Promise<Answer | null> {
    if (!(await this.#started)) return null
    const response = await answerOf(this.#app, request)
    const text = await response.text()
    const told = text === '' ? {} : JSON.parse(text)
    const outcome = response.status === 503 ? told.details.outcome : null
    return { status: response.status, body: told, etag: response.headers.get('ETag'), outcome }
  }

  async close(): Promise<void> {
    this.#ending.abort()
    await this.#started
    for (const companion of this.#companions) await companion[Symbol.asyncDispose]()
  }
}

/** What the application answers to a request that reaches it without a network. */
export async function answerOf(
  app: App,
  { method, path, body, headers = {} }: Request,
): Promise<Response> {
  const sent = body === undefined ? [] : [Buffer.from(JSON.stringify(body))]
  const all = {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...Object.fromEntries(Object.entries(headers).map(([name, v]) => [name.toLowerCase(), v])),
  }
  const incoming = Object.assign(Readable.from(sent), { method, url: path, headers: all })
  return app.fetch(new Request(`${origin}${path}`, { method }), {
    incoming: incoming as unknown as IncomingMessage,
    outgoing: new EventEmitter() as unknown as ServerResponse,
    caller: anybody,
    whileAllowed: () => () => {},
    isStillAllowed: async () => true,
  })
}
