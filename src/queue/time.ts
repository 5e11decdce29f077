/** Times last until the year 9999, as RFC 3339 does. */
const timeMsMax = Date.UTC(9999, 11, 31, 23, 59, 59, 999)
const form = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/

export const isTimeMs = (ms: number): boolean => ms >= 0 && ms <= timeMsMax

/** Milliseconds since the epoch of an RFC 3339 time, whatever its offset; null where it is none. */
export function parseTime(text: unknown): number | null {
  if (typeof text !== 'string') return null
  const known = knownMs(text)
  if (known !== null) return known
  if (!form.test(text)) return null
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

/** The two times that were asked for last: most tasks are given the present and the end of a lease. */
let [lastMs, lastText] = [Number.NaN, '']
let [earlierMs, earlierText] = [Number.NaN, '']

/** As RFC 3339. Many are asked for within a millisecond. */
export function timeOf(ms: number): string {
  if (ms === lastMs) return lastText
  if (ms === earlierMs) return earlierText
  ;[earlierMs, earlierText] = [lastMs, lastText]
  lastMs = ms
  lastText = new Date(Math.min(ms, timeMsMax)).toISOString()
  return lastText
}

export function msOf(time: string): number {
  const known = knownMs(time)
  if (known !== null) return known
  const ms = Date.parse(time)
  remember(time, ms)
  return ms
}

/** The two minutes in which times lay that were read last, each as the start of its text. */
let [minute, minuteMs] = ['', 0]
let [otherMinute, otherMinuteMs] = ['', 0]

const minuteLength = '2027-01-31T08:00:'.length
const wholeLength = '2027-01-31T08:00:00.000Z'.length

/** What a time that we have written ourselves says, without parsing it again; null for any other. */
function knownMs(time: string): number | null {
  if (time.length !== wholeLength) return null
  const isLast = time.startsWith(minute)
  if (minute === '' || !(isLast || (otherMinute !== '' && time.startsWith(otherMinute))))
    return null
  const seconds = digit(time, 17) * 10 + digit(time, 18)
  const rest = digit(time, 20) * 100 + digit(time, 21) * 10 + digit(time, 22)
  const isWhole = time.charCodeAt(19) === dot && time.charCodeAt(23) === zulu
  // What is no digit makes it no number.
  if (!isWhole || !(seconds < 60 && rest >= 0)) return null
  return (isLast ? minuteMs : otherMinuteMs) + seconds * 1000 + rest
}

const dot = '.'.charCodeAt(0)
const zulu = 'Z'.charCodeAt(0)
const zero = '0'.charCodeAt(0)

function digit(text: string, at: number): number {
  const value = text.charCodeAt(at) - zero
  return value >= 0 && value <= 9 ? value : Number.NaN
}

function remember(time: string, ms: number): void {
  if (time.length !== wholeLength || !isTimeMs(ms) || timeOf(ms) !== time) return
  ;[otherMinute, otherMinuteMs] = [minute, minuteMs]
  minute = time.slice(0, minuteLength)
  minuteMs = ms - (ms % 60_000)
}
