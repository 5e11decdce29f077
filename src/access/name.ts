import { shown } from '../collection/index.ts'
import { InvalidTokenError } from './error.ts'

/** Leaves room for a suffix in `X-Agent-ID`, which has at most 200 characters. */
const charactersMax = 64

/** Letters, marks and symbols of which nothing is seen either, such as fillers and the empty Braille cell. */
const blank = /[\p{Default_Ignorable_Code_Point}\u2800]/u

/**
 * Throws for what can't name a token. A name is who history says did it, so nothing in it may be invisible; and since it
 * has no slash, `NAME/suffix` belongs to exactly one name.
 */
export function checkName(name: string): void {
  const flaw = flawOf(name)
  if (flaw === null) return
  throw new InvalidTokenError(
    `The name ${shown(name)} ${flaw}.`,
    `Give 1 to ${charactersMax} letters, digits, punctuation or inner spaces, without a slash.`,
  )
}

function flawOf(name: string): string | null {
  if (name === '') return 'is empty'
  if ([...name].length > charactersMax) return `has more than ${charactersMax} characters`
  if (name.includes('/')) return 'has a slash, which begins a suffix'
  if (name === '.' || name === '..') return 'is a path'
  if (name.startsWith('-')) return 'begins with a dash, as options do'
  if (name.startsWith(' ') || name.endsWith(' ')) return 'begins or ends with a space'
  // Letters, marks, digits, punctuation, symbols: what is left is invisible, or only looks like a space.
  if (!/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u.test(name) || blank.test(name))
    return 'has characters that can’t be seen'
  return name === name.normalize('NFC') ? null : 'is not in Unicode’s composed form (NFC)'
}

/** Whether an agent is a token's own: its name, or its name and a suffix. */
export const isOwnAgent = (name: string, agent: string): boolean =>
  agent === name || (agent.startsWith(`${name}/`) && agent.length > name.length + 1)
