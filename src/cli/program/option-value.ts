import { resolve } from 'node:path'
import type { Option, Options } from './command.ts'
import type { Context } from './context.ts'
import type { FoundSetting, SettingName } from './setting.ts'
import { typed } from './text.ts'

const limitMax = 1000

/** What every list takes. */
export const limitOption: Option = { value: 'N', about: `show at most N, 1 to ${limitMax}` }

/** The number that `--limit` was given; undefined where it was not. */
export function limitOf(context: Context): number | undefined {
  const given = context.args.value('limit')
  if (given === undefined) return undefined
  const limit = /^\d{1,6}$/.test(given) ? Number(given) : 0
  if (limit >= 1 && limit <= limitMax) return limit
  throw context.usageError(
    `--limit takes no "${typed(given)}".`,
    `Give a whole number from 1 to ${limitMax}.`,
  )
}

export const allOption: Option = { about: 'show everything, however much it is' }

/** What a list takes to show more or less; help names the usual number where it is given. */
export const pageOptions = (usual?: number) =>
  ({
    limit:
      usual === undefined
        ? limitOption
        : { ...limitOption, about: `${limitOption.about}; ${usual} if left out` },
    all: allOption,
  }) as const satisfies Options

export const pageExclusive = [['limit', 'all']] as const

/** How many a list shows unless told otherwise. */
export const listMax = 50

/** How many to show. */
export const maxOf = (context: Context, usual = listMax): number =>
  context.args.has('all') ? Number.POSITIVE_INFINITY : (limitOf(context) ?? usual)

const unitsMs = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const

/** How durations are written, for messages and help. */
export const durationForms = '500ms, 90s, 5m, 1h30m, 1d, or plain seconds'

const numberPattern = '\\d{1,9}(?:\\.\\d{1,9})?'
const plainSeconds = new RegExp(`^${numberPattern}$`)
/** Each unit at most once, larger ones first. `m(?!s)`: what follows must not make it milliseconds. */
const durationParts = new RegExp(
  `^${Object.keys(unitsMs)
    .map((unit) => `(?:(${numberPattern})${unit === 'm' ? 'm(?!s)' : unit})?`)
    .join('')}$`,
)

/** Milliseconds; null for what is no duration. */
export function parseDuration(given: string): number | null {
  const text = given.trim()
  if (plainSeconds.test(text)) return Number(text) * unitsMs.s
  const counts = text === '' ? undefined : durationParts.exec(text)?.slice(1)
  if (!counts) return null
  return Object.values(unitsMs).reduce((sum, ms, at) => sum + Number(counts[at] ?? 0) * ms, 0)
}

/** One of some words; variables and files may say anything. */
export function wordIn<W extends string>(
  context: Context,
  found: FoundSetting | null,
  words: readonly W[],
): W | undefined {
  if (found === null) return undefined
  const word = words.find((each) => each === found.value)
  if (word !== undefined) return word
  throw context.usageError(
    `${found.origin} takes no "${found.value.slice(0, 40)}".`,
    `Choices: ${words.join(', ')}.`,
  )
}

/** A path, which starts where the setting was found. */
export function pathIn(context: Context, { value, origin, folder }: FoundSetting): string {
  if (value.trim() === '') throw context.usageError(`${origin} is empty.`, 'Give a path.')
  return resolve(folder ?? context.io.cwd(), value)
}

const yesWords = ['1', 'true', 'yes', 'on']
const noWords = ['', '0', 'false', 'no', 'off']

/** What a variable or key that is true or false says. */
export function isYes(context: Context, { name, text }: { name: string; text: string }): boolean {
  const word = text.trim().toLowerCase()
  if (yesWords.includes(word)) return true
  if (noWords.includes(word)) return false
  throw context.usageError(`${name} takes no "${typed(text)}".`, 'Set it to true or false.')
}

/** Where a setting comes from: an option, else a variable of the environment. */
interface ValueSource {
  readonly option: string
  readonly variable?: string
  /** Or what all programs look for, in files too; null where nothing says it. */
  readonly found?: FoundSetting | null
}

/** A setting that all programs look for, in files too. */
export const settingOf = async (context: Context, name: SettingName): Promise<ValueSource> => ({
  option: name,
  found: await context.setting(name),
})

/** A setting as it was given, under the name that the user knows. */
interface GivenValue {
  readonly name: string
  readonly text: string
}

/** An empty variable counts as unset. */
function givenValue(
  { args, io }: Context,
  { option, variable, found }: ValueSource,
): GivenValue | undefined {
  if (found) return { name: found.origin, text: found.value }
  const value = args.value(option)
  if (value !== undefined) return { name: `--${option}`, text: value }
  const set = variable === undefined ? '' : (io.env[variable] ?? '').trim()
  return set === '' ? undefined : { name: variable as string, text: set }
}

const refusedValue = (context: Context, { name, text }: GivenValue, hint: string) =>
  context.usageError(`${name} takes no "${typed(text)}".`, hint)

/** Milliseconds within bounds; undefined where it was not given. */
export function durationOf(
  context: Context,
  source: ValueSource,
  { min = 0, max, hint }: { min?: number; max: number; hint: string },
): number | undefined {
  const given = givenValue(context, source)
  if (!given) return undefined
  const ms = parseDuration(given.text)
  if (ms !== null && ms >= min && ms <= max) return ms
  // Who knows how durations are written wants to know which ones are possible.
  const forms = ms === null ? `, as ${durationForms}` : ''
  throw refusedValue(context, given, `Give ${hint}${forms}.`)
}

export function wholeOf(
  context: Context,
  source: ValueSource,
  { min, max }: { min: number; max: number },
): number | undefined {
  const given = givenValue(context, source)
  if (!given) return undefined
  const count = /^\d{1,9}$/.test(given.text) ? Number(given.text) : Number.NaN
  if (count >= min && count <= max) return count
  throw refusedValue(context, given, `Give a whole number from ${min} to ${max}.`)
}

export function numberOf(
  context: Context,
  source: ValueSource,
  { min, max }: { min: number; max: number },
): number | undefined {
  const given = givenValue(context, source)
  if (!given) return undefined
  const number = /^\d{1,9}(\.\d{1,9})?$/.test(given.text) ? Number(given.text) : Number.NaN
  if (number >= min && number <= max) return number
  throw refusedValue(context, given, `Give a number from ${min} to ${max}.`)
}

/** One of some words; options are checked by the table already, variables are not. */
export function wordOf<W extends string>(
  context: Context,
  source: ValueSource,
  words: readonly W[],
): W | undefined {
  const given = givenValue(context, source)
  if (!given) return undefined
  const word = words.find((each) => each === given.text.toLowerCase())
  if (word !== undefined) return word
  throw refusedValue(context, given, `It takes ${words.join(', ')}.`)
}

/** A variable that is a flag. */
export const isSet = (context: Context, variable: string): boolean =>
  isYes(context, { name: variable, text: context.io.env[variable] ?? '' })
