import { useEffect, useState } from 'preact/hooks'

/*
 * Countdowns go by the clock of the store, not by that of this computer, which may be off by minutes. Every answer that
 * tells a time corrects the difference.
 */

let offsetMs = 0
let precisionMs = Number.POSITIVE_INFINITY

/** A time that the store told, and when it was asked for and when it answered by our clock. */
export function hearTime(told: number, span: { from: number; to: number; grainMs: number }): void {
  const errorMs = (span.to - span.from) / 2 + span.grainMs / 2
  // A worse measurement replaces a better one only where the two can't both be right.
  const measured = told + span.grainMs / 2 - (span.from + span.to) / 2
  if (errorMs > precisionMs && Math.abs(measured - offsetMs) <= errorMs + precisionMs) return
  offsetMs = measured
  precisionMs = errorMs
}

export const storeNow = (): number => Date.now() + offsetMs

/** How far this computer's clock is off, in ms, where that is worth a word. */
export const clockError = (): number | null => (Math.abs(offsetMs) > 5_000 ? -offsetMs : null)

export const tickMs = 1_000

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

function onTick(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    if (!document.hidden) for (const each of listeners) each()
  }, tickMs)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The store's time, anew every second: one timer for all who show it. */
export function useNow(): number {
  const [now, setNow] = useState(storeNow)
  useEffect(() => onTick(() => setNow(storeNow())), [])
  return now
}
