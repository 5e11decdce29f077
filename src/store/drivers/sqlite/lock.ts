import { setTimeout as sleep } from 'node:timers/promises'
import { sqliteResult } from './engine.ts'

/** How long to wait for other processes before saying `locked`. */
export const lockWaitMsMax = 5000

const pauseMsMin = 0.3
const pauseMsMax = 4

/**
 * Runs something that SQLite may refuse because another process is writing, until it goes through. The
 * pauses are short and random rather than growing: who waits longest must not come last.
 */
export async function retryWhileLocked<T>(
  run: () => T,
  deadline = performance.now() + lockWaitMsMax,
): Promise<T> {
  for (;;) {
    try {
      return run()
    } catch (error) {
      if (!isLocked(error) || performance.now() > deadline) throw error
    }
    await pause()
  }
}

export function isLocked(error: unknown): boolean {
  const result = sqliteResult(error)
  return result === 'BUSY' || result === 'LOCKED'
}

/** Long enough for a waiting process to take its turn. */
export const pause = (): Promise<void> =>
  sleep(pauseMsMin + Math.random() * (pauseMsMax - pauseMsMin))
