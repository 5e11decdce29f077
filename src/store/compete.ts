import { StoreError } from './error.ts'
import { sleep } from './sleep.ts'

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

/** Where attempts cost next to nothing, the first pause is at most twice this, and none is above the second. */
const pauseMsUnit = 1
const pauseMsMax = 100
/** Of what an attempt costs: the first pause is at most half of it, and later ones at most eight times. */
const costShare = 1 / 4
const costTimesMax = 8
/** Whatever an attempt costs. */
const pauseMsLimit = 5_000

/**
 * Tries until an attempt does not lose against another writer: the one loop around a compare-and-swap. Each
 * attempt must read anew. It is bounded, and pauses with full jitter, so that losers spread out: over a time in
 * which several attempts have room, however long one takes.
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
  let costMs = 0
  for (let nth = 1; nth <= attemptsMax; nth++) {
    if (nth > 1) await sleep(jitteredPauseMs(nth - 1, costMs), signal)
    signal?.throwIfAborted()
    const startedAt = performance.now()
    const result = await attempt(nth)
    if (result !== lost) return result
    costMs = performance.now() - startedAt
  }
  throw new StoreError(
    'contended',
    `Other writers changed ${about} first, ${attemptsMax} times in a row.`,
    'Try again when fewer programs write it at once.',
  )
}

/** Full jitter: anywhere between nothing and a ceiling. */
export const jitteredPauseMs = (losses: number, costMs = 0): number =>
  Math.random() * pauseCeilingMs(losses, costMs)

/**
 * Doubles with every loss, up to several times what an attempt costs: writers who all come back within the time
 * of one attempt would go on losing to each other.
 */
export function pauseCeilingMs(losses: number, costMs: number): number {
  const highest = Math.min(pauseMsLimit, Math.max(pauseMsMax, costTimesMax * costMs))
  return Math.min(highest, Math.max(pauseMsUnit, costShare * costMs) * 2 ** losses)
}
