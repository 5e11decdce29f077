import { checkedFields, shown } from '../collection/index.ts'
import { InvalidPlanError, SessionNotFoundError } from './error.ts'

/** Throws {@link InvalidPlanError} for what is no object, or has other fields than these. */
export const checkFields = <T>(given: T, noun: string, known: readonly string[]): T =>
  checkedFields(given, { noun, known }, (what, next) => new InvalidPlanError(what, next))

/** The whole id of a session. Throws {@link SessionNotFoundError} for what no session can have as one. */
export function checkSid(given: string): string {
  if (typeof given !== 'string')
    throw new InvalidPlanError('The id of the session is no string.', 'Give its 26 characters.')
  if (!/^[0-9A-HJKMNP-TV-Z]{26}$/.test(given)) throw new SessionNotFoundError(shown(given))
  return given
}

/** How many to give, or to leave out. Throws {@link InvalidPlanError}. */
export function checkCount(noun: string, given: number): number {
  if ((Number.isInteger(given) && given >= 0) || given === Number.POSITIVE_INFINITY) return given
  throw new InvalidPlanError(
    `${noun} is no number of things: ${shown(given)}.`,
    'Give a whole number from 0 on.',
  )
}
