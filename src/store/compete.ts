import { setTimeout as sleep } from 'node:timers/promises'
import { StoreError } from './error.ts'

/** How long to go on. */
export interface CompeteOptions {
  /** How many times to lose against other writers before giving up. */
  readonly attemptsMax?: number | undefined
  /** Ends it before the next attempt. */
  readonly signal?: AbortSignal | undefined
}

/** What an attempt answers when another writer was faster. */
export const lost: unique symbol = Symbol('lost')

const attemptsMaxDefault = 64
const pauseMsFirst = 1
const pauseMsMax = 100

/**
 * Tries until an attempt does not lose against another writer: the one loop around a compare-and-swap. Each
 * attempt must read anew. It is bounded, and pauses with full jitter, so that losers spread out.
 *
 * `about` names what is fought for, as in "Other writers changed {about} first".
 */
export async function compete<T>(
  about: string,
  attempt: (attempt: number) => Promise<T | typeof lost>,
  { attemptsMax = attemptsMaxDefault, signal }: CompeteOptions = {},
): Promise<T> {
  if (!(attemptsMax >= 1))
    throw new StoreError('bad_option', `attemptsMax is ${attemptsMax}.`, 'Give a number from 1 on.')
  for (let nth = 1; nth <= attemptsMax; nth++) {
    if (nth > 1) await pause(jitteredPauseMs(nth - 1), signal)
    signal?.throwIfAborted()
    const result = await attempt(nth)
    if (result !== lost) return result
  }
  throw new StoreError(
    'contended',
    `Other writers changed ${about} first, ${attemptsMax} times in a row.`,
    'Try again when fewer programs write it at once.',
  )
}

/** Ends early when the signal is aborted; who called then finds out by the signal. */
const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  sleep(ms, undefined, signal ? { signal } : {}).catch(() => {})

/** Full jitter: anywhere between nothing and a limit that doubles. */
export function jitteredPauseMs(attempt: number): number {
  const ceiling = Math.min(pauseMsMax, pauseMsFirst * 2 ** attempt)
  return Math.random() * ceiling
}
