import { setTimeout as sleep } from 'node:timers/promises'
import { sqliteResult } from './engine.ts'

/** How long to wait for other processes before saying `locked`. */
export const lockWaitMsMax = 5000

const pauseMsMin = 0.3
const pauseMsMax = 4

/**
 * Runs something that SQLite may refuse because another process is writing, until it goes through. The
 * pauses are short and random rather than growing: who waits longest must not come last.
 *
 * This replaces SQLite's own busy timeout, which blocks the event loop and backs off until the process starves.
 */
export async function retryWhileLocked<T>(run: () => T, deadline?: number): Promise<T> {
  let until = deadline
  for (;;) {
    try {
      return run()
    } catch (error) {
      // Asked for only here: the clock takes its time to load, and this seldom happens.
      until ??= performance.now() + lockWaitMsMax
      if (!isLocked(error) || performance.now() > until) throw error
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
