import { dirname, join } from 'node:path'
import { homeOf, type Io } from './io.ts'
import { type FoundSetting, type SettingName, settingNames, settingRules } from './setting.ts'
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
  for (const setting of file?.settings ?? []) {
    const { name, line } = setting
    if (!isKnown(name)) throw unknownKey(file as SettingsFile, setting)
    const value = textIn(setting)
    const { form, isRight } = settingRules[name]
    if (value === null || !isRight(value)) throw file?.broken(line, `${name} must be ${form}`)
    found.set(name, { value, source, origin: `${path}, line ${line}`, folder: dirname(path) })
  }
  return found
}

const isKnown = (name: string): name is SettingName => Object.hasOwn(settingRules, name)

/** A number is as good as its digits, but not for a text. */
function textIn({ name, value }: Setting): string | null {
  if (typeof value === 'string') return value
  const isNumeric = name !== 'store' && name !== 'host' && name !== 'agent_id'
  return typeof value === 'number' && isNumeric ? String(value) : null
}

function unknownKey(file: SettingsFile, { name, line }: Setting): Error {
  const hint = didYouMean(name.replaceAll('-', '_'), settingNames)
  return file.broken(line, `unknown key "${name}"`, `${hint}Keys: ${settingNames.join(', ')}.`)
}
