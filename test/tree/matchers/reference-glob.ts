/**
 * The rules of the specification in the plainest form there is: braces by substitution, the rest by trying every
 * way. It shares nothing with what it checks, takes for ever where patterns are long, and knows no slash in a class.
 */
export function isReferenceMatch(pattern: string, tag: string): boolean {
  const brace = firstBrace(pattern)
  if (brace === null) return isPlainMatch(pattern, tag)
  const [before, alternatives, after] = brace
  return alternatives.some((each) => isReferenceMatch(`${before}${each}${after}`, tag))
}

function firstBrace(pattern: string): [string, string[], string] | null {
  const start = plainIndex(pattern, '{', 0)
  if (start < 0) return null
  const alternatives: string[] = []
  let [depth, from] = [0, start + 1]
  for (let index = start + 1; index < pattern.length; index = next(pattern, index)) {
    const character = pattern[index]
    if (character === '{') depth++
    if (character === '}' && depth-- === 0)
      return [
        pattern.slice(0, start),
        [...alternatives, pattern.slice(from, index)],
        pattern.slice(index + 1),
      ]
    if (character === ',' && depth === 0) {
      alternatives.push(pattern.slice(from, index))
      from = index + 1
    }
  }
  throw new Error(`${pattern} is not closed`)
}

function plainIndex(pattern: string, wanted: string, from: number): number {
  for (let index = from; index < pattern.length; index = next(pattern, index))
    if (pattern[index] === wanted) return index
  return -1
}

/** The place after an escape, a class or a character. */
function next(pattern: string, index: number): number {
  if (pattern[index] === '\\') return index + 2
  if (pattern[index] !== '[') return index + 1
  let end = index + 1
  while (pattern[end] !== ']') end += pattern[end] === '\\' ? 2 : 1
  return end + 1
}

const isPlainMatch = (pattern: string, tag: string): boolean =>
  areStretches(pattern.split('/'), tag.split('/'))

function areStretches([first, ...rest]: string[], stretches: string[]): boolean {
  if (first === undefined) return stretches.length === 0
  if (first === '**')
    return [...stretches, ''].some((_, count) => areStretches(rest, stretches.slice(count)))
  const [stretch, ...others] = stretches
  return stretch !== undefined && isStretch(first, [...stretch]) && areStretches(rest, others)
}

function isStretch(pattern: string, characters: string[]): boolean {
  if (pattern === '') return characters.length === 0
  const rest = pattern.slice(next(pattern, 0))
  const [character, ...others] = characters
  if (pattern[0] === '*')
    return isStretch(rest, characters) || (character !== undefined && isStretch(pattern, others))
  return character !== undefined && isOne(pattern, character) && isStretch(rest, others)
}

function isOne(pattern: string, character: string): boolean {
  if (pattern[0] === '?') return true
  if (pattern[0] === '[') return isInClass(pattern, character)
  return character === (pattern[0] === '\\' ? pattern[1] : pattern[0])
}

function isInClass(pattern: string, character: string): boolean {
  const end = next(pattern, 0) - 1
  const isNegated = pattern[1] === '!' || pattern[1] === '^'
  let isIn = false
  for (let index = isNegated ? 2 : 1; index < end; index++) {
    if (pattern[index] === '\\') index++
    const low = pattern[index] as string
    let high = low
    if (pattern[index + 1] === '-' && index + 2 < end) {
      index += 2
      if (pattern[index] === '\\') index++
      high = pattern[index] as string
    }
    if (low <= character && character <= high) isIn = true
  }
  return isIn !== isNegated
}
