import { setTimeout as sleep } from 'node:timers/promises'
import { StoreError } from './error.ts'
import { create, type Entry, remove, type Store, update, type Write } from './store.ts'

export interface MutateOptions {
  /** How many times to lose against other writers before giving up. */
  readonly attemptsMax?: number
  readonly signal?: AbortSignal
}

/** The new bytes, null to remove the key, or undefined to leave it as it is. */
export type Mutation = (entry: Entry | null) => Uint8Array | null | undefined

const attemptsMaxDefault = 64
const pauseMsFirst = 1
const pauseMsMax = 100

/**
 * Reads a key, lets a pure function say what it should become, and swaps it in; again from the start
 * whenever another writer was faster, with full jitter. Answers with the entry as it then is.
 *
 * An `unknown_outcome` is thrown on: only the caller knows whether doing it twice would hurt.
 */
export async function mutate(
  store: Store,
  key: string,
  mutation: Mutation,
  { attemptsMax = attemptsMaxDefault, signal }: MutateOptions = {},
): Promise<Entry | null> {
  if (!(attemptsMax >= 1))
    throw new StoreError('bad_option', `attemptsMax is ${attemptsMax}.`, 'Give a number from 1 on.')
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    if (attempt > 1) await pause(jitteredPauseMs(attempt - 1), signal)
    signal?.throwIfAborted()
    const entry = await store.get(key)
    const value = mutation(entry)
    const write = writeFor(key, entry, value)
    if (write === null) return entry
    const result = await store.commit([write])
    if (result.ok) {
      const revision = result.revisions[0] as string
      return value ? { key, value, revision } : null
    }
  }
  throw new StoreError(
    'contended',
    `Other writers changed ${key} first, ${attemptsMax} times in a row.`,
    'Try again when fewer programs write the same key.',
  )
}

function writeFor(
  key: string,
  entry: Entry | null,
  value: Uint8Array | null | undefined,
): Write | null {
  if (value === undefined) return null
  if (value === null) return entry && remove(entry)
  return entry ? update(entry, value) : create(key, value)
}

/** Ends early when the signal is aborted; who called then finds out by the signal. */
const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  sleep(ms, undefined, signal ? { signal } : {}).catch(() => {})

/** Full jitter: anywhere between nothing and a limit that doubles, so that losers spread out. */
export function jitteredPauseMs(attempt: number): number {
  const ceiling = Math.min(pauseMsMax, pauseMsFirst * 2 ** attempt)
  return Math.random() * ceiling
}
