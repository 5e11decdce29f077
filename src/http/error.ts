import { ForbiddenError } from '../access/index.ts'
import { CorruptDocumentError } from '../collection/index.ts'
import type { Method } from '../schema/index.ts'
import { StoreError } from '../store/internal.ts'

/** The codes that every API has, and their statuses. Models add their own. */
export const kitStatuses = {
  INVALID_BODY: 400,
  INVALID_QUERY: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN_AGENT: 403,
  FORBIDDEN_HOST: 403,
  FORBIDDEN_ORIGIN: 403,
  FORBIDDEN_ROLE: 403,
  ROUTE_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  PRECONDITION_FAILED: 412,
  BODY_TOO_LARGE: 413,
  TOO_MANY_ATTEMPTS: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL_ERROR: 500,
  STORE_UNAVAILABLE: 503,
} as const

type KitCode = keyof typeof kitStatuses

type Details = Readonly<Record<string, unknown>>

/** An answer that is no success. Its message says what, why, and what to do next. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly status: number
  readonly code: string
  readonly details: Details
  readonly headers: Readonly<Record<string, string>>

  constructor(
    { code, status }: { code: string; status: number },
    message: string,
    { details = {}, headers = {} }: { details?: Details; headers?: Record<string, string> } = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
    this.headers = headers
  }
}

/** One of the codes that every API has. */
export const kitError = (
  code: KitCode,
  message: string,
  extras: { details?: Details; headers?: Record<string, string> } = {},
): HttpError => new HttpError({ code, status: kitStatuses[code] }, message, extras)

/** What a client reads. */
export const errorBody = ({ message, code, details }: HttpError) => ({
  error: message,
  code,
  details,
})

/** How a model tells its own errors; null for what is none of them. Where nothing is read, what was sent is wrong. */
export type Explain = (thrown: unknown, method: Method) => HttpError | null

/** Anything that was thrown as an answer. What nobody foresaw says nothing about our insides. */
export function httpErrorOf(thrown: unknown, explain: Explain, method: Method): HttpError {
  if (thrown instanceof HttpError) return thrown
  if (thrown instanceof ForbiddenError)
    return kitError(thrown.code, thrown.message, { details: thrown.details })
  const told = explain(thrown, method)
  if (told) return told
  if (thrown instanceof StoreError) return ofStore(thrown)
  if (thrown instanceof CorruptDocumentError)
    return kitError('INTERNAL_ERROR', 'What is stored can’t be read. Somebody must look at it.', {
      details: { id: thrown.id },
    })
  return kitError('INTERNAL_ERROR', 'Something failed that should not.')
}

function ofStore({ code, reason }: StoreError): HttpError {
  const headers = { 'Retry-After': '1' }
  if (code === 'unknown_outcome')
    return kitError(
      'STORE_UNAVAILABLE',
      'The store gave no answer: the change may or may not have happened. Read again, then decide.',
      { details: { outcome: code, reason }, headers },
    )
  if (code === 'unavailable' || code === 'closed')
    return kitError(
      'STORE_UNAVAILABLE',
      'The store can’t be used at present; nothing was changed. Try again later.',
      { details: { outcome: 'unavailable', reason }, headers },
    )
  return kitError('INTERNAL_ERROR', 'The store can’t do what it was asked for.')
}
