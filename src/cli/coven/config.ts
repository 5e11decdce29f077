import { join } from 'node:path'
import type { RetentionOptions } from '../../tree/internal.ts'
import { durationForms, parseDuration } from '../program/duration.ts'
import { type OpenedFile, settingsAt } from '../program/opened-file.ts'
import { type Setting, SettingsFile, shownKey } from '../program/settings-file.ts'
import { didYouMean } from '../program/suggestion.ts'
import { library } from './tree.ts'

export const fileName = 'config.yaml'
const remedy =
  'Correct it as in "claim_timeout: 30m", or "task_store: { retention_days: 30, soft_delete_days: 7 }".'

const daysMax = 36_500

type Wrong = (line: number, why: string) => Error

/** Each key of the file, and what it sets. */
const readers: Readonly<
  Record<string, (setting: Setting, wrong: Wrong) => Partial<RetentionOptions>>
> = {
  claim_timeout: (setting, wrong) => ({ claimTimeoutMs: durationIn(setting, wrong) }),
  'task_store.retention_days': (setting, wrong) => ({ retentionDays: daysIn(setting, wrong) }),
  'task_store.soft_delete_days': (setting, wrong) => ({ softDeleteDays: daysIn(setting, wrong) }),
}

const known = Object.keys(readers)
const knownAtTop = [...new Set(known.map((name) => name.split('.')[0] as string))]
const knownBelow = known.filter((name) => name.includes('.'))

/**
 * What the workspace says of claims and retention; the defaults where it has no file, says nothing, or does not count.
 * `judge` says why it does not; null where it does.
 */
export async function configIn(
  folder: string | null,
  warn: (text: string) => void,
  judge: (file: OpenedFile) => string | null = () => null,
): Promise<RetentionOptions> {
  const { retentionDefaults } = await library()
  let config = retentionDefaults
  const opened = folder === null ? null : settingsAt(join(folder, fileName))
  if (opened === null) return config
  const why = judge(opened)
  if (why !== null) {
    warn(why)
    return config
  }
  const file = await SettingsFile.parse(opened, remedy)
  const wrong: Wrong = (line, why) => file.broken(line, why)
  for (const [name, setting] of flattened(file.settings, wrong)) {
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined
    if (read) config = { ...config, ...read(setting, wrong) }
    else warn(`${file.path}, line ${setting.line}: ${unknownKey(name)}`)
  }
  return config
}

/** A setting that silently does nothing is worse than a word about another program's key. */
function unknownKey(name: string): string {
  const keys = name.startsWith('task_store.') ? knownBelow : knownAtTop
  const hint = didYouMean(name, keys) || `Keys: ${keys.join(', ')}.`
  return `unknown ${shownKey(name)}. ${hint.trim()}`
}

/** Keys by their path, as `task_store.retention_days`. */
function flattened(settings: readonly Setting[], wrong: Wrong): [string, Setting][] {
  return settings.flatMap((setting): [string, Setting][] => {
    if (setting.name !== 'task_store') return [[setting.name, setting]]
    if (setting.value === null) return []
    if (setting.settings === null) throw wrong(setting.line, 'task_store must be a map')
    return setting.settings.map((below) => [`task_store.${below.name}`, below])
  })
}

function durationIn({ name, line, value }: Setting, wrong: Wrong): number {
  const isText = typeof value === 'string' || typeof value === 'number'
  const ms = isText ? parseDuration(String(value)) : null
  if (ms !== null && ms > 0 && ms <= daysMax * 86_400_000) return ms
  throw wrong(line, `${name} must be a duration: ${durationForms}`)
}

function daysIn({ name, line, value }: Setting, wrong: Wrong): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= daysMax)
    return value
  throw wrong(line, `${name} must be a whole number of days, 0 to ${daysMax}`)
}
