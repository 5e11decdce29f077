interface Difference {
  readonly name: string
  readonly before: unknown
  readonly after: unknown
}

/** So deep two values are compared part by part; below that as wholes. */
const depthMax = 3

/** What differs between two objects, by the paths of their parts, as few as can be. */
export function differences(before: object, after: object, prefix = '', depth = 1): Difference[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].flatMap((name) => {
    const old = (before as Record<string, unknown>)[name]
    const now = (after as Record<string, unknown>)[name]
    if (isSame(old, now)) return []
    const path = `${prefix}${name}`
    if (depth < depthMax && isPlain(old) && isPlain(now))
      return differences(old, now, `${path}.`, depth + 1)
    return [{ name: path, before: old ?? null, after: now ?? null }]
  })
}

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object') return false
  try {
    return JSON.stringify(a) === JSON.stringify(b)
  } catch {
    // Nested too deeply to be compared.
    return false
  }
}
