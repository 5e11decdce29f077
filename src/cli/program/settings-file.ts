import type { Node, ParsedNode, YAMLParseError } from 'yaml'
import type { OpenedFile } from './opened-file.ts'
import { SettingsError } from './settings-error.ts'

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

  broken(line: number, why: string, remedy = this.#remedy): SettingsError {
    return brokenAt(this.path, line, why, remedy)
  }
}

const brokenAt = (path: string, line: number, why: string, remedy: string): SettingsError =>
  new SettingsError(`${path}, line ${line}: ${why}.`, remedy)

const keyForm = /^[\w.?-]{0,40}$/

/** A key as a message may quote it. A link can make a settings file of any file, and so a key of any secret. */
export const shownKey = (name: string): string =>
  keyForm.test(name) ? `key "${name}"` : 'key, which is no plain word'

async function settingsIn(path: string, text: string, remedy: string): Promise<Setting[]> {
  const { isMap, isScalar, isSeq, LineCounter, parseDocument } = await import('yaml')
  const lines = new LineCounter()
  const lineOf = (offset: number | undefined): number =>
    offset === undefined ? 1 : Math.max(1, lines.linePos(offset).line)
  const settingsOf = (node: Node): Setting[] | null => {
    if (!isMap<ParsedNode, ParsedNode | null>(node)) return null
    const settings = node.items.map(({ key, value }) => ({
      name: isScalar(key) ? String(key.value) : '?',
      line: lineOf(key.range?.[0]),
      value: isScalar(value) ? value.value : undefined,
      items: isSeq(value)
        ? value.items.map((item) => (isScalar(item) ? item.value : undefined))
        : null,
      settings: value && settingsOf(value),
    }))
    const twice = repeated(settings)
    if (twice) throw brokenAt(path, twice.line, 'a key is given twice', 'Remove one of them.')
    return settings
  }
  const { contents, errors } = parseDocument(text, { ...parsing, lineCounter: lines })
  const [error] = errors
  if (error) throw brokenAt(path, lineOf(error.pos[0]), wordsOf(error), remedy)
  const settings = contents === null ? [] : settingsOf(contents)
  if (settings === null)
    throw brokenAt(path, lineOf(contents?.range?.[0]), 'it holds no keys', remedy)
  return settings
}

/** Excerpts and the parser's own check of keys take quadratic time where all is wrong. */
const parsing = { prettyErrors: false, uniqueKeys: false, logLevel: 'error' } as const

function repeated(settings: readonly Setting[]): Setting | undefined {
  const names = new Set<string>()
  return settings.find(({ name }) => names.size === names.add(name).size)
}

/** Without what the parser quotes from the file. */
function wordsOf({ code, message }: YAMLParseError): string {
  // The parser goes down by recursion, and catches what happens to it there.
  if (message.includes('call stack')) return 'it is nested too deeply'
  if (code === 'MULTIPLE_DOCS') return 'it holds more than one document'
  return message.replace(/(?<=\w): .*$/s, '').slice(0, messageCharactersMax)
}

const messageCharactersMax = 100
