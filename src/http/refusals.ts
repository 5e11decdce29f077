import { kinds, Refusal } from '../collection/index.ts'
import { failureOf } from '../failure/index.ts'
import { type Explain, HttpError, kitError } from './error.ts'

/** The codes of models that have none of their own for HTTP, and their statuses. */
export const refusalStatuses: Readonly<Record<string, number>> = {
  INVALID_ID: 400,
  ...Object.fromEntries(Object.values(kinds).map(({ code, status }) => [code, status])),
}

/** What a model refuses, in the words that all surfaces have for it. */
export const explainRefusal: Explain = (thrown, method) => {
  if (!isRefusal(thrown)) return null
  const { message, next, candidates, count } = failureOf(thrown)
  const details = {
    ...(typeof thrown.code === 'string' ? { reason: thrown.code } : {}),
    ...(typeof thrown.status === 'string' ? { status: thrown.status } : {}),
    ...(candidates === undefined ? {} : { candidates, count }),
  }
  const text = next === null ? message : `${message} ${next}`
  if (thrown.code === 'CHANGED_MEANWHILE') return kitError('PRECONDITION_FAILED', text, { details })
  // An id that can't be one was refused before; so it is what was sent, or asked for.
  if (thrown.kind === 'invalid' && method === 'GET')
    return kitError('INVALID_QUERY', text, { details })
  return new HttpError(kinds[thrown.kind], text, { details })
}

/** A refusal of a model; some have a code of their own, and the status that was in the way. */
interface Told {
  readonly code?: unknown
  readonly status?: unknown
}

const isRefusal = (thrown: unknown): thrown is Refusal & Told => thrown instanceof Refusal
