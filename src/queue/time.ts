/** Times last until the year 9999, as RFC 3339 does. */
const timeMsMax = Date.UTC(9999, 11, 31, 23, 59, 59, 999)
const form = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/

export const isTimeMs = (ms: number): boolean => ms >= 0 && ms <= timeMsMax

/** Milliseconds since the epoch of an RFC 3339 time, whatever its offset; null where it is none. */
export function parseTime(text: unknown): number | null {
  if (typeof text !== 'string' || !form.test(text)) return null
  const ms = Date.parse(text)
  return isTimeMs(ms) && isDayOfMonth(text) ? ms : null
}

/** The engine takes the 30th of February for the 2nd of March. */
function isDayOfMonth(text: string): boolean {
  const day = Number(text.slice(8, 10))
  if (day <= 28) return true
  const [year, month] = [Number(text.slice(0, 4)), Number(text.slice(5, 7))]
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate()
}

let lastMs = Number.NaN
let lastText = ''

/** As RFC 3339. Many are asked for within a millisecond. */
export function timeOf(ms: number): string {
  if (ms === lastMs) return lastText
  lastMs = ms
  lastText = new Date(Math.min(ms, timeMsMax)).toISOString()
  return lastText
}

export const msOf = (time: string): number => Date.parse(time)
