import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from '../access/index.ts'
import { type Method, objectOf } from '../schema/index.ts'
import { withoutSecrets } from '../store/internal.ts'
import { type BodyLimits, readBody } from './body.ts'
import { type Explain, type HttpError, httpErrorOf, kitError, kitStatuses } from './error.ts'
import { eventStream } from './events.ts'
import { endingWhenLapsed } from './lapse.ts'
import type { Acted, Mount } from './mount.ts'
import { bodyWithAgent, checkCaller, checkSent, withAgent } from './permission.ts'
import { readQuery } from './query.ts'
import { errorResponse, headersFor, responseOf, streamHeaders } from './response.ts'
import { type Room, shortPageMax } from './room.ts'
import type { Answer, Api, Call, Route } from './route.ts'
import { type Check, checkOf, schemaOf } from './validator.ts'

/** What a request comes with, beside itself. */
export interface Bindings {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  /** Who asks, as the guard has found. */
  readonly caller: Caller
  /** Calls back once the caller may no longer ask, unless it is told to stop before. */
  readonly whileAllowed: (lapsed: () => void) => () => void
  /** Whether the caller may still ask, as of now. */
  readonly isStillAllowed: () => Promise<boolean>
}

export interface AppOptions extends BodyLimits {
  /** Aborted when the server ends. */
  readonly ending: AbortSignal
  /** Told what a client is not: why a request failed that should not have. */
  readonly log: (line: string) => void
  /** What is shown to a browser, by path. It tells nothing of what is stored, and needs no token. */
  readonly site?: Readonly<Record<string, (request: Request) => Response>> | undefined
  /** What speaks a language of its own, each at one path. */
  readonly mounts?: readonly Mount[] | undefined
  readonly observe?: ((answered: Answered) => void) | undefined
  /** Told of what mounts did, or refused, for one of their requests. */
  readonly acted?: ((acted: Acted) => void) | undefined
  /** Says when a page may be made. */
  readonly room?: Pick<Room, 'page'> | undefined
  /** How often a quiet stream of events says that it is there. */
  readonly keepAliveMs?: number | undefined
}

/** How a request went; `route` is the path as its table has it, empty where it is none. */
export interface Timed {
  readonly method: string
  readonly route: string
  readonly status: number
  readonly seconds: number
}

/** The same, with what was asked and answered. */
export interface Answered extends Timed, Pick<Bindings, 'incoming' | 'caller'> {
  readonly response: Response
  /** Whether a mount answered, which tells by itself what it did. */
  readonly isMounted?: boolean
}

/** Answers at once where nothing must be waited for: the framework then does without promises, too. */
type Runner = (bindings: Bindings, params: Record<string, string>) => Response | Promise<Response>

/** Runs a route: checks what comes in, and makes a response of what the route answers or throws. */
export function runnerOf(
  route: Route,
  { explain, api }: { explain: Explain; api: Api },
  options: AppOptions,
): Runner {
  let answerTo: ReturnType<typeof answering> | undefined
  const { method } = route
  const refuse = (error: unknown) => errorResponse(failed(error, { explain, method }, options))
  const respond = (answer: Answer, bindings: Bindings) =>
    answer.events ? streamOf(answer, bindings, options.keepAliveMs) : responseOf(answer)
  return (bindings, params) => {
    const isHead = bindings.incoming.method === 'HEAD'
    try {
      // Made when it is first needed: a server of many routes starts faster.
      answerTo ??= answering(route, checksOf(route, api), options)
      const answer = answerTo(bindings, params, isHead)
      if (!(answer instanceof Promise)) return respond(answer, bindings)
      return answer.then((given) => respond(given, bindings)).catch(refuse)
    } catch (error) {
      return refuse(error)
    }
  }
}

/** Where, then what for, then who, and what last: whoever asks wrongly need not send it all. */
function answering(route: Route, check: Record<Part, Check>, options: AppOptions) {
  const headOf = headReader(route, check)
  const isReading = route.method === 'GET'
  const isLimited = route.adminIf !== undefined
  const { room } = options
  // Whatever may be large comes in pages, which lead from one to the next.
  const isPage = isReading && 'Link' in (route.outcomes[200]?.headers ?? {})
  return (
    bindings: Bindings,
    params: Record<string, string>,
    isHead: boolean,
  ): Answer | Promise<Answer> => {
    const { incoming, outgoing, caller } = bindings
    checkCaller(route, caller, agentIn(incoming))
    const { query, headers } = headOf(incoming, params, caller)
    if (isLimited) checkSent(route, caller, { query })
    const { url = '' } = incoming
    const signal = () => signalOf(outgoing, options.ending)
    const { method } = route
    const head = { params, query, headers, method, url, isHead, caller, signal }
    if (isReading) {
      const answer = () => route.handle({ ...head, body: undefined })
      if (!isPage || !room) return answer()
      const isShort = Number(query['limit']) <= shortPageMax
      const turn = { name: caller.name ?? '', isShort }
      return room.page(turn, () => (outgoing.destroyed ? gone : answer()))
    }
    return readWhileAllowed(bindings, options).then((sent) => {
      // Whoever sends nothing means nothing in particular; null is something.
      const body = bodyWithAgent(sent === undefined ? {} : sent, caller, route)
      check.body(body)
      checkSent(route, caller, { body })
      return route.handle({ ...head, body })
    })
  }
}

/** Nobody hears it. */
const gone: Answer = { status: 499 }

/** How long a body may take until its caller is looked at again: a change of the tokens counts within a second. */
const trustedMsMax = 500

/** The body of a request, from a caller who may still ask once all of it is there. */
export async function readWhileAllowed(
  { incoming, isStillAllowed }: Bindings,
  limits: BodyLimits,
): Promise<unknown> {
  const startedAt = performance.now()
  const body = await readBody(incoming, limits)
  const isLong = performance.now() - startedAt > trustedMsMax
  if (isLong && !(await isStillAllowed()))
    throw kitError('UNAUTHORIZED', 'Your access ended before all was sent. Bring a valid token.', {
      headers: { 'WWW-Authenticate': 'Bearer' },
    })
  return body
}

type Part = 'params' | 'query' | 'headers' | 'body'

function checksOf(route: Route, api: Api): Record<Part, Check> {
  const kit: Readonly<Record<string, number>> = kitStatuses
  const statusOf = (code: string): number => api.statuses[code] ?? kit[code] ?? 400
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

type Head = Pick<Call, 'query' | 'headers'>

/** Reads and checks all but the body. What a request does not have, most do not, is not looked at. */
function headReader({ query = {}, headers = {} }: Route, check: Record<Part, Check>) {
  const names = Object.keys(headers).map((name) => name.toLowerCase())
  const knowsAgent = names.includes('x-agent-id')
  const isQueryNeeded = Object.values(query).some(({ isRequired }) => isRequired)
  return (incoming: IncomingMessage, params: Record<string, string>, caller: Caller): Head => {
    check.params(params)
    const { url = '' } = incoming
    const mark = url.indexOf('?')
    const words = mark === -1 ? nothing : readQuery(url.slice(mark + 1), query)
    if (mark !== -1 || isQueryNeeded) check.query(words)
    const sent = names.length === 0 ? nothing : headersOf(names, incoming)
    const known = withAgent(sent, caller, knowsAgent)
    if (names.length > 0) check.headers(known)
    return { query: words, headers: known }
  }
}

const nothing: Readonly<Record<string, never>> = {}

/** Those that the route knows; an empty one is none. */
function headersOf(names: readonly string[], { headers }: IncomingMessage): Record<string, string> {
  const known: Record<string, string> = {}
  for (const name of names) {
    const value = headers[name]
    if (typeof value === 'string' && value !== '') known[name] = decoded(value)
  }
  return known
}

/** The agent that a request names, if it names one. */
export const agentIn = ({ headers }: IncomingMessage): string | undefined => {
  const value = headers['x-agent-id']
  return typeof value === 'string' && value !== '' ? decoded(value) : undefined
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

/** Ends when there are no more events, or when the caller may no longer ask. */
function streamOf(answer: Answer, bindings: Bindings, keepAliveMs?: number): Response {
  const { status, events } = answer
  const init = { status, headers: headersFor(answer, streamHeaders) }
  if (bindings.incoming.method === 'HEAD' || !events) return new Response(null, init)
  return new Response(endingWhenLapsed(eventStream(events, keepAliveMs), bindings), init)
}

/** What went wrong, as the client hears it; what it does not hear goes to the log. */
export function failed(
  thrown: unknown,
  { explain, method }: { explain: Explain; method: Method },
  { log }: Pick<AppOptions, 'log'>,
): HttpError {
  const error = httpErrorOf(thrown, explain, method)
  if (error.status >= 500 && error !== thrown) {
    const why = thrown instanceof Error ? told(thrown, error.status) : String(thrown)
    log(withoutSecrets(`${error.code}: ${why}`))
  }
  return error
}

/** A store that is away is nobody's mistake here: where in the program it was missed says nothing. */
const told = ({ message, stack }: Error, status: number) =>
  status === 500 ? (stack ?? message) : message
