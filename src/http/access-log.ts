import type { IncomingMessage } from 'node:http'
import type { Caller } from '../access/index.ts'
import type { ClientAddress } from './client-address.ts'
import type { HttpError } from './error.ts'
import { bringsToken } from './guard.ts'
import { type Answered, agentIn, codeOf } from './runner.ts'

export interface AccessLogOptions {
  /** As text only wrong tokens are told, as JSON every change and every refusal. */
  readonly format: 'text' | 'json'
  /** Whose log it is. */
  readonly program: string
  /** Told a line of text, or what is to be one of JSON. */
  readonly write: (entry: string | object) => void
}

/** What was asked, by whom, and what became of it. Nothing of it is a secret: no token, no query, no body. */
interface Entry {
  readonly time: string
  readonly event: 'change' | 'refusal' | 'failure'
  readonly code: string | undefined
  /** Of a refusal for want of a token, which of the two it was. */
  readonly token: 'wrong' | 'missing' | undefined
  readonly from: string
  readonly status: number
  readonly method: string | undefined
  /** As the table of routes has it; left out where there is none. */
  readonly route: string | undefined
  readonly id: string | undefined
  readonly path: string | undefined
  readonly who: string | undefined
}

const textMax = 200
/** Reading changes nothing; who reads in vain is told of only where he may not. */
const reading = new Set(['GET', 'HEAD', 'OPTIONS'])
const refusing = new Set([401, 403, 408, 413, 429, 431])

/** Who did what, and who was not let. */
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

  /** Of a request that got as far as an answer; null where nobody wants to know. */
  get observe(): ((answered: Answered) => void) | null {
    if (this.#options.format === 'text') return null
    return ({ incoming, caller, route, status, response }) => {
      const isReading = reading.has(incoming.method ?? '')
      if (isReading && !refusing.has(status) && status < 500) return
      const id = idIn(incoming, route) ?? response.headers.get('Location')?.split('/').at(-1)
      const who = whoIs(incoming, caller)
      this.#tell(incoming, { status, code: codeOf(response), route, id, who })
    }
  }

  /** Of a wrong token, whatever the format: who guesses is to be kept out. */
  wrongToken(incoming: IncomingMessage, { status, code }: HttpError): void {
    const { format, program, write } = this.#options
    if (format === 'json') {
      this.#tell(incoming, { status, code })
      return
    }
    const what = `${incoming.method} ${this.#shown(pathIn(incoming))}: ${status}`
    write(`${nowText()} ${program}: wrong token from ${this.#addressOf(incoming)} for ${what}`)
  }

  /** Of what was refused before it was read any further. */
  refused(incoming: IncomingMessage, { status, code }: HttpError): void {
    if (this.#options.format === 'json') this.#tell(incoming, { status, code })
  }

  /** Of what was no request yet. */
  unreadable(from: string, { status, code }: HttpError): void {
    if (this.#options.format === 'json') this.#write({ status, code, from })
  }

  #tell(
    incoming: IncomingMessage,
    { status, code, route, id, who = agentIn(incoming) }: Pick<Entry, 'status'> & Partial<Entry>,
  ): void {
    this.#write({
      ...{ status, code, id: this.#shown(id) },
      token: code === 'UNAUTHORIZED' || status === 429 ? tokenIn(incoming) : undefined,
      from: this.#addressOf(incoming),
      method: incoming.method,
      route: route === '' ? undefined : route,
      path: this.#shown(pathIn(incoming)),
      who: this.#shown(who),
    })
  }

  /** Cut, and without a token that somebody put where none belongs. */
  #shown(text: string | undefined): string | undefined {
    const own = this.#token
    const known = own === null ? text : text?.replaceAll(own, '…')
    return known?.replaceAll(/holdfast_[\w-]+/g, '…').slice(0, textMax)
  }

  /** What a client may have written comes last, so that no part of it can pass for an address. */
  #write({ status, code, token, from, ...rest }: Pick<Entry, 'status' | 'from'> & Partial<Entry>) {
    const event = status < 400 ? 'change' : status < 500 ? 'refusal' : 'failure'
    const { method, route, id, path, who } = rest
    const entry: Entry = {
      ...{ time: nowText(), event, code, token, from, status },
      ...{ method, route, id, path, who },
    }
    this.#options.write(entry)
  }
}

const nowText = (): string => new Date().toISOString()

const tokenIn = (incoming: IncomingMessage) => (bringsToken(incoming) ? 'wrong' : 'missing')

/** Without the query, which may hold what is nobody's business. */
const pathIn = ({ url = '' }: IncomingMessage): string =>
  url.startsWith('/') ? (url.split('?', 1)[0] as string) : ''

/** The agent that is named; of a named token never another one's. */
function whoIs(incoming: IncomingMessage, { name }: Caller): string | undefined {
  const agent = agentIn(incoming)
  return name === null || agent?.startsWith(`${name}/`) ? agent : name
}

/** What stands in the path where the route has `:id`. */
function idIn(incoming: IncomingMessage, route: string): string | undefined {
  const at = route.split('/').findIndex((part) => part.startsWith(':'))
  return at === -1 ? undefined : pathIn(incoming).split('/')[at]
}
