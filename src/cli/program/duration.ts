const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/** How durations are written, for messages and help. */
export const durationForms = '500ms, 90s, 5m, 2h, 1d, or plain seconds'

/** Milliseconds; null for what is no duration. */
export function parseDuration(text: string): number | null {
  const [, digits = '', unit = 's'] =
    /^(\d{1,9}(?:\.\d{1,9})?)(ms|s|m|h|d)?$/.exec(text.trim()) ?? []
  return digits === '' ? null : Number(digits) * (unitMs[unit] as number)
}
