import { Refusal } from '../collection/index.ts'
import { type FailureWord, failureOf } from '../failure/index.ts'
import { type Explain, HttpError, kitError } from './error.ts'

/** The codes of models that have none of their own for HTTP, and their statuses. */
export const refusalStatuses = {
  INVALID_ID: 400,
  NOT_FOUND: 404,
  AMBIGUOUS: 409,
  CONFLICT: 409,
  REFUSED: 409,
  CORRUPT: 422,
} as const

type RefusalCode = keyof typeof refusalStatuses

/** What is missing here the kit knows better: what the store did, and what nobody foresaw. */
const codes: Partial<Record<FailureWord, RefusalCode>> = {
  not_found: 'NOT_FOUND',
  ambiguous: 'AMBIGUOUS',
  conflict: 'CONFLICT',
  not_owner: 'CONFLICT',
  refused: 'REFUSED',
  no_store: 'REFUSED',
  corrupt: 'CORRUPT',
}

/** What a model refuses, in the words that all surfaces have for it. */
export const explainRefusal: Explain = (thrown, method) => {
  if (!isRefusal(thrown)) return null
  const { code: word, message, next, candidates, count } = failureOf(thrown)
  const details = {
    ...(typeof thrown.code === 'string' ? { reason: thrown.code } : {}),
    ...(typeof thrown.status === 'string' ? { status: thrown.status } : {}),
    ...(candidates === undefined ? {} : { candidates, count }),
  }
  const text = next === null ? message : `${message} ${next}`
  if (thrown.code === 'CHANGED_MEANWHILE') return kitError('PRECONDITION_FAILED', text, { details })
  // An id that can't be one was refused before; so it is what was sent, or asked for.
  if (word === 'invalid') {
    const code = method === 'GET' ? 'INVALID_QUERY' : 'INVALID_BODY'
    return new HttpError({ code, status: 400 }, text, { details })
  }
  const code = codes[word]
  return code ? new HttpError({ code, status: refusalStatuses[code] }, text, { details }) : null
}

/** A refusal of a model; some have a code of their own, and the status that was in the way. */
interface Told {
  readonly code?: unknown
  readonly status?: unknown
}

const isRefusal = (thrown: unknown): thrown is Refusal & Told => thrown instanceof Refusal
