import { jsonOf } from '../collection/index.ts'
import { errorBody, type HttpError } from './error.ts'
import type { Act, Answer } from './route.ts'

/** Of every answer. */
export const commonHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-cache',
}

const jsonHeaders = { ...commonHeaders, 'Content-Type': 'application/json' }
export const streamHeaders = {
  ...commonHeaders,
  'Content-Type': 'text/event-stream',
  'X-Accel-Buffering': 'no',
}

/** What a route answers, as it is sent. */
export function responseOf(answer: Answer): Response {
  const { status, body, text = null } = answer
  const json = answer.json ?? (body === undefined ? null : jsonOf(body))
  const headers = headersFor(answer, json === null ? commonHeaders : jsonHeaders)
  const response = new Response(json === null ? text : sentAs(json), { status, headers })
  if (answer.acts) acts.set(response, answer.acts)
  return response
}

const textMax = 65_536

/** A long text would be kept until all of it is sent, beside the bytes that it is sent as. */
const sentAs = (text: string): string | Buffer<ArrayBuffer> =>
  text.length > textMax ? Buffer.from(text) : text

const acts = new WeakMap<Response, readonly Act[]>()

/** What was changed or refused, where the request alone does not say it. */
export const actsOf = (response: Response): readonly Act[] | undefined => acts.get(response)

/** Most answers have no headers of their own but a tag, and to merge them costs more than to look. */
export function headersFor({ etag, headers }: Answer, usual: Record<string, string>) {
  const tagged = etag === undefined ? usual : { ...usual, ETag: etag }
  return headers === undefined ? tagged : { ...tagged, ...headers }
}

export function errorResponse(error: HttpError): Response {
  const { status, code, headers } = error
  const response = responseOf({ status, body: errorBody(error), headers })
  codes.set(response, code)
  return response
}

const codes = new WeakMap<Response, string>()

/** The code of an error that is answered with. */
export const codeOf = (response: Response): string | undefined => codes.get(response)
