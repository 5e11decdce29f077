import type { Node, ParsedNode } from 'yaml'
import type { OpenedFile } from './opened-file.ts'
import { UsageError } from './usage-error.ts'

/** A key of a YAML file, and what it is set to. */
export interface Setting {
  readonly name: string
  readonly line: number
  /** A text, a number, true, false or null; undefined for anything else. */
  readonly value: unknown
  /** What is listed at the key, where that is a list; undefined for what is no text. */
  readonly items: readonly unknown[] | null
  /** What is below the key, where that is a map. */
  readonly settings: readonly Setting[] | null
}

/** A file of settings, as a person writes them. What is wrong with it is told with its path and line. */
export class SettingsFile {
  readonly path: string
  readonly settings: readonly Setting[]
  readonly #remedy: string

  private constructor(path: string, settings: readonly Setting[], remedy: string) {
    this.path = path
    this.settings = settings
    this.#remedy = remedy
  }

  /** What was read of a file. `remedy` says how to correct one that is wrong. */
  static async parse({ path, bytes }: OpenedFile, remedy: string): Promise<SettingsFile> {
    const text = Buffer.from(bytes).toString('utf8')
    return new SettingsFile(path, await settingsIn(path, text, remedy), remedy)
  }

  broken(line: number, why: string, remedy = this.#remedy): UsageError {
    return brokenAt(this.path, line, why, remedy)
  }
}

const brokenAt = (path: string, line: number, why: string, remedy: string): UsageError =>
  new UsageError(`${path}, line ${line}: ${why}.`, remedy)

async function settingsIn(path: string, text: string, remedy: string): Promise<Setting[]> {
  const { isMap, isScalar, isSeq, LineCounter, parseDocument } = await import('yaml')
  const lines = new LineCounter()
  const lineOf = (offset: number | undefined): number =>
    offset === undefined ? 1 : Math.max(1, lines.linePos(offset).line)
  const settingsOf = (node: Node): Setting[] | null =>
    isMap<ParsedNode, ParsedNode | null>(node)
      ? node.items.map(({ key, value }) => ({
          name: isScalar(key) ? String(key.value) : '?',
          line: lineOf(key.range?.[0]),
          value: isScalar(value) ? value.value : undefined,
          items: isSeq(value)
            ? value.items.map((item) => (isScalar(item) ? item.value : undefined))
            : null,
          settings: value && settingsOf(value),
        }))
      : null
  const { contents, errors } = parseDocument(text, { lineCounter: lines })
  const [error] = errors
  if (error) {
    // The parser goes down by recursion, and catches what happens to it there.
    const isTooDeep = error.message.includes('call stack')
    const why = isTooDeep
      ? 'it is nested too deeply'
      : (error.message.split(/ at line|:?\n/)[0] as string).trim()
    throw brokenAt(path, lineOf(error.pos[0]), why, remedy)
  }
  const settings = contents === null ? [] : settingsOf(contents)
  if (settings === null)
    throw brokenAt(path, lineOf(contents?.range?.[0]), 'it holds no keys', remedy)
  return settings
}
