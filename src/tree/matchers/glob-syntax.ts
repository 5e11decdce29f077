import { BadGlobError } from './bad-glob-error.ts'
import { type GlobClass, readClass } from './glob-class.ts'

/**
 * The syntax of doublestar (github.com/bmatcuk/doublestar/v4), which the specification names, read into
 * alternatives without braces. The libraries for JavaScript read braces and brackets as bash does, where one that
 * is not closed stands for itself, `{a}` is no choice and `{1..9}` is a range; so this part is our own.
 */
export type Atom =
  | { readonly kind: 'literal'; readonly character: string }
  | { readonly kind: 'slash' }
  /** Any run of characters without a slash. */
  | { readonly kind: 'star' }
  /** One character that is no slash. */
  | { readonly kind: 'any' }
  | GlobClass

/** What stands between braces: one of several sequences. */
interface Choice {
  readonly kind: 'choice'
  readonly alternatives: readonly Sequence[]
}

type Sequence = readonly (Atom | Choice)[]

/** Tags have at most 64 characters, so what is longer is a slip or an attack. */
const globCharactersMax = 1_000

/**
 * How many characters all alternatives together may have, each counting one more than its own. Braces multiply:
 * twenty pairs of two make a million alternatives.
 */
export const globCostMax = 8_192

const shorten = 'Shorten it, or make several of it.'

/** A pattern's alternatives, none of which has braces. Throws {@link BadGlobError}. */
export function readGlob(pattern: string): {
  alternatives: readonly (readonly Atom[])[]
  cost: number
} {
  const characters = [...pattern]
  if (characters.length === 0)
    throw new BadGlobError(pattern, 'it is empty', 'Give one, or leave it out.')
  if (characters.length > globCharactersMax)
    throw new BadGlobError(pattern, `it has more than ${globCharactersMax} characters`, shorten)
  const reader = { pattern, characters, index: 0 }
  const sequence = readSequence(reader, false)
  const { count, length } = sizeOf(sequence)
  const cost = count + length
  if (cost > globCostMax)
    throw new BadGlobError(pattern, `its braces make more than ${globCostMax} characters`, shorten)
  return { alternatives: expanded(sequence), cost }
}

/** Where reading has come to. */
export interface GlobReader {
  readonly pattern: string
  readonly characters: readonly string[]
  index: number
}

/** Up to the end of the pattern; within braces, up to the comma or brace that ends the alternative. */
function readSequence(reader: GlobReader, isInBraces: boolean): Sequence {
  const sequence: (Atom | Choice)[] = []
  for (; reader.index < reader.characters.length; reader.index++) {
    const character = reader.characters[reader.index] as string
    if (isInBraces && (character === ',' || character === '}')) return sequence
    sequence.push(readAtom(reader, character))
  }
  return sequence
}

/** Leaves the reader at the last character that belongs to what it read. */
function readAtom(reader: GlobReader, character: string): Atom | Choice {
  switch (character) {
    case '*':
      return { kind: 'star' }
    case '?':
      return { kind: 'any' }
    case '[':
      return readClass(reader)
    case '{':
      return readChoice(reader)
    case '}':
      throw new BadGlobError(reader.pattern, `the } at ${reader.index + 1} closes no brace`)
    case '\\': {
      reader.index++
      const escaped = reader.characters[reader.index]
      if (escaped === undefined)
        throw new BadGlobError(reader.pattern, 'the backslash at its end escapes nothing')
      return literal(escaped)
    }
    default:
      return literal(character)
  }
}

const literal = (character: string): Atom =>
  character === '/' ? { kind: 'slash' } : { kind: 'literal', character }

function readChoice(reader: GlobReader): Choice {
  const start = reader.index
  const alternatives: Sequence[] = []
  do {
    reader.index++
    alternatives.push(readSequence(reader, true))
  } while (reader.characters[reader.index] === ',')
  if (reader.characters[reader.index] !== '}')
    throw new BadGlobError(reader.pattern, `the { at ${start + 1} is not closed`)
  return { kind: 'choice', alternatives }
}

interface Size {
  /** How many alternatives there are. */
  readonly count: number
  /** How many characters they have together. */
  readonly length: number
}

/** What expanding would make, found out without doing it. */
function sizeOf(sequence: Sequence): Size {
  let size: Size = { count: 1, length: 0 }
  for (const part of sequence) {
    const next = part.kind === 'choice' ? sizeOfChoice(part) : { count: 1, length: 1 }
    size = bounded({
      count: size.count * next.count,
      length: size.length * next.count + next.length * size.count,
    })
  }
  return size
}

const sizeOfChoice = ({ alternatives }: Choice): Size => {
  const sizes = alternatives.map(sizeOf)
  return bounded({
    count: sizes.reduce((sum, { count }) => sum + count, 0),
    length: sizes.reduce((sum, { length }) => sum + length, 0),
  })
}

/** Beyond the limit it does not matter how far; infinity times zero would be no number. */
const bounded = ({ count, length }: Size): Size => ({
  count: Math.min(count, globCostMax + 1),
  length: Math.min(length, globCostMax + 1),
})

function expanded(sequence: Sequence): readonly (readonly Atom[])[] {
  let made: readonly (readonly Atom[])[] = [[]]
  for (const part of sequence) {
    const ends = part.kind === 'choice' ? part.alternatives.flatMap(expanded) : [[part]]
    made = made.flatMap((start) => ends.map((end) => [...start, ...end]))
  }
  return made
}
