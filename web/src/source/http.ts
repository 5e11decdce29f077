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
  // After many wrong tokens.
  429: 'unauthorized',
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
    if (lostStatuses.includes(response.status)) throw noAnswer(asked)
    const body = await bodyOf(response)
    if (response.ok) return { body: body as T, headers: response.headers }
    throw refusalOf(response.status, body)
  }

  async #send(path: string, asked: Asked) {
    const { method = 'GET', query, body, headers, signal } = asked
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
      throw noAnswer(asked)
    }
  }
}

/** A proxy that got no answer from the server says so. */
const lostStatuses: readonly number[] = [502, 504]

/** Nobody sends a change again, and it may have been made: only a person can tell whether to. */
function noAnswer({ method = 'GET' }: Asked): Failure {
  if (method === 'GET')
    return new Failure(
      'unreachable',
      'The server does not answer.',
      'Check that holdfast serve is running.',
    )
  return new Failure(
    'unreachable',
    'The server did not answer, so this may or may not have happened.',
    'Check what the page shows before you try again.',
  )
}

/**
 * The state that an answer tells, for If-Match; null where a proxy has removed it. A proxy that compresses answers may only
 * have weakened it.
 */
export const stateIn = (headers: Headers): string | null =>
  headers.get('ETag')?.replace(/^W\//, '') ?? null

/** The header that ties a change to the state that was seen. Without one nothing is sent. */
export function ifMatch(state: string | null): { readonly 'If-Match': string } {
  if (state !== null) return { 'If-Match': state }
  throw new Failure(
    'other',
    'The server’s answers arrive without ETag, so the page can’t tell whether this has changed.',
    'Let the proxy in between pass ETag on.',
  )
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
      'Check that this is the address of holdfast serve.',
    )
  }
}

/** What to do where the server says only what is wrong. Everything else it says itself. */
const nexts: Partial<Record<FailureKind, string>> = {
  unauthorized: 'Reload the page and enter a token that works.',
  other: 'Check the log of the server.',
}

function refusalOf(status: number, body: unknown): Failure {
  const { error, code } = (body ?? {}) as { error?: unknown; code?: unknown }
  const kind = kinds[status] ?? 'other'
  const message = typeof error === 'string' ? asSentence(error) : `The server answered ${status}.`
  return new Failure(kind, message, nexts[kind] ?? '', typeof code === 'string' ? code : null)
}

/** Messages that a specification fixes begin small and have no period. */
const asSentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?…]$/.test(text) ? '' : '.'}`
