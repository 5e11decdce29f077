import { textOf } from '../collection/index.ts'
import { InvalidTaskError } from './error.ts'

/** Ids are the hex of a SHA-512. */
export const idLength = 128

/** A prefix of an id in lower case. Throws {@link InvalidTaskError}. */
export function checkPrefix(given: string): string {
  const prefix = typeof given === 'string' ? given.trim().toLowerCase() : ''
  if (/^[0-9a-f]{1,128}$/.test(prefix)) return prefix
  const shown = JSON.stringify(textOf(given).slice(0, idLength))
  throw new InvalidTaskError(
    `Not the id of a task, nor its start: ${shown}.`,
    `Ids are ${idLength} hex digits; give at least the first.`,
  )
}
