import { ClientError } from './error.ts'

/** One request, ready to be sent any number of times. */
export interface Sent {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** How requests get to the server. */
export interface Line {
  readonly fetch: typeof fetch
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

/** What came of sending a request once. */
export type Attempt =
  | { readonly status: number; readonly headers: Headers; readonly body: unknown }
  | Failed

export interface Failed {
  readonly error: ClientError
  /** Whether the server may have done it all the same. */
  readonly maybeDone: boolean
  /** How long to wait before the next attempt, at least; null where another makes no sense. */
  readonly waitMs: number | null
}

/** Browsers keep answers and send cookies otherwise; the types of Node don't know of the first. */
export const unkept: RequestInit = { credentials: 'omit', ...({ cache: 'no-store' } as object) }

/** Sends a request once. Throws nothing but the reason of the caller's own signal. */
export async function attempt(sent: Sent, { fetch, timeoutMs, signal }: Line): Promise<Attempt> {
  const limit = AbortSignal.timeout(timeoutMs)
  const { url, ...init } = sent
  try {
    const response = await fetch(url, {
      ...init,
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
      ...unkept,
      // A change would be followed as a read.
      redirect: 'manual',
    })
    return judged(response, response.status === 204 ? '' : await response.text())
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    return limit.aborted ? late(timeoutMs, error) : broken(error)
  }
}

function judged(response: Response, text: string): Attempt {
  const { status, headers } = response
  const body = parsed(text)
  if (response.ok && body !== undefined) return { status, headers, body }
  const error = refusalOf(response, body)
  const wait = /^\d{1,6}$/.exec(headers.get('Retry-After') ?? '')
  const waitMs = Number(wait?.[0] ?? 0) * 1_000
  if (status === 429) return { error, maybeDone: false, waitMs }
  const isAway = status === 502 || status === 503 || status === 504
  if (!isAway) return { error, maybeDone: response.ok, waitMs: null }
  // Holdfast itself says where a change may have been made; a proxy does not know what became of it.
  const isOwn = error.code !== 'unreachable'
  return { error, maybeDone: !isOwn || error.details['outcome'] === 'unknown_outcome', waitMs }
}

function parsed(text: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What the server says is wrong, in its own words. */
function refusalOf({ status, headers }: Response, body: unknown): ClientError {
  const { error, code, details } = (body ?? {}) as Record<string, unknown>
  if (typeof error === 'string' && typeof code === 'string')
    return new ClientError(code, error, { status, details: (details ?? {}) as object as never })
  if (status === 502 || status === 503 || status === 504)
    return new ClientError('unreachable', `A proxy answered ${status} for the server.`, { status })
  const to = headers.get('Location')
  const isRedirect = status === 0 || (status >= 300 && status < 400)
  const what = isRedirect
    ? `The server redirects${to === null ? '' : ` to ${to}`}.`
    : `The server answered ${status} with something other than Holdfast does.`
  return new ClientError('invalid_answer', `${what} Check the URL.`, { status })
}

const late = (timeoutMs: number, cause: unknown): Failed => ({
  error: new ClientError(
    'timeout',
    `The server did not answer within ${timeoutMs / 1000} s. Try again later.`,
    { cause },
  ),
  maybeDone: true,
  waitMs: 0,
})

/** Nothing has been sent where there was not even a connection. */
const unsent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Browsers don't say why a request failed, so there any may have been sent. */
function broken(cause: unknown): Failed {
  const { code } = ((cause as Error | undefined)?.cause ?? {}) as { code?: string }
  const why = code === undefined ? '' : ` (${code})`
  return {
    error: new ClientError('unreachable', `The server does not answer${why}. Check that it runs.`, {
      cause,
    }),
    maybeDone: code === undefined || !unsent.has(code),
    waitMs: 0,
  }
}
