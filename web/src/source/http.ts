import { hearTime } from '../clock.ts'
import { Failure, type FailureKind, isAborted } from './failure.ts'

export interface Asked {
  readonly method?: string
  readonly query?: Readonly<Record<string, string | number | boolean | undefined | null>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

export interface Answered<T> {
  readonly body: T
  readonly headers: Headers
}

const timeoutMs = 15_000
const kinds: Readonly<Record<number, FailureKind>> = {
  400: 'invalid',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'missing',
  409: 'conflict',
  412: 'conflict',
  422: 'corrupt',
  503: 'unreachable',
}

/** Requests to the server that the page came from. The token is in memory only. */
export class Http {
  readonly base: URL
  readonly #token: string | null

  constructor(base: URL, token: string | null) {
    this.base = base
    this.#token = token
  }

  headers(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    return {
      Accept: 'application/json',
      ...(this.#token === null ? {} : { Authorization: `Bearer ${this.#token}` }),
      ...more,
    }
  }

  url(path: string, query: Asked['query'] = {}): URL {
    const url = new URL(path, this.base)
    for (const [name, value] of Object.entries(query))
      if (value !== undefined && value !== null && value !== '')
        url.searchParams.set(name, String(value))
    return url
  }

  async ask<T>(path: string, asked: Asked = {}): Promise<Answered<T>> {
    const from = Date.now()
    const response = await this.#send(path, asked)
    const told = Date.parse(response.headers.get('Date') ?? '')
    if (!Number.isNaN(told)) hearTime(told, { from, to: Date.now(), grainMs: 1_000 })
    const body = await bodyOf(response)
    if (response.ok) return { body: body as T, headers: response.headers }
    throw refusalOf(response.status, body)
  }

  async #send(path: string, { method = 'GET', query, body, headers, signal }: Asked) {
    const limit = AbortSignal.timeout(timeoutMs)
    try {
      return await fetch(this.url(path, query), {
        method,
        headers: this.headers({
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        }),
        body: body === undefined ? null : JSON.stringify(body),
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
        cache: 'no-store',
        credentials: 'omit',
      })
    } catch (error) {
      if (isAborted(error) && signal?.aborted) throw error
      throw new Failure(
        'unreachable',
        'The server does not answer.',
        'See whether holdfast serve is running; the page tries again by itself.',
      )
    }
  }
}

async function bodyOf(response: Response): Promise<unknown> {
  if (response.status === 204) return null
  const text = await response.text()
  try {
    return JSON.parse(text)
  } catch {
    throw new Failure(
      response.ok ? 'other' : (kinds[response.status] ?? 'other'),
      `The server answered ${response.status} with something other than JSON.`,
      'See whether this is the address of holdfast serve.',
    )
  }
}

const nexts: Readonly<Record<FailureKind, string>> = {
  unreachable: 'The page tries again by itself.',
  unauthorized: 'Load the page again, and give the token that the server was started with.',
  forbidden: 'Ask for it as whoever may.',
  missing: 'It may have been deleted; go back to the list.',
  conflict: 'Look at its state now, and decide again.',
  invalid: 'Correct it, and try again.',
  corrupt: 'Put it right with the tool that wrote it.',
  other: 'Look at the log of the server.',
}

function refusalOf(status: number, body: unknown): Failure {
  const { error, code } = (body ?? {}) as { error?: unknown; code?: unknown }
  const kind = kinds[status] ?? 'other'
  const message = typeof error === 'string' ? error : `The server answered ${status}.`
  return new Failure(kind, message, nexts[kind], typeof code === 'string' ? code : null)
}
