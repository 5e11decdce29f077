import type { Options } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { limitOf, limitOption } from '../program/limit.ts'

const limitDefault = 50

/** What every list takes to show more or less. */
export const pageOptions = {
  limit: { ...limitOption, about: `${limitOption.about}; ${limitDefault} if left out` },
  all: { about: 'show everything, however much it is' },
} as const satisfies Options

export const pageExclusive = [['limit', 'all']]

/** How much of a list to show. */
export const pageLimitOf = (context: Context): number =>
  context.args.has('all') ? Number.POSITIVE_INFINITY : (limitOf(context) ?? limitDefault)
