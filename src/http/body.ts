import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { isDeeper } from '../collection/index.ts'
import { type HttpError, kitError } from './error.ts'

export interface BodyLimits {
  readonly bodyBytesMax: number
  /** How long a client may take to send it. */
  readonly bodyMsMax: number
}

/** Deeper than this nobody nests, and what is deeper would exhaust the stack when it is written again. */
const depthMax = 100

/** The JSON that was sent; undefined where nothing was. Reads no more than the limit, and keeps no more. */
export async function readBody(incoming: IncomingMessage, limits: BodyLimits): Promise<unknown> {
  if (Number(incoming.headers['content-length'] ?? 0) > limits.bodyBytesMax)
    throw tooLarge(limits.bodyBytesMax)
  const bytes = await readBytes(incoming, limits)
  if (bytes.length === 0) return undefined
  checkContentType(incoming.headers['content-type'])
  if (!isUtf8(bytes)) throw invalid('The body is not UTF-8. Send JSON in UTF-8.')
  const text = bytes.toString('utf8')
  if (isDeeper(text, depthMax))
    throw invalid(`The body is nested more than ${depthMax} levels deep.`)
  try {
    return JSON.parse(text)
  } catch {
    throw invalid('The body is no JSON. Check its quotes, commas and brackets.')
  }
}

function readBytes(incoming: IncomingMessage, limits: BodyLimits): Promise<Buffer> {
  const { bodyBytesMax, bodyMsMax } = limits
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const settle = (outcome: () => void) => {
      clearTimeout(timer)
      incoming.off('data', take).off('end', end).off('close', gone).off('error', gone)
      outcome()
    }
    const take = (chunk: Buffer) => {
      bytes += chunk.length
      chunks.push(chunk)
      // What else comes is thrown away unread, until the server's patience with the request ends.
      if (bytes > bodyBytesMax) settle(() => reject(tooLarge(bodyBytesMax)))
    }
    const end = () => settle(() => resolve(Buffer.concat(chunks)))
    const gone = () => settle(() => reject(timedOut(bodyMsMax)))
    const timer = setTimeout(gone, bodyMsMax)
    incoming.on('data', take).on('end', end).on('close', gone).on('error', gone)
  })
}

function checkContentType(given: string | undefined): void {
  const [type = '', ...parameters] = (given ?? '').split(';').map((part) => part.trim())
  const charset = parameters.find((each) => /^charset=/i.test(each))
  const isJson = /^application\/([\w.-]+\+)?json$/i.test(type)
  if (isJson && (charset === undefined || /^charset="?utf-8"?$/i.test(charset))) return
  throw invalid('The body must be JSON in UTF-8. Send it with "Content-Type: application/json".')
}

const invalid = (message: string): HttpError => kitError('INVALID_BODY', message)

const tooLarge = (bytesMax: number): HttpError =>
  kitError('BODY_TOO_LARGE', `The body has more than ${bytesMax} bytes. Send less.`, {
    details: { bytes_max: bytesMax },
  })

const timedOut = (msMax: number): HttpError =>
  kitError('REQUEST_TIMEOUT', `The body did not come within ${msMax} ms. Send it faster.`, {
    headers: { Connection: 'close' },
  })
