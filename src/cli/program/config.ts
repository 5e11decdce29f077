import { dirname, join } from 'node:path'
import type { Node, ParsedNode, YAMLParseError } from 'yaml'
import { SettingsError, TrustError } from './error.ts'
import { type Io, userFolder } from './io.ts'
import { type OpenedFile, settingsAt } from './opened-file.ts'
import {
  type FoundSetting,
  type SettingName,
  type SettingRule,
  settingCalled,
  settingNames,
  settingRules,
} from './setting.ts'
import { didYouMean } from './text.ts'

export const projectFile = '.holdfast.yaml'

export type FoundSettings = ReadonlyMap<SettingName, FoundSetting>

/**
 * The configuration files of the project and of the user. Each is read when it is needed, and then checked whole: whoever
 * needs one key of a file that does not count is refused.
 */
export class Config {
  readonly #io: Io
  #project: Promise<FoundSettings> | undefined
  #user: Promise<FoundSettings> | undefined

  constructor(io: Io) {
    this.#io = io
  }

  /** What the project says, else what the user does; null where neither says anything. */
  async get(name: SettingName): Promise<FoundSetting | null> {
    return (await this.#ofProject()).get(name) ?? (await this.#ofUser()).get(name) ?? null
  }

  /**
   * Throws a UsageError where something is wrong with either file, also with what nobody asked for. Answers with why the
   * project's does not count, if so; it is passed over from then on.
   */
  async check(): Promise<TrustError | null> {
    await this.#ofUser()
    try {
      await this.#ofProject()
      return null
    } catch (error) {
      if (!(error instanceof TrustError)) throw error
      this.#project = Promise.resolve(new Map())
      return error
    }
  }

  #ofProject(): Promise<FoundSettings> {
    this.#project ??= countingProjectSettings(this.#io)
    return this.#project
  }

  #ofUser(): Promise<FoundSettings> {
    this.#user ??= userSettings(this.#io)
    return this.#user
  }
}

/** The settings of the project, if its file counts. */
async function countingProjectSettings(io: Io): Promise<FoundSettings> {
  const file = projectFileAbove(io)
  if (file === null) return new Map()
  const { checkProject } = await import('./trust.ts')
  const found = await projectSettings(file)
  checkProject(io, file, found)
  return found
}

async function userSettings(io: Io): Promise<FoundSettings> {
  const file = settingsAt(join(userFolder(io), 'config.yaml'))
  return file === null ? new Map() : foundIn(file, 'user file', dirname(file.path))
}

/** The file of the project that the working directory lies in; null where there is none, or that is gone. */
export function projectFileAbove(io: Io): OpenedFile | null {
  let folder: string
  try {
    folder = io.cwd()
  } catch {
    return null
  }
  for (; ; folder = dirname(folder)) {
    const file = settingsAt(join(folder, projectFile))
    if (file !== null || folder === dirname(folder)) return file
  }
}

/**
 * What the file of a project says, whether it counts or not. Its relative paths start where it really lies: a link to a
 * trusted file must not lead that file's commands elsewhere.
 */
export const projectSettings = (file: OpenedFile): Promise<FoundSettings> =>
  foundIn(file, 'project file', dirname(file.realPath))

const remedy = 'Correct it as in "store: sqlite:PATH".'

async function foundIn(
  opened: OpenedFile,
  source: FoundSetting['source'],
  folder: string,
): Promise<FoundSettings> {
  const file = await SettingsFile.parse(opened, remedy)
  const found = new Map<SettingName, FoundSetting>()
  for (const setting of file.settings) {
    const origin = `${file.path}, line ${setting.line}`
    const name = nameIn(file, setting, found)
    if (source === 'project file' && settingRules[name].inProject === 'secret')
      throw new TrustError(
        `${origin}: ${name} never counts in the file of a project, trusted or not.`,
        'Give it by a flag or in the environment, or set it in your own config.yaml.',
      )
    const values = valuesOf(file, setting, name)
    const where = { source, origin, folder }
    found.set(name, { value: values.at(-1) as string, values, ...where })
  }
  return found
}

function nameIn(file: SettingsFile, setting: FileSetting, found: FoundSettings): SettingName {
  const name = settingCalled(setting.name)
  if (name === undefined) throw unknownKey(file, setting)
  if (!found.has(name)) return name
  throw file.broken(setting.line, `${name} is given twice`, 'Remove one of them.')
}

function valuesOf(file: SettingsFile, setting: FileSetting, name: SettingName): readonly string[] {
  const rule: SettingRule = settingRules[name]
  const values = valuesIn(rule, setting)
  if (values?.length && values.every((each) => rule.isRight(each))) return values
  throw file.broken(setting.line, `${name} must be ${rule.form}`, correctionOf(name, rule))
}

/** What its form does not show already. */
function correctionOf(name: SettingName, rule: SettingRule): string {
  if (name === 'store') return remedy
  if (rule.default === null) return 'Correct the value, or remove the line.'
  return `Correct it as in "${name}: ${rule.default}", or remove the line.`
}

/** A number is as good as its digits, but not for a text. Null where there is anything else. */
function valuesIn({ kind }: SettingRule, { value, items }: FileSetting): readonly string[] | null {
  if (kind === 'list' && items !== null)
    return items.every((item) => typeof item === 'string') ? items : null
  if (kind === 'switch') return typeof value === 'boolean' ? [String(value)] : null
  if (typeof value === 'string') return [value]
  return typeof value === 'number' && kind === 'number' ? [String(value)] : null
}

function unknownKey(file: SettingsFile, { name, line }: FileSetting): Error {
  const hint =
    didYouMean(name.replaceAll('-', '_'), settingNames) ||
    didYouMean(name.replaceAll('_', '-'), settingNames)
  return file.broken(line, `unknown ${shownKey(name)}`, `${hint}Keys: ${settingNames.join(', ')}.`)
}

/** A key of a YAML file, and what it is set to. */
export interface FileSetting {
  readonly name: string
  readonly line: number
  /** A text, a number, true, false or null; undefined for anything else. */
  readonly value: unknown
  /** What is listed at the key, where that is a list; undefined for what is no text. */
  readonly items: readonly unknown[] | null
  /** What is below the key, where that is a map. */
  readonly settings: readonly FileSetting[] | null
}

/** A file of settings, as a person writes them. Errors name its path and line. */
export class SettingsFile {
  readonly path: string
  readonly settings: readonly FileSetting[]
  readonly #remedy: string

  private constructor(path: string, settings: readonly FileSetting[], remedy: string) {
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

async function settingsIn(path: string, text: string, remedy: string): Promise<FileSetting[]> {
  const { isMap, isScalar, isSeq, LineCounter, parseDocument } = await import('yaml')
  const lines = new LineCounter()
  const lineOf = (offset: number | undefined): number =>
    offset === undefined ? 1 : Math.max(1, lines.linePos(offset).line)
  const settingsOf = (node: Node): FileSetting[] | null => {
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

function repeated(settings: readonly FileSetting[]): FileSetting | undefined {
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
