import type { ParsedMatchers } from './document.ts'

export type { ParsedMatchers } from './document.ts'

/** Reads the text of a file of matchers. Never throws: what is wrong is among the findings. */
export async function parseMatchers(text: string): Promise<ParsedMatchers> {
  // The parser of YAML is loaded where there is a file to read, for most commands start without one.
  const { parseDocumentText } = await import('./document.ts')
  return parseDocumentText(text)
}
