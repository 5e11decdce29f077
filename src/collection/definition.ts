import {
  checkKey,
  escapeSegment,
  isSegment,
  type Store,
  unescapeSegment,
} from '../store/internal.ts'
import type { Codec } from './codec.ts'
import type { Index } from './mark.ts'

/** What a collection holds and where. */
export interface Definition<T> {
  /** What one document is called in messages, such as "task". */
  readonly noun: string
  /** The documents lie below it. */
  readonly prefix: string
  readonly codec: Codec<T>
  readonly indexes: readonly Index<T>[]
  /** What to do about a document that can't be read, as the last sentence of a message. */
  readonly remedy?: string
  /**
   * How many documents, of those that were read last, to keep as they were decoded: a revision names one state, so
   * one that is read again in the same state need not be decoded again. Their values must never be changed in place.
   */
  readonly recentMax?: number
  /** Where a document lies below the prefix, and back; one escaped segment unless told otherwise. */
  readonly path?: Path
  /**
   * Whether a document proves that a change of ours was applied to it earlier, even if others have changed it since. Settles
   * lost answers. Omit it if documents hold no such proof.
   */
  readonly recalls?: (
    now: T,
    change: { readonly before: T; readonly after: T },
    store: Store,
  ) => boolean | Promise<boolean>
}

interface Path {
  of(id: string): string
  /** Null where no document can lie. */
  idOf(path: string): string | null
}

const oneSegment: Path = {
  of: escapeSegment,
  idOf: (path) => (path.includes('/') || !isSegment(path) ? null : unescapeSegment(path)),
}

/** Throws where the id is one that no key can hold: before anything of the document is written. */
export function keyOf<T>(definition: Definition<T>, id: string): string {
  const key = uncheckedKeyOf(definition, id)
  checkKey(key)
  return key
}

/** The same for who only reads, or knows the document to be there. Stores check their keys by themselves. */
export const uncheckedKeyOf = <T>(
  { prefix, path = oneSegment }: Definition<T>,
  id: string,
): string => `${prefix}/${path.of(id)}`

export const idOf = <T>({ prefix, path = oneSegment }: Definition<T>, key: string): string | null =>
  path.idOf(key.slice(prefix.length + 1))
