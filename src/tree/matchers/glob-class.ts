import { BadGlobError } from './bad-glob-error.ts'
import type { GlobReader } from './glob-syntax.ts'

/** One character out of a class, never a slash. */
export interface GlobClass {
  readonly kind: 'class'
  /** As the matching engine reads it. */
  readonly source: string
}

interface Range {
  readonly low: string
  readonly high: string
}

/**
 * Reads `[…]` and leaves the reader at its `]`. The class is written anew with everything escaped, because the
 * engine knows more than doublestar: in `[[:alpha:]]` it would see a named class.
 */
export function readClass(reader: GlobReader): GlobClass | { readonly kind: 'any' } {
  const { pattern, characters } = reader
  const start = reader.index
  const bad = (why: string) => new BadGlobError(pattern, `the [ at ${start + 1} ${why}`)
  reader.index++
  const isNegated = ['!', '^'].includes(characters[reader.index] ?? '')
  if (isNegated) reader.index++
  const ranges: Range[] = []
  for (; characters[reader.index] !== ']'; reader.index++) {
    const low = readMember(reader)
    const isRange =
      characters[reader.index + 1] === '-' && (characters[reader.index + 2] ?? ']') !== ']'
    if (isRange) reader.index += 2
    const high = isRange ? readMember(reader) : low
    if (low === undefined || high === undefined) throw bad('is not closed')
    if (codeOf(high) < codeOf(low)) throw bad(`has the range ${low}-${high}, which runs backwards`)
    ranges.push({ low, high })
  }
  if (ranges.length === 0) throw bad('closes without a character in it')
  const members = ranges.map(withoutSlash).filter((range) => range !== null)
  if (members.length > 0)
    return { kind: 'class', source: `[${isNegated ? '^' : ''}${members.map(sourceOf).join('')}]` }
  if (isNegated) return { kind: 'any' }
  throw bad('holds nothing but a slash, which no class matches')
}

/** A character of the class, behind a backslash or not; none at the end of the pattern. */
function readMember(reader: GlobReader): string | undefined {
  if (reader.characters[reader.index] === '\\') reader.index++
  return reader.characters[reader.index]
}

/** The engine sees what lies between slashes, and refuses a pattern with one in it. */
function withoutSlash({ low, high }: Range): Range | null {
  const range = { low: low === '/' ? '0' : low, high: high === '/' ? '.' : high }
  return codeOf(range.low) <= codeOf(range.high) ? range : null
}

const codeOf = (character: string): number => character.codePointAt(0) as number

const sourceOf = ({ low, high }: Range): string =>
  low === high ? escaped(low) : `${escaped(low)}-${escaped(high)}`

const escaped = (character: string): string => character.replace(/[[\]\\^!-]/, '\\$&')
