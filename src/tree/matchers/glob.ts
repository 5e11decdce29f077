import { Matcher as Engine } from '@isaacs/nonrecursive-glob-match'
import { type Atom, readGlob } from './glob-syntax.ts'

/** A pattern for tags, ready to be tried. */
export interface Glob {
  readonly pattern: string
  /** About how many characters a tag is compared with; see `globCostMax`. */
  readonly cost: number
  matches(tag: string): boolean
}

/** What one stretch between slashes must be; `**` is any number of stretches, also none. */
type Part = '**' | ((text: string) => boolean)

/**
 * `*` and `?` stop at slashes, `**` between slashes does not, and case counts. Throws `BadGlobError`.
 *
 * The engine is the one of minimatch 11: it follows all ways through a pattern at once, so its time is bounded by
 * pattern times tag. The others make regular expressions, which try one way after the other; `*a*a*a*a*a*a*ab`
 * takes them seconds for one tag of 64 letters.
 */
export function compileGlob(pattern: string): Glob {
  const { alternatives, cost } = readGlob(pattern)
  const compiled = alternatives.map((atoms) => segmentsOf(atoms).map(partOf))
  return {
    pattern,
    cost,
    matches(tag) {
      const stretches = tag.split('/')
      return compiled.some((parts) => isMatch(parts, stretches))
    },
  }
}

function segmentsOf(atoms: readonly Atom[]): readonly (readonly Atom[])[] {
  const segments: Atom[][] = [[]]
  for (const atom of atoms)
    if (atom.kind === 'slash') segments.push([])
    else segments.at(-1)?.push(atom)
  return segments
}

function partOf(segment: readonly Atom[]): Part {
  if (segment.length === 2 && segment.every(({ kind }) => kind === 'star')) return '**'
  if (segment.every((atom) => atom.kind === 'literal')) {
    const literal = segment.map(({ character }) => character).join('')
    return (text) => text === literal
  }
  // Behind a letter no stretch is "." or "..", which the engine takes for folders that only dots match.
  const engine = new Engine(`x${segment.map(sourceOf).join('')}`, { dot: true, noext: true })
  return (text) => engine.testUnchecked(`x${text}`)
}

function sourceOf(atom: Atom): string {
  switch (atom.kind) {
    case 'star':
      return '*'
    case 'any':
      return '?'
    case 'class':
      return atom.source
    case 'slash':
      return ''
    case 'literal':
      return atom.character.replace(/[\\*?[\]]/, '\\$&')
  }
}

/**
 * Whether the stretches are what the parts say. Only the last `**` seen is ever tried again with more: whatever an
 * earlier one could take, the last one can take as well. That bounds the work by parts times stretches.
 */
function isMatch(parts: readonly Part[], stretches: readonly string[]): boolean {
  let [part, stretch, retryPart, retryStretch] = [0, 0, -1, 0]
  while (stretch < stretches.length) {
    const wanted = parts[part]
    if (wanted === '**') {
      part++
      retryPart = part
      retryStretch = stretch
    } else if (wanted?.(stretches[stretch] as string)) {
      part++
      stretch++
    } else if (retryPart >= 0) {
      part = retryPart
      retryStretch++
      stretch = retryStretch
    } else return false
  }
  return parts.slice(part).every((left) => left === '**')
}
