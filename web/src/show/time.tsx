import { tickMs, useNow } from '../clock.ts'

const units: readonly (readonly [ms: number, unit: string])[] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
]

/** A span in its one or two largest units: "3 min 20 s". */
export function spanOf(ms: number): string {
  const at = units.findIndex(([size]) => ms >= size)
  if (at === -1) return '0 s'
  const [size, unit] = units[at] as readonly [number, string]
  const whole = Math.floor(ms / size)
  const finer = units[at + 1]
  const rest = finer && whole < 10 ? Math.floor((ms - whole * size) / finer[0]) : 0
  return `${whole} ${unit}${rest > 0 && finer ? ` ${rest} ${finer[1]}` : ''}`
}

export const clockTime = (ms: number): string =>
  new Date(ms).toLocaleTimeString('en-GB', { hour12: false })

/** A time, as how long ago it was; the exact one on its title. What happened since the last tick is not to come. */
export function Ago({ time }: { time: string | null }) {
  const now = useNow()
  const ms = time === null ? Number.NaN : Date.parse(time)
  if (time === null || Number.isNaN(ms)) return <span class="soft">–</span>
  const past = now - ms
  return (
    <time dateTime={time} title={time}>
      {past < -tickMs ? `in ${spanOf(-past)}` : past < 1_000 ? 'just now' : `${spanOf(past)} ago`}
    </time>
  )
}

/** How long until then; what it says after that is up to whoever counts. */
export function Countdown({ to, before, after }: { to: string; before: string; after: string }) {
  const now = useNow()
  const leftMs = Date.parse(to) - now
  return (
    <time dateTime={to} title={to} class={leftMs > 0 ? 'countdown' : 'countdown over'}>
      {leftMs > 0 ? `${before} ${spanOf(leftMs + 999)}` : after}
    </time>
  )
}
