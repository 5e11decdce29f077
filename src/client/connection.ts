import { remember } from './answer.ts'
import type { Line, Sent } from './attempt.ts'
import { invalidRequest } from './error.ts'
import { type Answered, send } from './retry.ts'

/** How a client reaches its server. */
export interface ClientOptions {
  /** Where the server is, such as `http://127.0.0.1:7700`. */
  readonly url: string | URL
  /** Sent as `Authorization: Bearer TOKEN`. */
  readonly token?: string | null | undefined
  /** Who acts, where an operation asks for an agent and is given none. */
  readonly agent?: string | undefined
  /** In place of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined
  /** Ends all that is under way, and all that is asked for later. */
  readonly signal?: AbortSignal | undefined
  /** How long one attempt may take (default 30,000). */
  readonly timeoutMs?: number | undefined
  /** How many times more a request may be sent, where that is safe (default 3). */
  readonly retries?: number | undefined
}

/** What one call may say besides its input. */
export interface CallOptions {
  /** Ends the call. A change that is on its way may still happen. */
  readonly signal?: AbortSignal | undefined
  /** How long one attempt may take. */
  readonly timeoutMs?: number | undefined
}

/** Words of a query, by name; a list has commas between its values, and what is undefined or null is left out. */
export type Query = Readonly<Record<string, unknown>>

/** A request in the terms of the API. */
export interface Asked extends CallOptions {
  /** The words of the query. */
  readonly query?: Query
  /** Sent as JSON. */
  readonly body?: unknown
  /** Headers besides those of every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Whether sending it twice does what sending it once does; left out, only reads and `PUT` are so. */
  readonly isRepeatable?: boolean
}

/** A value that the server answered with, and the headers that came with it. */
export interface Received<T> {
  readonly value: T
  readonly headers: Headers
}

const timeoutMsDefault = 30_000
const retriesDefault = 3

/** The way to one server. */
export class Connection {
  readonly #options: ClientOptions
  readonly #base: string

  constructor(options: ClientOptions) {
    this.#options = options
    this.#base = new URL(options.url).href.replace(/[?#].*$/, '').replace(/\/$/, '')
  }

  async ask<T>(method: string, path: string, asked: Asked = {}): Promise<Received<T>> {
    const isRead = method === 'GET' || method === 'HEAD'
    const { retries = retriesDefault } = this.#options
    const answered: Answered = await send(this.sent(method, path, asked), this.line(asked), {
      isChange: !isRead,
      isRepeatable: asked.isRepeatable ?? (isRead || method === 'PUT'),
      retries,
    })
    const { body, status, headers } = answered
    remember(body, status, headers)
    return { value: body as T, headers }
  }

  sent(method: string, path: string, { query = {}, body, headers = {} }: Asked): Sent {
    const { token = null } = this.#options
    return {
      method,
      url: this.#url(path, query),
      headers: checked({
        Accept: 'application/json',
        ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      }),
      body: body === undefined ? null : JSON.stringify(body),
    }
  }

  line({ signal, timeoutMs = this.#options.timeoutMs ?? timeoutMsDefault }: CallOptions): Line {
    const { fetch = globalThis.fetch, signal: own } = this.#options
    const both = own && signal ? AbortSignal.any([own, signal]) : (own ?? signal)
    // Browsers refuse a fetch that is called as a method.
    return { fetch: (...given) => fetch(...given), timeoutMs, signal: both }
  }

  #url(path: string, query: Query): URL {
    const url = new URL(this.#base + path)
    for (const [name, value] of Object.entries(query))
      if (value !== undefined && value !== null) url.searchParams.set(name, String(value))
    return url
  }
}

/** A header can’t hold any text; where it is refused nothing has been sent. */
function checked(headers: Record<string, string>): Record<string, string> {
  try {
    new Headers(headers)
    return headers
  } catch (cause) {
    throw invalidRequest(
      `The token, the agent or a header can’t be sent: ${(cause as Error).message}`,
    )
  }
}
