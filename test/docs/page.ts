import { readdirSync, readFileSync } from 'node:fs'

/** A fenced block of a page, or of a doc comment. */
export interface Block {
  readonly language: string
  readonly code: string
  /** Of the fence, from 1 on. */
  readonly line: number
}

export interface Page {
  readonly path: string
  readonly text: string
  readonly blocks: readonly Block[]
}

/** Every page that a reader of the project may open. */
export const pages: readonly Page[] = [
  'README.md',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'SECURITY.md',
  ...filesBelow('docs', '.md'),
].map((path) => {
  const text = readFileSync(path, 'utf8')
  return { path, text, blocks: blocksOf(text) }
})

/** The examples in the doc comments of the library, as one page. */
export const commented: Page = (() => {
  const sources = filesBelow('src', '.ts').map((path) => readFileSync(path, 'utf8'))
  const text = sources.join('\n').replaceAll(/^ *\* ?/gm, '')
  return { path: 'doc comments', text, blocks: blocksOf(text) }
})()

/** What is between fences. */
export function blocksOf(text: string): Block[] {
  const found: Block[] = []
  for (const match of text.matchAll(/^```([^\n]*)\n(.*?)^```$/gms)) {
    const [, language = '', code = ''] = match
    const line = text.slice(0, match.index).split('\n').length
    found.push({ language: language.trim(), code, line })
  }
  return found
}

/** The files below a folder whose names end so, as paths. */
export function filesBelow(folder: string, suffix: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(suffix))
    .map((name) => `${folder}/${name}`)
    .sort()
}
