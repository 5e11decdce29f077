import type { IncomingMessage, ServerResponse } from 'node:http'
import { type BodyLimits, readBody } from './body.ts'
import { type Explain, errorBody, type HttpError, httpErrorOf, kitStatuses } from './error.ts'
import { eventStream } from './events.ts'
import { readQuery } from './query.ts'
import type { Answer, Api, Call, Method, Route } from './route.ts'
import { objectOf } from './schema.ts'
import { type Check, checkOf, schemaOf } from './validator.ts'

/** What a request comes with, beside itself. */
export interface Bindings {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  /** Aborted when the server ends. */
  readonly ending: AbortSignal
}

export interface AppOptions extends BodyLimits {
  /** Told what a client is not: why a request failed that should not have. */
  readonly log: (line: string) => void
  /** What is shown to a browser, by path. It tells nothing of what is stored, and needs no token. */
  readonly site?: Readonly<Record<string, (request: Request) => Response>> | undefined
  /** What speaks a language of its own, each at one path. */
  readonly mounts?: readonly Mount[] | undefined
  readonly observe?: ((answered: Answered) => void) | undefined
}

export interface Mount {
  readonly path: string
  /** The signal is aborted when the server ends. */
  readonly handle: (request: Request, ending: AbortSignal) => Promise<Response>
}

/** What became of a request; `route` is the path as its table has it, empty where it is none. */
export interface Answered {
  readonly method: string
  readonly route: string
  readonly status: number
  readonly seconds: number
}

export const commonHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-cache',
}

export type Runner = (bindings: Bindings, params: Record<string, string>) => Promise<Response>

/** Runs a route: checks what comes in, and makes a response of what the route answers or throws. */
export function runnerOf(
  route: Route,
  { explain, api }: { explain: Explain; api: Api },
  options: AppOptions,
): Runner {
  const check = checksOf(route, api)
  return async (bindings, params) => {
    try {
      const call = await callOf(route, { bindings, params, check, options })
      return responseOf(await route.handle(call), call.isHead)
    } catch (error) {
      return errorResponse(failed(error, { explain, method: route.method }, options))
    }
  }
}

type Part = 'params' | 'query' | 'headers' | 'body'

function checksOf(route: Route, api: Api): Record<Part, Check> {
  const statuses: Readonly<Record<string, number>> = { ...kitStatuses, ...api.statuses }
  const statusOf = (code: string): number => statuses[code] ?? 400
  const { params = {}, query = {}, headers = {} } = route
  const lower = Object.fromEntries(
    Object.entries(headers).map(([name, field]) => [name.toLowerCase(), field]),
  )
  const code = 'INVALID_QUERY'
  return {
    params: checkOf(schemaOf(params), { noun: 'parameter', code, statusOf }),
    query: checkOf(schemaOf(query), { noun: 'query', code, statusOf }),
    headers: checkOf(schemaOf(lower), { noun: 'header', code, statusOf }),
    body: checkOf(route.body?.schema ?? objectOf({}), {
      noun: 'field',
      code: 'INVALID_BODY',
      statusOf,
    }),
  }
}

interface Coming {
  readonly bindings: Bindings
  readonly params: Record<string, string>
  readonly check: Record<Part, Check>
  readonly options: AppOptions
}

/** Checks where, then what for, then who, and what last: whoever asks wrongly need not send it all. */
async function callOf(route: Route, coming: Coming): Promise<Call> {
  const { check, params, options } = coming
  const { incoming, outgoing, ending } = coming.bindings
  const url = incoming.url ?? ''
  check.params(params)
  const mark = url.indexOf('?')
  const query = mark === -1 ? {} : readQuery(url.slice(mark + 1), route.query ?? {})
  check.query(query)
  const headers = headersOf(route, incoming)
  check.headers(headers)
  const body = route.method === 'GET' ? undefined : ((await readBody(incoming, options)) ?? {})
  if (route.method !== 'GET') check.body(body)
  const isHead = incoming.method === 'HEAD'
  return { params, query, headers, body, url, isHead, signal: () => signalOf(outgoing, ending) }
}

/** Those that the route knows; an empty one is none. */
function headersOf(route: Route, { headers }: IncomingMessage): Record<string, string> {
  const known: Record<string, string> = {}
  for (const name of Object.keys(route.headers ?? {})) {
    const value = headers[name.toLowerCase()]
    if (typeof value === 'string' && value !== '') known[name.toLowerCase()] = decoded(value)
  }
  return known
}

/** Node reads headers byte by byte; who writes them in UTF-8 means characters. */
function decoded(value: string): string {
  if (!/[\x80-\xff]/.test(value)) return value
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1'))
  } catch {
    return value
  }
}

function signalOf(outgoing: ServerResponse, ending: AbortSignal): AbortSignal {
  const gone = new AbortController()
  outgoing.once('close', () => gone.abort())
  return AbortSignal.any([gone.signal, ending])
}

function responseOf({ status, body, text, headers, events }: Answer, isHead: boolean): Response {
  if (events) {
    const type = { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' }
    const stream = isHead ? null : eventStream(events)
    return new Response(stream, { status, headers: { ...commonHeaders, ...type, ...headers } })
  }
  if (body === undefined)
    return new Response(text ?? null, { status, headers: { ...commonHeaders, ...headers } })
  return new Response(JSON.stringify(body), {
    status,
    headers: { ...commonHeaders, 'Content-Type': 'application/json', ...headers },
  })
}

export const errorResponse = (error: HttpError): Response =>
  responseOf({ status: error.status, body: errorBody(error), headers: error.headers }, false)

/** What went wrong, as the client hears it; what it does not hear goes to the log. */
export function failed(
  thrown: unknown,
  { explain, method }: { explain: Explain; method: Method },
  { log }: AppOptions,
): HttpError {
  const error = httpErrorOf(thrown, explain, method)
  if (error.status >= 500 && error !== thrown)
    log(`${error.code}: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : thrown}`)
  return error
}
