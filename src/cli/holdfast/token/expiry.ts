import type { Lifetime } from '../../../access/index.ts'
import type { Context } from '../../program/context.ts'
import { durationForms, parseDuration } from '../../program/duration.ts'

const timeForm = /^(\d{4}-\d\d-\d\d)[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|([+-])(\d\d):(\d\d))$/

/** How long a token is to work: a duration, or a time. What has passed is refused here, before there is a store. */
export function lifetimeOf(context: Context): Lifetime {
  const text = context.args.value('expires')
  if (text === undefined) return null
  const forMs = parseDuration(text)
  if (forMs !== null) {
    if (forMs > 0) return { forMs }
    throw context.usageError('--expires is no time at all.', 'Give a longer one, such as 90d.')
  }
  const untilMs = parseTime(text)
  if (untilMs === null)
    throw context.usageError(
      `--expires takes no "${text.slice(0, 40)}".`,
      `Give a duration (${durationForms}), or RFC 3339, as 2027-01-31T08:00:00Z.`,
    )
  if (untilMs > Date.now()) return { untilMs }
  throw context.usageError('--expires is in the past.', 'Give a later time.')
}

/** Milliseconds since the epoch; null for what is no RFC 3339. */
function parseTime(text: string): number | null {
  const [, day, sign, hours = '0', minutes = '0'] = timeForm.exec(text) ?? []
  const ms = Date.parse(text)
  if (day === undefined || Number.isNaN(ms)) return null
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1)
  // The engine takes the 30th of February for the 2nd of March.
  const local = new Date(ms + offsetMs)
  return !Number.isNaN(local.getTime()) && local.toISOString().startsWith(day) ? ms : null
}
