/** An event and its place in a log. */
export interface Logged<E> {
  /** Its number, from 1 on and without a gap. */
  readonly seq: number
  /** What happened. */
  readonly event: E
}

/**
 * Decides which events to append, from what it reads in the documents. It receives the number of its first event,
 * and the events of earlier steps that no document shows yet. It runs again each time another writer appends first,
 * and then returns only what is still missing.
 */
export type Step<E> = (nextSeq: number, pending: readonly E[]) => Promise<readonly E[]>

/** An event as it is stored; `event` is null where that can't be read, and `problem` says why. */
export type StoredEvent<E> =
  | { readonly seq: number; readonly event: E; readonly problem: null }
  | { readonly seq: number; readonly event: null; readonly problem: string }

export interface ReadOptions {
  /** Only events after this number. */
  readonly after?: number
  /** Only events before this number. */
  readonly before?: number | undefined
  readonly limit?: number
  /** The newest first. */
  readonly reverse?: boolean
}
