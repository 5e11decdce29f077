import type { Context } from '../program/context.ts'
import { durationForms, parseDuration } from '../program/duration.ts'
import type { FoundSetting, SettingName } from '../program/setting.ts'
import { isYes } from '../program/switch.ts'
import { typed } from '../program/typed.ts'

/** Where a setting comes from: an option, else a variable of the environment. */
export interface Source {
  readonly option: string
  readonly variable?: string
  /** Or what all programs look for, in files too; null where nothing says it. */
  readonly found?: FoundSetting | null
}

/** A setting that all programs look for, in files too. */
export const settingOf = async (context: Context, name: SettingName): Promise<Source> => ({
  option: name,
  found: await context.setting(name),
})

/** A setting as it was given, by the name that whoever gave it knows. */
interface Given {
  readonly name: string
  readonly text: string
}

/** An empty variable counts as unset. */
function givenIn({ args, io }: Context, { option, variable, found }: Source): Given | undefined {
  if (found) return { name: found.origin, text: found.value }
  const value = args.value(option)
  if (value !== undefined) return { name: `--${option}`, text: value }
  const set = variable === undefined ? '' : (io.env[variable] ?? '').trim()
  return set === '' ? undefined : { name: variable as string, text: set }
}

const refuse = (context: Context, { name, text }: Given, hint: string) =>
  context.usageError(`${name} takes no "${typed(text)}".`, hint)

/** Milliseconds within bounds; undefined where it was not given. */
export function durationOf(
  context: Context,
  source: Source,
  { min = 0, max, hint }: { min?: number; max: number; hint: string },
): number | undefined {
  const given = givenIn(context, source)
  if (!given) return undefined
  const ms = parseDuration(given.text)
  if (ms !== null && ms >= min && ms <= max) return ms
  // Who knows how durations are written wants to know which ones are possible.
  const forms = ms === null ? `, as ${durationForms}` : ''
  throw refuse(context, given, `Give ${hint}${forms}.`)
}

export function wholeOf(
  context: Context,
  source: Source,
  { min, max }: { min: number; max: number },
): number | undefined {
  const given = givenIn(context, source)
  if (!given) return undefined
  const count = /^\d{1,9}$/.test(given.text) ? Number(given.text) : Number.NaN
  if (count >= min && count <= max) return count
  throw refuse(context, given, `Give a whole number from ${min} to ${max}.`)
}

export function numberOf(
  context: Context,
  source: Source,
  { min, max }: { min: number; max: number },
): number | undefined {
  const given = givenIn(context, source)
  if (!given) return undefined
  const number = /^\d{1,9}(\.\d{1,9})?$/.test(given.text) ? Number(given.text) : Number.NaN
  if (number >= min && number <= max) return number
  throw refuse(context, given, `Give a number from ${min} to ${max}.`)
}

/** One of some words; options are checked by the table already, variables are not. */
export function wordOf<W extends string>(
  context: Context,
  source: Source,
  words: readonly W[],
): W | undefined {
  const given = givenIn(context, source)
  if (!given) return undefined
  const word = words.find((each) => each === given.text.toLowerCase())
  if (word !== undefined) return word
  throw refuse(context, given, `It takes ${words.join(', ')}.`)
}

/** A variable that is a flag. */
export const isSet = (context: Context, variable: string): boolean =>
  isYes(context, { name: variable, text: context.io.env[variable] ?? '' })
