import { AwsClient } from 'aws4fetch'
import { hearTime, storeNow } from '../clock.ts'
import { Failure, isAborted } from '../source/failure.ts'
import type { Keys } from './pasted.ts'
import { addressOf, type Place } from './place.ts'
import { inDoubt, refusalOf, textIn } from './refusal.ts'

interface Ask {
  readonly method?: 'GET' | 'PUT' | 'HEAD'
  /** The name of an object below the prefix; empty for the bucket itself. */
  readonly name?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal | undefined
}

/** An object that is there, with the state that it is in. */
interface Found {
  readonly text: string
  readonly etag: string
}

const timeoutMs = 15_000
const regionDefault = 'us-east-1'

/** Requests to a bucket, signed here. The keys are in the memory of this object, and nowhere else. */
export class Client {
  readonly #aws: AwsClient
  readonly #address: URL
  readonly #root: URL
  /** Object names in lists start with it. */
  readonly prefix: string
  /** Whether the bucket lets the page see the time. */
  isTimeTold = false

  constructor(place: Place, keys: Keys) {
    this.#address = addressOf(place)
    this.#root = addressOf({ ...place, prefix: '' })
    const folder = place.prefix.replace(/^\/+|\/+$/g, '')
    this.prefix = folder === '' ? '' : `${folder}/`
    this.#aws = new AwsClient({
      accessKeyId: keys.accessKeyId,
      secretAccessKey: keys.secretAccessKey,
      ...(keys.sessionToken === '' ? {} : { sessionToken: keys.sessionToken }),
      service: 's3',
      region: place.region || regionDefault,
      retries: 0,
    })
  }

  /** Null where there is nothing, or what a removal left: an empty object. */
  async get(name: string, more: Pick<Ask, 'query' | 'signal'> = {}): Promise<Found | null> {
    const response = await this.send({ name, ...more })
    if (response.status === 404) return null
    const text = await this.#bodyOf(response)
    const etag = response.headers.get('ETag')
    if (etag === null) throw hidden()
    return text === '' ? null : { text, etag }
  }

  /** The state of an object, also of an empty one; null where there is none. */
  async stateOf(name: string): Promise<string | null> {
    const response = await this.send({ method: 'HEAD', name })
    if (response.status === 404) return null
    if (!response.ok) throw refusalOf(response.status, '', false)
    return response.headers.get('ETag') ?? raise(hidden())
  }

  /** Writes by condition. False where the condition does not hold. */
  async put(
    name: string,
    body: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<boolean> {
    const response = await this.send({ method: 'PUT', name, body, headers })
    if (response.ok) return true
    if ([404, 409, 412].includes(response.status)) return false
    throw refusalOf(response.status, await response.text(), true)
  }

  async xml(query: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<Document> {
    const text = await this.#bodyOf(await this.send({ query, signal }))
    const parsed = new DOMParser().parseFromString(text, 'application/xml')
    if (parsed.querySelector('parsererror') === null) return parsed
    throw new Failure(
      'other',
      'That is not an answer from S3.',
      'Check the endpoint and the bucket.',
    )
  }

  async send(ask: Ask, isSecond = false): Promise<Response> {
    const from = Date.now()
    const response = await this.#fetch(ask)
    const told = Date.parse(response.headers.get('Date') ?? '')
    if (!Number.isNaN(told)) {
      this.isTimeTold = true
      hearTime(told, { from, to: Date.now(), grainMs: 1_000 })
    }
    const isSkewed =
      response.status === 403 &&
      textIn(await response.clone().text(), 'Code') === 'RequestTimeTooSkewed'
    // Signed anew with the time that the server told.
    return isSkewed && this.isTimeTold && !isSecond ? this.send(ask, true) : response
  }

  async #fetch({ method = 'GET', name = '', query = {}, headers, body, signal }: Ask) {
    const path = name.split('/').map(encodeURIComponent).join('/')
    const url = new URL(name === '' ? this.#root : `${this.#address}${path}`)
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value)
    const limit = AbortSignal.timeout(timeoutMs)
    try {
      const datetime = new Date(storeNow()).toISOString().replace(/[:-]|\.\d{3}/g, '')
      const signed = await this.#aws.sign(url, {
        method,
        ...(headers ? { headers: { ...headers } } : {}),
        ...(body === undefined ? {} : { body }),
        aws: { datetime },
      })
      return await fetch(signed, {
        cache: 'no-store',
        credentials: 'omit',
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      })
    } catch (error) {
      if (isAborted(error) && signal?.aborted) throw error
      if (method === 'PUT') throw inDoubt('The bucket did not answer')
      throw new Failure(
        'unreachable',
        'The bucket does not answer this page: it is down, or its CORS rules do not allow the page.',
        'Check the endpoint. For the rules run qo ui deploy, or set CORS to allow GET, PUT and HEAD, all headers, and to expose ETag and Date.',
      )
    }
  }

  async #bodyOf(response: Response): Promise<string> {
    const text = await response.text()
    if (!response.ok) throw refusalOf(response.status, text, false)
    return text
  }
}

const hidden = (): Failure =>
  new Failure(
    'forbidden',
    'The CORS rules of the bucket hide ETag, which tells the page the state of a task.',
    'Run qo ui deploy, or add ETag and Date to ExposeHeaders.',
  )

function raise(failure: Failure): never {
  throw failure
}
