import type { Option, Options } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { limitOf, limitOption } from '../program/limit.ts'

/** The words of a goal or a task, and why they change. */
export const wordOptions = {
  title: { short: 't', value: 'TITLE', about: 'what it is, in one line; - reads stdin' },
  description: { short: 'd', value: 'TEXT', about: 'more about it; - reads stdin' },
  file: { value: 'PATH', about: 'read the description from a file', completes: 'files' },
} as const satisfies Options

export const reasonOption: Option = {
  short: 'r',
  value: 'REASON',
  about: 'why, for whoever reads the log',
}

export const allOption: Option = { about: 'show everything, however much it is' }

/** What a list takes to show more or less. */
export const listOptions = { limit: limitOption, all: allOption }
export const listExclusive = [['limit', 'all']]

/** How many a list shows unless told otherwise. */
export const listMax = 50
/** How many tasks a plan shows. */
export const planMax = 100

/** How many to show. */
export const maxOf = (context: Context, usual: number): number =>
  context.args.has('all') ? Number.POSITIVE_INFINITY : (limitOf(context) ?? usual)
