import { hmac } from '@noble/hashes/hmac.js'
import { md5 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import {
  type Answer,
  bodyBytesMax,
  NoAnswer,
  type Outgoing,
  type Transport,
  tooLarge,
} from '../../../src/store/drivers/s3/answer.ts'
import type { Hashes } from '../../../src/store/drivers/s3/sign.ts'
import { hearTime } from '../clock.ts'
import { Failure } from '../source/failure.ts'

const bytesOf = (data: string | Uint8Array): Uint8Array =>
  typeof data === 'string' ? utf8ToBytes(data) : data

/** Made here: those of the browser answer by promises, lack MD5, and are there on pages of HTTPS and this computer only. */
export const hashes: Hashes = {
  sha256: (data) => bytesToHex(sha256(bytesOf(data))),
  hmac: (key, text) => bytesToHex(hmac(sha256, key, utf8ToBytes(text))),
  hmacKey: (key, text) => hmac(sha256, bytesOf(key), utf8ToBytes(text)),
  md5: (data) => bytesToHex(md5(data)),
}

/** A browser has six connections to a host; the others wait in it, and their time runs. */
const requestsAtOnceMax = 16

/** Lists and settings of a bucket have no ETag. */
const isOfBucket = (target: string): boolean =>
  /[?&](?:list-type|versions|versioning)=/.test(target)

/** Brings requests to a bucket by `fetch`. Sends nothing twice: what was not answered is for a person to judge. */
export class FetchTransport implements Transport {
  readonly atOnceMax = requestsAtOnceMax
  readonly isPatient = false
  readonly #origin: string
  /** Whether the bucket lets the page see the time. */
  isTimeTold = false

  constructor(origin: string) {
    this.#origin = origin
  }

  async send({ method, target, headers: given, body, timeoutMs }: Outgoing): Promise<Answer> {
    const [asked, from] = [performance.now(), Date.now()]
    const { response, bytes } = await this.#fetch(target, {
      method,
      // The browser sends the host, and will not be told which.
      headers: Object.fromEntries(Object.entries(given).filter(([name]) => name !== 'host')),
      ...(method === 'PUT' ? { body: body as BodyInit } : {}),
      cache: 'no-store',
      credentials: 'omit',
      signal: AbortSignal.timeout(Math.ceil(timeoutMs)),
    })
    const headers = Object.fromEntries(response.headers)
    this.#hear(headers['date'], from)
    if (response.ok && method !== 'PUT' && headers['etag'] === undefined && !isOfBucket(target))
      throw hidden()
    return {
      status: bytes === null ? tooLarge : response.status,
      headers,
      body: bytes ?? new Uint8Array(),
      asked,
      heard: performance.now(),
      ...(response.type === 'cors' ? { isFiltered: true } : {}),
    }
  }

  close(): void {}

  async #fetch(target: string, init: RequestInit) {
    try {
      const response = await fetch(`${this.#origin}${target}`, init)
      // A HEAD tells the length of what it does not bring.
      const isTooLarge =
        init.method !== 'HEAD' && Number(response.headers.get('Content-Length')) > bodyBytesMax
      if (isTooLarge) await response.body?.cancel()
      const bytes = isTooLarge ? null : new Uint8Array(await response.arrayBuffer())
      return { response, bytes }
    } catch (error) {
      throw new NoAnswer(error, true)
    }
  }

  #hear(date: string | undefined, from: number): void {
    const told = Date.parse(date ?? '')
    if (Number.isNaN(told)) return
    this.isTimeTold = true
    hearTime(told, { from, to: Date.now(), grainMs: 1_000 })
  }
}

const hidden = (): Failure =>
  new Failure(
    'forbidden',
    'The CORS rules of the bucket hide ETag, which tells the page the state of a task.',
    'Run qo ui deploy, or add ETag and Date to ExposeHeaders.',
  )
