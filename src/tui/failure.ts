import type { Away } from './state.ts'

/**
 * What is wrong with the session itself, which a store that answers says of it; null for every other failure.
 * Told by the shape of the error, for the program and its monitor may have been bundled apart.
 */
export function problemOf(error: unknown): string | null {
  const { kind, what } = error as { kind?: unknown; what?: unknown }
  return error instanceof Error && typeof kind === 'string' && typeof what === 'string'
    ? what
    : null
}

export const awayBy = (error: unknown, since: number): Away => ({
  since,
  isForGood: (error as { code?: unknown }).code === 'closed',
  why: error instanceof Error ? error.message : String(error),
})
