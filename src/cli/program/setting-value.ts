import { resolve } from 'node:path'
import type { Context } from './context.ts'
import type { FoundSetting } from './setting.ts'

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
