import { shown } from './text.ts'

interface FieldRule {
  /** What it is called in messages, such as "The task". */
  readonly noun: string
  readonly known: readonly string[]
}

/**
 * What a caller gave, if it is an object with none but known fields: a misspelled one would be ignored, and the caller
 * told that all is well. Throws what `refuse` makes of anything else.
 */
export function checkedFields<T>(
  given: T,
  { noun, known }: FieldRule,
  refuse: (what: string, next: string) => Error,
): T {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw refuse(`${noun} is no object.`, `Give an object with ${known.join(', ')}.`)
  const unknown = Object.keys(given).find((field) => !known.includes(field))
  if (unknown === undefined) return given
  throw refuse(`${noun} has an unknown field: ${shown(unknown)}.`, `Known are ${known.join(', ')}.`)
}
