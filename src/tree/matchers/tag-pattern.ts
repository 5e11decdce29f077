import { BadGlobError } from './bad-glob-error.ts'
import { compileGlob, type Glob } from './glob.ts'
import { globCostMax } from './glob-syntax.ts'

/** How many tags a filter remembers its answer for: lists have many tasks and few tags. */
const rememberedMax = 10_000

/** Whether one of a task's tags is matched. */
export type TagFilter = (tags: readonly string[]) => boolean

/**
 * The filter `tag_pattern`: patterns with commas between them, of which one must match one tag. A comma in braces
 * or brackets, or behind a backslash, belongs to its pattern. Throws {@link BadGlobError}.
 */
export function compileTagPattern(text: string): TagFilter {
  const tooMuch = () =>
    new BadGlobError(
      text,
      `it makes more than ${globCostMax} characters`,
      'Give fewer, or shorter ones.',
    )
  if (text.length > globCostMax) throw tooMuch()
  const globs = splitPatterns(text).map(compileGlob)
  if (costOf(globs) > globCostMax) throw tooMuch()
  const answers = new Map<string, boolean>()
  return (tags) =>
    tags.some((tag) => {
      const known = answers.get(tag)
      if (known !== undefined) return known
      const answer = globs.some((glob) => glob.matches(tag))
      if (answers.size < rememberedMax) answers.set(tag, answer)
      return answer
    })
}

const costOf = (globs: readonly Glob[]): number => globs.reduce((sum, { cost }) => sum + cost, 0)

/** Which pattern is bad is for the compiler to say; here what is never closed lasts to the end. */
function splitPatterns(text: string): string[] {
  const patterns: string[] = []
  let [start, depth, isInClass] = [0, 0, false]
  for (let index = 0; index < text.length; index++) {
    const character = text[index]
    if (character === '\\') index++
    else if (isInClass) isInClass = character !== ']'
    else if (character === '[') isInClass = true
    else if (character === '{') depth++
    else if (character === '}') depth--
    else if (character === ',' && depth <= 0) {
      patterns.push(text.slice(start, index))
      start = index + 1
    }
  }
  return [...patterns, text.slice(start)].map((pattern) => pattern.trim())
}
