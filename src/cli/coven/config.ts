import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { MatcherReader, MatcherReading, RetentionOptions } from '../../tree/internal.ts'
import { type FileSetting, SettingsFile, shownKey } from '../program/config.ts'
import type { Context } from '../program/context.ts'
import { TrustError } from '../program/error.ts'
import { type OpenedFile, openSettings, settingsAt } from '../program/opened-file.ts'
import { durationForms, parseDuration } from '../program/option-value.ts'
import { isStoreInside } from '../program/store-choice.ts'
import { didYouMean, shellWord } from '../program/text.ts'
import { type FileKind, TrustRecord } from '../program/trust.ts'
import { library } from './tree.ts'

export const configFile = 'config.yaml'
const remedy =
  'Correct it as in "claim_timeout: 30m", or "task_store: { retention_days: 30, soft_delete_days: 7 }".'

const daysMax = 36_500

type FileError = (line: number, why: string) => Error

/** Each key of the file, and what it sets. */
const settingReaders: Readonly<
  Record<string, (setting: FileSetting, wrong: FileError) => Partial<RetentionOptions>>
> = {
  claim_timeout: (setting, wrong) => ({ claimTimeoutMs: durationIn(setting, wrong) }),
  'task_store.retention_days': (setting, wrong) => ({ retentionDays: daysIn(setting, wrong) }),
  'task_store.soft_delete_days': (setting, wrong) => ({ softDeleteDays: daysIn(setting, wrong) }),
}

const knownKeys = Object.keys(settingReaders)
const topKeys = [...new Set(knownKeys.map((name) => name.split('.')[0] as string))]
const nestedKeys = knownKeys.filter((name) => name.includes('.'))

/**
 * What the workspace says of claims and retention; the defaults where it has no file, says nothing, or does not count.
 * `trustCheck` says why it does not; null where it does.
 */
export async function configIn(
  folder: string | null,
  warn: (text: string) => void,
  trustCheck: (file: OpenedFile) => string | null = () => null,
): Promise<RetentionOptions> {
  const { retentionDefaults } = await library()
  let config = retentionDefaults
  const opened = folder === null ? null : settingsAt(join(folder, configFile))
  if (opened === null) return config
  const why = trustCheck(opened)
  if (why !== null) {
    warn(why)
    return config
  }
  const file = await SettingsFile.parse(opened, remedy)
  const wrong: FileError = (line, why) => file.broken(line, why)
  for (const [name, setting] of flattened(file.settings, wrong)) {
    const read = Object.hasOwn(settingReaders, name) ? settingReaders[name] : undefined
    if (read) config = { ...config, ...read(setting, wrong) }
    else warn(`${file.path}, line ${setting.line}: ${unknownKey(name)}`)
  }
  return config
}

/** A setting that silently does nothing is worse than a word about another program's key. */
function unknownKey(name: string): string {
  const keys = name.startsWith('task_store.') ? nestedKeys : topKeys
  const hint = didYouMean(name, keys) || `Keys: ${keys.join(', ')}.`
  return `unknown ${shownKey(name)}. ${hint.trim()}`
}

/** Keys by their path, as `task_store.retention_days`. */
function flattened(settings: readonly FileSetting[], wrong: FileError): [string, FileSetting][] {
  return settings.flatMap((setting): [string, FileSetting][] => {
    if (setting.name !== 'task_store') return [[setting.name, setting]]
    if (setting.value === null) return []
    if (setting.settings === null) throw wrong(setting.line, 'task_store must be a map')
    return setting.settings.map((below) => [`task_store.${below.name}`, below])
  })
}

function durationIn({ name, line, value }: FileSetting, wrong: FileError): number {
  const isText = typeof value === 'string' || typeof value === 'number'
  const ms = isText ? parseDuration(String(value)) : null
  if (ms !== null && ms > 0 && ms <= daysMax * 86_400_000) return ms
  throw wrong(line, `${name} must be a duration: ${durationForms}`)
}

function daysIn({ name, line, value }: FileSetting, wrong: FileError): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= daysMax)
    return value
  throw wrong(line, `${name} must be a whole number of days, 0 to ${daysMax}`)
}

/** Why a file of `.coven` does not count; null where it does. */
export type TrustCheck = (file: OpenedFile, kind: FileKind) => string | null

/**
 * Decides for the store of this command. A store inside the workspace came with the settings next to it. For any
 * other store, which they would change the treatment of, the user must trust them. `.coven` may be a link to the folder of another
 * workspace, whose store then lies there.
 */
export async function trustCheckFor(context: Context, folder: string): Promise<TrustCheck> {
  const { url } = await context.storeChoice()
  const isOwn = [dirname(folder), folder].some((each) => isStoreInside(url, each))
  return isOwn ? () => null : (file, kind) => whyUntrusted(new TrustRecord(context.io), file, kind)
}

function whyUntrusted(record: TrustRecord, file: OpenedFile, kind: FileKind): string | null {
  try {
    const trust = record.trustIn(file, kind)
    if (trust === 'trusted') return null
    const why = trust === 'changed' ? 'has changed since you trusted it' : 'is not trusted'
    return `${file.path} ${why}, and the store lies outside its workspace: the defaults apply. To let it count, read it, then run "holdfast trust ${shellWord(file.path)}".`
  } catch (error) {
    if (!(error instanceof TrustError)) throw error
    return `The defaults apply instead of ${file.path}. ${error.message}`
  }
}

/** Reads matchers that may be another person's. A server falls back to the default when they stop counting. */
export class TrustCheckedMatchers implements MatcherReader {
  readonly #trustCheck: TrustCheck
  readonly #record: string
  readonly #warn: (text: string) => void
  #warned: string | null = null

  /** Calls `warn` once for each reason. */
  constructor(context: Context, trustCheck: TrustCheck, warn: (text: string) => void = () => {}) {
    this.#trustCheck = trustCheck
    this.#record = new TrustRecord(context.io).path
    this.#warn = warn
  }

  read(path: string): MatcherReading {
    const reading = this.#readingOf(path)
    const why = reading.kind === 'refused' ? reading.why : null
    if (why !== null && why !== this.#warned) this.#warn(why)
    this.#warned = why
    return reading
  }

  #readingOf(path: string): MatcherReading {
    const opened = openSettings(path)
    if (opened.kind === 'absent') return opened
    if (opened.kind === 'foreign') return { kind: 'refused', why: `${opened.what} ${opened.next}` }
    if (opened.kind === 'unreadable')
      return { kind: 'unreadable', why: `It can't be read: ${opened.why}` }
    const why = this.#trustCheck(opened.file, 'matchers')
    return why === null ? { kind: 'bytes', bytes: opened.file.bytes } : { kind: 'refused', why }
  }

  /** What is trusted may change while a server runs. */
  stamp(): string {
    const stats = statSync(this.#record, { throwIfNoEntry: false, bigint: true })
    return stats ? `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}` : ''
  }
}
