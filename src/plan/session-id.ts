import { shown } from '../collection/index.ts'
import { InvalidPlanError } from './error.ts'

/** The start of a session's id as it is stored. Throws {@link InvalidPlanError} for what is none. */
export function checkSessionPrefix(given: string): string {
  const prefix = typeof given === 'string' ? given.trim().toUpperCase() : ''
  if (/^[0-9A-HJKMNP-TV-Z]{1,26}$/.test(prefix)) return prefix
  throw new InvalidPlanError(
    `Not the id of a session, nor its start: ${shown(given)}.`,
    'Ids are 26 digits and capital letters; give at least the first.',
  )
}
