/** How times are shown: by the clock and the calendar of whoever looks on. */

const two = (number: number): string => String(number).padStart(2, '0')

const dateOf = (time: Date): string =>
  `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`

/** `16:04:30`. */
export function clockText(time: string | number): string {
  const at = new Date(time)
  if (Number.isNaN(at.getTime())) return '?'
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`
}

/** `16:04:30` of today, `11-14 16:04` of another day of the year, `2025-11-14` of another year. */
export function timeText(time: string, now: number): string {
  const at = new Date(time)
  if (Number.isNaN(at.getTime())) return '?'
  const today = new Date(now)
  if (dateOf(at) === dateOf(today)) return clockText(time)
  if (at.getFullYear() !== today.getFullYear()) return dateOf(at)
  return `${dateOf(at).slice(5)} ${two(at.getHours())}:${two(at.getMinutes())}`
}

/** Steps of 10 seconds, of minutes, hours and days: a screen that nothing happens on stays still. */
export function ageText(time: string, now: number): string {
  const seconds = Math.floor((now - Date.parse(time)) / 1000)
  if (Number.isNaN(seconds)) return ''
  if (seconds < 10) return 'just now'
  if (seconds < 60) return `${Math.floor(seconds / 10) * 10} s ago`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`
  const days = Math.floor(seconds / 86_400)
  return days === 1 ? 'a day ago' : `${days} days ago`
}
