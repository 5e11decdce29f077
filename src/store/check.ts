import type { PurgeOptions } from './abilities.ts'
import { StoreError } from './error.ts'
import { checkKey, checkPrefix, namespaceOf } from './key.ts'
import type { ListOptions, Store, Write } from './store.ts'

/** Refuses a list or scan that no store could answer. */
export function checkRange(prefix: string, { after, before, limit }: ListOptions): void {
  checkPrefix(prefix)
  if (after !== undefined) checkKey(after)
  if (before !== undefined) checkKey(before)
  if (limit === undefined || (Number.isInteger(limit) && limit >= 1)) return
  throw badOption(
    `A limit of ${limit} is not possible.`,
    'Give a whole number from 1 on, or leave it out for all.',
  )
}

export function checkPurge(prefix: string, { olderThanMs, before }: PurgeOptions): void {
  checkRange(prefix, { before })
  if (Number.isFinite(olderThanMs) && olderThanMs >= 0) return
  throw badOption(`Removals can't be ${olderThanMs} ms old.`, 'Give a number of milliseconds.')
}

/** Refuses, before anything is written, a commit that this store could not apply as a whole. */
export function checkWrites(
  writes: readonly Write[],
  { commitWritesMax, commitSpan, valueBytesMax }: Store['limits'],
): void {
  if (!Array.isArray(writes)) throw badOption('The writes of a commit are no array.', howToWrite)
  if (writes.length > commitWritesMax) throw tooManyWrites(writes.length, commitWritesMax)
  for (const write of writes) checkWrite(write, valueBytesMax)
  if (writes.length < 2) return
  checkDistinct(writes)
  if (commitSpan === 'namespace') checkSpan(writes)
}

const howToWrite = 'Make writes with create(), update() and remove().'

function checkWrite(write: Write, bytesMax: number): void {
  const type = write?.type
  if (type !== 'create' && type !== 'update' && type !== 'remove')
    throw badOption(`A write is neither a creation nor an update nor a removal.`, howToWrite)
  checkKey(write.key)
  if (type !== 'create' && typeof write.revision !== 'string')
    throw badOption(`The ${type} of ${write.key} names no revision to expect.`, howToWrite)
  if (type !== 'remove') checkValue(write, bytesMax)
}

export function checkSignal(signal: AbortSignal | undefined): void {
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw badOption(
      'The signal of a watch is no AbortSignal.',
      'Pass the signal of an AbortController.',
    )
}

/** The options of what is built on a store. Refuses what is no store, and options that are no object. */
export function checkedOptions<T extends object>(store: Store, options: T): T {
  checkStore(store)
  if (typeof options === 'object' && options !== null && !Array.isArray(options)) return options
  throw badOption('The options are no object.', 'Give an object.')
}

/** Refuses what is no store. */
export function checkStore(store: Store): void {
  if (typeof store?.get !== 'function' || typeof store.commit !== 'function')
    throw badOption(
      store instanceof Promise ? 'A promise of a store was given.' : 'No store was given.',
      "Pass what openStore gives: await openStore('sqlite:tasks.db').",
    )
}

const badOption = (what: string, next: string): StoreError =>
  new StoreError('bad_option', what, next)

function checkValue({ key, value }: { key: string; value: Uint8Array }, bytesMax: number): void {
  if (!(value instanceof Uint8Array))
    throw badOption(
      `The value for ${key} is not a Uint8Array.`,
      'Encode it first, for example with new TextEncoder().encode(text).',
    )
  if (value.byteLength > bytesMax)
    throw new StoreError(
      'too_large',
      `The value for ${key} has ${value.byteLength} bytes; the limit is ${bytesMax}.`,
      'Store less, or split it over several keys.',
    )
}

/** So few are compared with each other sooner than gathered. */
const fewWrites = 8

function checkDistinct(writes: readonly Write[]): void {
  if (writes.length <= fewWrites && areDistinct(writes)) return
  const seen = new Set<string>()
  for (const { key } of writes) {
    if (seen.has(key))
      throw new StoreError(
        'bad_key',
        `The key ${key} stands twice in one commit.`,
        'Merge the two writes into one.',
      )
    seen.add(key)
  }
}

function areDistinct(writes: readonly Write[]): boolean {
  for (let at = 1; at < writes.length; at++)
    for (let before = 0; before < at; before++)
      if (writes[at]?.key === writes[before]?.key) return false
  return true
}

function checkSpan(writes: readonly Write[]): void {
  const namespaces = new Set(writes.map(({ key }) => namespaceOf(key)))
  if (namespaces.size > 1)
    throw new StoreError(
      'too_many_writes',
      `A commit in the namespaces ${[...namespaces].join(', ')}; on this store each is apart.`,
      'Make one commit for each namespace, the one that decides last.',
    )
}

function tooManyWrites(count: number, max: number): StoreError {
  return new StoreError(
    'too_many_writes',
    `A commit of ${count} writes; this store takes at most ${max} at a time.`,
    max === 1
      ? 'Write one key at a time, the one that decides last; this store has no transactions.'
      : `Split it into commits of at most ${max}.`,
  )
}
