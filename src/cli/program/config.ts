import { dirname, join } from 'node:path'
import { homeOf, type Io } from './io.ts'
import {
  type FoundSetting,
  type SettingName,
  type SettingRule,
  settingCalled,
  settingNames,
  settingRules,
} from './setting.ts'
import { type Setting, SettingsFile, textOf } from './settings-file.ts'
import { didYouMean } from './suggestion.ts'

const projectFile = '.holdfast.yaml'

type Found = ReadonlyMap<SettingName, FoundSetting>

/** The configuration files of the project and of the user. Each is read when it is needed, and then checked whole. */
export class Config {
  readonly #io: Io
  #project: Promise<Found> | undefined
  #user: Promise<Found> | undefined

  constructor(io: Io) {
    this.#io = io
  }

  /** What the project says, else what the user does; null where neither says anything. */
  async get(name: SettingName): Promise<FoundSetting | null> {
    return (await this.#ofProject()).get(name) ?? (await this.#ofUser()).get(name) ?? null
  }

  /** Throws a UsageError where something is wrong with either file, also with what nobody asked for. */
  async check(): Promise<void> {
    await this.#ofProject()
    await this.#ofUser()
  }

  #ofProject(): Promise<Found> {
    const path = nearestAbove(this.#io)
    this.#project ??= path === null ? Promise.resolve(new Map()) : read(path, 'project file')
    return this.#project
  }

  #ofUser(): Promise<Found> {
    this.#user ??= read(join(configHome(this.#io), 'holdfast', 'config.yaml'), 'user file')
    return this.#user
  }
}

/** `$XDG_CONFIG_HOME`; a relative one counts as unset, as the standard says. */
const configHome = (io: Io): string => {
  const given = io.env['XDG_CONFIG_HOME'] ?? ''
  return given.startsWith('/') ? given : join(homeOf(io), '.config')
}

/** The file of the project that the working directory lies in; none where that is gone. */
function nearestAbove(io: Io): string | null {
  let folder: string
  try {
    folder = io.cwd()
  } catch {
    return null
  }
  for (; ; folder = dirname(folder)) {
    const path = join(folder, projectFile)
    if (textOf(path) !== null) return path
    if (folder === dirname(folder)) return null
  }
}

async function read(path: string, source: FoundSetting['source']): Promise<Found> {
  const file = await SettingsFile.read(path, 'Correct it as in "store: sqlite:PATH".')
  const found = new Map<SettingName, FoundSetting>()
  for (const setting of file?.settings ?? [])
    found.set(...settingIn(file as SettingsFile, setting, source, found))
  return found
}

function settingIn(
  file: SettingsFile,
  setting: Setting,
  source: FoundSetting['source'],
  found: Found,
): [SettingName, FoundSetting] {
  const { line } = setting
  const name = settingCalled(setting.name)
  if (name === undefined) throw unknownKey(file, setting)
  if (found.has(name)) throw file.broken(line, `${name} is given twice`, 'Leave one of them out.')
  const rule: SettingRule = settingRules[name]
  if (rule.isUsersOnly && source === 'project file')
    throw file.broken(
      line,
      `${name} ${name === 'token-file' ? 'names a secret' : 'runs programs'}, and a project may be another person's`,
      `Give --${name}, or set it in your own config.yaml.`,
    )
  const values = valuesIn(rule, setting)
  const value = values?.at(-1)
  if (value === undefined || !values?.every((each) => rule.isRight(each)))
    throw file.broken(line, `${name} must be ${rule.form}`)
  const where = { source, origin: `${file.path}, line ${line}`, folder: dirname(file.path) }
  return [name, { value, values, ...where }]
}

/** A number is as good as its digits, but not for a text. Null where there is anything else. */
function valuesIn({ kind }: SettingRule, { value, items }: Setting): readonly string[] | null {
  if (kind === 'list' && items !== null)
    return items.every((item) => typeof item === 'string') ? items : null
  if (kind === 'switch') return typeof value === 'boolean' ? [String(value)] : null
  if (typeof value === 'string') return [value]
  return typeof value === 'number' && kind === 'number' ? [String(value)] : null
}

function unknownKey(file: SettingsFile, { name, line }: Setting): Error {
  const hint =
    didYouMean(name.replaceAll('-', '_'), settingNames) ||
    didYouMean(name.replaceAll('_', '-'), settingNames)
  return file.broken(line, `unknown key "${name}"`, `${hint}Keys: ${settingNames.join(', ')}.`)
}
