const unitsMs = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const

/** How durations are written, for messages and help. */
export const durationForms = '500ms, 90s, 5m, 1h30m, 1d, or plain seconds'

const number = '\\d{1,9}(?:\\.\\d{1,9})?'
const plain = new RegExp(`^${number}$`)
/** Each unit at most once, larger ones first. `m(?!s)`: what follows must not make it milliseconds. */
const parts = new RegExp(
  `^${Object.keys(unitsMs)
    .map((unit) => `(?:(${number})${unit === 'm' ? 'm(?!s)' : unit})?`)
    .join('')}$`,
)

/** Milliseconds; null for what is no duration. */
export function parseDuration(given: string): number | null {
  const text = given.trim()
  if (plain.test(text)) return Number(text) * unitsMs.s
  const counts = text === '' ? undefined : parts.exec(text)?.slice(1)
  if (!counts) return null
  return Object.values(unitsMs).reduce((sum, ms, at) => sum + Number(counts[at] ?? 0) * ms, 0)
}
