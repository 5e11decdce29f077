import { textIn } from '../../bytes.ts'
import { jitteredPauseMs } from '../../compete.ts'
import { ServerClock } from '../../server-clock.ts'
import { sleep } from '../../sleep.ts'
import { type Answer, NoAnswer, type Transport } from './answer.ts'
import type { CredentialSource } from './credentials.ts'
import { Refusal } from './failure.ts'
import type { Place } from './place.ts'
import type { S3Requests } from './requests.ts'
import { type Hashes, Signer } from './sign.ts'

export interface Ask {
  readonly kind: keyof S3Requests
  /** The method of HTTP, where the kind does not say it. */
  readonly method?: 'POST'
  /** The name of an object; empty for the bucket itself. */
  readonly name: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

/** What requests are made with: by Node or in a browser. */
interface Means {
  readonly credentials: CredentialSource
  readonly hashes: Hashes
  readonly transport: Transport
}

/** A point in time by which a call must have its answer. */
export class Deadline {
  readonly #at: number
  readonly #isPatient: boolean

  constructor(ms: number, isPatient: boolean) {
    this.#at = performance.now() + ms
    this.#isPatient = isPatient
  }

  get leftMs(): number {
    return this.#at - performance.now()
  }

  /** Waits a little before another attempt; false where none is to be made, or no time is left for it. */
  async pause(attempt: number): Promise<boolean> {
    if (!this.#isPatient) return false
    // A server that asks to slow down does so in the first attempts, too: never less than a few milliseconds.
    const pauseMs = pauseMsMin + jitteredPauseMs(attempt)
    if (this.leftMs <= pauseMs) return false
    await sleep(pauseMs)
    return true
  }
}

const pauseMsMin = 5

/** One attempt takes at most this share of a call's time, so that another one may follow. */
const attemptShareMax = 0.45
const attemptMsMin = 50

const nothing = new Uint8Array()

/** Signed requests to one bucket. */
export class S3Client {
  readonly clock = new ServerClock()
  readonly requests: S3Requests = { GET: 0, HEAD: 0, PUT: 0, DELETE: 0, LIST: 0 }
  /** What the server calls itself. */
  server = ''
  /** When the last answer came, by `performance.now()`. */
  heardAt = 0
  readonly place: Place
  readonly hashes: Hashes
  readonly #credentials: CredentialSource
  readonly #transport: Transport
  readonly #signer: Signer
  readonly #host: string
  /** What all paths begin with. */
  readonly #folder: string
  /** How far the server's clock is ahead of this machine's, once it has refused our time. */
  #skewMs = 0
  #isClosed = false
  #lastDate = { text: '', ms: 0 }

  constructor(place: Place, { credentials, hashes, transport }: Means) {
    const { endpoint, bucket, isPathStyle } = place
    this.place = place
    this.hashes = hashes
    this.#credentials = credentials
    this.#folder = isPathStyle ? `${endpoint.pathname}${bucket}/` : endpoint.pathname
    this.#host = hostOf(place)
    this.#transport = transport
    this.#signer = new Signer(place.region, hashes)
  }

  /** How many requests may be under way at once. */
  get atOnceMax(): number {
    return this.#transport.atOnceMax
  }

  deadline(): Deadline {
    return new Deadline(this.place.timeoutMs, this.#transport.isPatient)
  }

  /**
   * Sends a request once. It throws `NoAnswer`, or gives whatever the server said. Only a refusal of our clock is
   * sent again, by the server's clock: such a request was not looked at.
   */
  async once(ask: Ask, deadline: Deadline): Promise<Answer> {
    const answer = await this.#send(ask, deadline)
    if (answer.status !== 403 || !textIn(answer.body).includes('RequestTimeTooSkewed'))
      return answer
    const serverMs = Date.parse(String(answer.headers['date'] ?? ''))
    if (Number.isNaN(serverMs)) return answer
    this.#skewMs = serverMs - Date.now()
    return this.#send(ask, deadline)
  }

  /** Reads: again and again while the server fails for the moment. Throws where it doesn't answer with one of `expected`. */
  async read(ask: Ask, expected: readonly number[], deadline: Deadline): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      let failure: NoAnswer | Refusal
      try {
        const answer = await this.once(ask, deadline)
        if (expected.includes(answer.status)) return answer
        failure = new Refusal(answer)
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error
        failure = error
      }
      const mayPass = failure instanceof NoAnswer ? failure.mayPass : isPassing(failure.status)
      if (!mayPass || this.#isClosed || !(await deadline.pause(attempt))) throw failure
    }
  }

  close(): void {
    this.#isClosed = true
    this.#transport.close()
  }

  async #send({ kind, name, query, headers, body = nothing, ...ask }: Ask, deadline: Deadline) {
    const method = ask.method ?? (kind === 'LIST' ? 'GET' : kind)
    const { timeoutMs } = this.place
    const path = this.#folder + encodeName(name)
    const queryText = query ? encodeQuery(query) : ''
    const unsigned = { method, path, query: queryText, body, headers: this.#withHost(headers) }
    const known = this.#credentials()
    const credentials = known instanceof Promise ? await known : known
    const signed = this.#signer.sign(unsigned, credentials, Date.now() + this.#skewMs)
    const target = queryText === '' ? path : `${path}?${queryText}`
    const share = this.#transport.isPatient ? attemptShareMax : 1
    const attemptMs = Math.max(attemptMsMin, Math.min(deadline.leftMs, timeoutMs * share))
    this.requests[kind]++
    const answer = await this.#transport.send({
      method,
      target,
      headers: signed,
      body,
      timeoutMs: attemptMs,
    })
    this.#look(answer)
    return answer
  }

  #withHost(headers: Ask['headers']): Readonly<Record<string, string>> {
    return headers ? { ...headers, host: this.#host } : { host: this.#host }
  }

  #look({ status, headers, asked, heard }: Answer): void {
    const [date, server] = [String(headers['date'] ?? ''), headers['server'] ?? '']
    // Errors may be those of a gateway in front of it.
    if (status < 400) this.server = String(server)
    this.heardAt = heard
    if (date !== this.#lastDate.text) this.#lastDate = { text: date, ms: Date.parse(date) }
    const { ms } = this.#lastDate
    // The header tells whole seconds: the time lay somewhere within.
    if (!Number.isNaN(ms)) this.clock.observe({ asked, heard, earliest: ms, latest: ms + 999 })
  }
}

/** The host that requests to a bucket go to. */
export const hostOf = ({ endpoint, bucket, isPathStyle }: Place): string =>
  isPathStyle ? endpoint.host : `${bucket}.${endpoint.host}`

/** Answers that say: not now. To a read, 409 is one of them. */
const isPassing = (status: number): boolean =>
  (status >= 500 && status !== 501) || status === 429 || status === 409

const encode = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** Most names consist of what stands for itself, and the mark at their end. */
const plainName = /^[\w.~/-]*!$/

const encodeName = (name: string): string =>
  plainName.test(name) ? `${name.slice(0, -1)}%21` : encode(name).replaceAll('%2F', '/')

const encodeQuery = (query: Readonly<Record<string, string>>): string =>
  Object.keys(query)
    .sort()
    .map((name) => `${encode(name)}=${encode(query[name] as string)}`)
    .join('&')
