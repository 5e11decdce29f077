import type { IncomingMessage } from 'node:http'
import type { Caller } from '../access/index.ts'
import type { ClientAddress } from './client-address.ts'
import type { HttpError } from './error.ts'
import { bringsToken } from './guard.ts'
import type { Acted } from './mount.ts'
import { actsOf, codeOf } from './response.ts'
import { type Answered, agentIn } from './runner.ts'

export interface AccessLogOptions {
  /** Text logs wrong tokens only, JSON every change and every refusal. */
  readonly format: 'text' | 'json'
  /** Whose log it is. */
  readonly program: string
  /** Gets a line of text, or an object to write as a line of JSON. */
  readonly write: (entry: string | object) => void
}

/** One line of the log. It holds no secret: no token, no query, no body. */
interface Entry {
  readonly time: string
  readonly event: 'change' | 'refusal' | 'failure'
  readonly code: string | undefined
  /** Why a request without a valid token was refused. */
  readonly token: 'wrong' | 'missing' | undefined
  readonly from: string
  readonly status: number
  readonly method: string | undefined
  /** As in the table of routes. */
  readonly route: string | undefined
  readonly id: string | undefined
  /** The first of the parts of it that were changed, and how many more there were. */
  readonly ids: readonly string[] | undefined
  readonly more: number | undefined
  /** What was done, where a request may ask for several things: a tool of `/mcp`, an action in bulk. */
  readonly action: string | undefined
  /** What a tool did that may do several things. */
  readonly change: string | undefined
  readonly path: string | undefined
  readonly who: string | undefined
}

const textMax = 200
/** How many ids a line names. */
const idsMax = 20

/** Ids for a note, of which there may be many. */
export const namedIds = (ids: readonly string[]): string =>
  ids.slice(0, idsMax).join(', ') + (ids.length > idsMax ? ` and ${ids.length - idsMax} more` : '')

/** Reads change nothing. Failed ones are logged only if they were refused. */
const reading = new Set(['GET', 'HEAD', 'OPTIONS'])
const refusing = new Set([401, 403, 408, 413, 429, 431])

/** Logs who changed what, and who was refused. */
export class AccessLog {
  readonly #options: AccessLogOptions
  readonly #addressOf: ClientAddress
  /** The server's own token. */
  readonly #token: string | null

  constructor(options: AccessLogOptions, addressOf: ClientAddress, token: string | null) {
    this.#options = options
    this.#addressOf = addressOf
    this.#token = token
  }

  /** Logs answered requests; null if the format needs none. */
  get observe(): ((answered: Answered) => void) | null {
    if (this.#options.format === 'text') return null
    return ({ incoming, caller, route, status, response, isMounted = false }) => {
      const isReading = reading.has(incoming.method ?? '')
      if (isMounted && status < 400) return
      const acts = actsOf(response)
      if (acts) {
        for (const act of acts) this.#acted({ incoming, caller, route, ...act }, status)
        return
      }
      if (isReading && !refusing.has(status) && status < 500) return
      const id = idIn(incoming, route) ?? response.headers.get('Location')?.split('/').at(-1)
      const who = whoIs(incoming, caller)
      this.#tell(incoming, { status, code: codeOf(response), route, id, who })
    }
  }

  /** Logs what was done, or refused, for a request that may ask for several things; null if the format needs none. */
  get acted(): ((acted: Acted) => void) | null {
    if (this.#options.format === 'text') return null
    return (acted) => this.#acted(acted, 200)
  }

  /** Logs a wrong token in either format, so that other tools can keep guessers out. */
  wrongToken(incoming: IncomingMessage, { status, code }: HttpError): void {
    const { format, program, write } = this.#options
    if (format === 'json') {
      this.#tell(incoming, { status, code })
      return
    }
    const what = `${incoming.method} ${this.#shown(pathIn(incoming))}: ${status}`
    write(`${nowText()} ${program}: wrong token from ${this.#addressOf(incoming)} for ${what}`)
  }

  /** Logs a request that was refused before it was routed. */
  refused(incoming: IncomingMessage, { status, code }: HttpError): void {
    if (this.#options.format === 'json') this.#tell(incoming, { status, code })
  }

  /** Logs a connection that sent no valid request. */
  unreadable(from: string, { status, code }: HttpError): void {
    if (this.#options.format === 'json') this.#write({ status, code, from })
  }

  #acted(acted: Acted, status: number): void {
    const { incoming, caller, route, action, change, id, code, isFailure = false } = acted
    const { ids = [] } = acted
    const event = code === null ? 'change' : isFailure ? 'failure' : 'refusal'
    const who = ownedBy(caller, acted.agent ?? agentIn(incoming))
    const parts = {
      ids: ids.length === 0 ? undefined : ids.slice(0, idsMax),
      more: ids.length > idsMax ? ids.length - idsMax : undefined,
    }
    const done = { ...parts, action, change: this.#shown(change) }
    this.#tell(incoming, { event, status, code: code ?? undefined, route, id, ...done, who })
  }

  #tell(
    incoming: IncomingMessage,
    { who = agentIn(incoming), ...told }: Pick<Entry, 'status'> & Partial<Entry>,
  ): void {
    const { status, code, route, id } = told
    this.#write({
      ...{ ...told, id: this.#shown(id) },
      token: code === 'UNAUTHORIZED' || status === 429 ? tokenIn(incoming) : undefined,
      from: this.#addressOf(incoming),
      method: incoming.method,
      route: route === '' ? undefined : route,
      path: this.#shown(pathIn(incoming)),
      who: this.#shown(who),
    })
  }

  /** Cuts a text, and hides tokens that a client put where none belongs. */
  #shown(text: string | undefined): string | undefined {
    const own = this.#token
    const known = own === null ? text : text?.replaceAll(own, '…')
    return known?.replaceAll(/holdfast_[\w-]+/g, '…').slice(0, textMax)
  }

  /** Fields that a client wrote come last, so that no part of them can pass for an address. */
  #write({ status, code, token, from, ...rest }: Pick<Entry, 'status' | 'from'> & Partial<Entry>) {
    const {
      event = eventOf(status),
      method,
      route,
      id,
      ids,
      more,
      action,
      change,
      path,
      who,
    } = rest
    const entry: Entry = {
      ...{ time: nowText(), event, code, token, from, status },
      ...{ method, route, id, ids, more, action, change, path, who },
    }
    this.#options.write(entry)
  }
}

const nowText = (): string => new Date().toISOString()

const tokenIn = (incoming: IncomingMessage) => (bringsToken(incoming) ? 'wrong' : 'missing')

/** Without the query, which may hold secrets. */
const pathIn = ({ url = '' }: IncomingMessage): string =>
  url.startsWith('/') ? (url.split('?', 1)[0] as string) : ''

const eventOf = (status: number): Entry['event'] =>
  status < 400 ? 'change' : status < 500 ? 'refusal' : 'failure'

/** The agent that a request names. */
const whoIs = (incoming: IncomingMessage, caller: Caller): string | undefined =>
  ownedBy(caller, agentIn(incoming))

/** The holder of a named token can't pass for another. */
const ownedBy = ({ name }: Caller, agent: string | undefined): string | undefined =>
  name === null || agent?.startsWith(`${name}/`) ? agent : name

/** What stands in the path where the route has `:id`. */
function idIn(incoming: IncomingMessage, route: string): string | undefined {
  const at = route.split('/').findIndex((part) => part.startsWith(':'))
  return at === -1 ? undefined : pathIn(incoming).split('/')[at]
}
