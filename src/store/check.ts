import { StoreError } from './error.ts'
import { checkKey, checkPrefix, namespaceOf } from './key.ts'
import type { ListOptions, Store, Write } from './store.ts'

/** Refuses a list or scan that no store could answer. */
export function checkRange(prefix: string, { after, before, limit }: ListOptions): void {
  checkPrefix(prefix)
  if (after !== undefined) checkKey(after)
  if (before !== undefined) checkKey(before)
  if (limit === undefined || (Number.isInteger(limit) && limit >= 1)) return
  throw new StoreError(
    'bad_option',
    `A limit of ${limit} is not possible.`,
    'Give a whole number from 1 on, or leave it out for all.',
  )
}

/** Refuses, before anything is written, a commit that this store could not apply as a whole. */
export function checkWrites(
  writes: readonly Write[],
  { commitWritesMax, commitSpan, valueBytesMax }: Store['limits'],
): void {
  if (writes.length > commitWritesMax) throw tooManyWrites(writes.length, commitWritesMax)
  for (const write of writes) {
    checkKey(write.key)
    if (write.type !== 'remove') checkValue(write, valueBytesMax)
  }
  if (writes.length === 1) return
  checkDistinct(writes)
  if (commitSpan === 'namespace') checkSpan(writes)
}

function checkValue({ key, value }: { key: string; value: Uint8Array }, bytesMax: number): void {
  if (!(value instanceof Uint8Array))
    throw new StoreError(
      'bad_option',
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

function checkDistinct(writes: readonly Write[]): void {
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
