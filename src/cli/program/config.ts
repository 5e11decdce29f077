import { dirname, join } from 'node:path'
import type { Io } from './io.ts'
import { type OpenedFile, settingsAt } from './opened-file.ts'
import {
  type FoundSetting,
  type SettingName,
  type SettingRule,
  settingCalled,
  settingNames,
  settingRules,
} from './setting.ts'
import { type Setting, SettingsFile, shownKey } from './settings-file.ts'
import { didYouMean } from './suggestion.ts'
import { TrustError } from './trust-error.ts'
import { userFolder } from './user-folder.ts'

export const projectFile = '.holdfast.yaml'

export type Found = ReadonlyMap<SettingName, FoundSetting>

/**
 * The configuration files of the project and of the user. Each is read when it is needed, and then checked whole: whoever
 * needs one key of a file that does not count is refused.
 */
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

  #ofProject(): Promise<Found> {
    this.#project ??= countingIn(this.#io)
    return this.#project
  }

  #ofUser(): Promise<Found> {
    this.#user ??= userSettings(this.#io)
    return this.#user
  }
}

/** The settings of the project, if its file counts. */
async function countingIn(io: Io): Promise<Found> {
  const file = projectFileAbove(io)
  if (file === null) return new Map()
  const { checkProject } = await import('./project-trust.ts')
  const found = await projectSettings(file)
  checkProject(io, file, found)
  return found
}

async function userSettings(io: Io): Promise<Found> {
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
export const projectSettings = (file: OpenedFile): Promise<Found> =>
  foundIn(file, 'project file', dirname(file.realPath))

async function foundIn(
  opened: OpenedFile,
  source: FoundSetting['source'],
  folder: string,
): Promise<Found> {
  const file = await SettingsFile.parse(opened, 'Correct it as in "store: sqlite:PATH".')
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

function nameIn(file: SettingsFile, setting: Setting, found: Found): SettingName {
  const name = settingCalled(setting.name)
  if (name === undefined) throw unknownKey(file, setting)
  if (!found.has(name)) return name
  throw file.broken(setting.line, `${name} is given twice`, 'Remove one of them.')
}

function valuesOf(file: SettingsFile, setting: Setting, name: SettingName): readonly string[] {
  const rule: SettingRule = settingRules[name]
  const values = valuesIn(rule, setting)
  if (values?.length && values.every((each) => rule.isRight(each))) return values
  throw file.broken(setting.line, `${name} must be ${rule.form}`)
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
  return file.broken(line, `unknown ${shownKey(name)}`, `${hint}Keys: ${settingNames.join(', ')}.`)
}
