import type { Option } from './command.ts'
import type { Context } from './context.ts'
import { typed } from './typed.ts'

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
