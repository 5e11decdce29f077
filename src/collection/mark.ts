import type { Store, Write } from '../store/index.ts'

/**
 * One thing that an index says about one document: an entry under a key of its own, or the document's
 * place in a list that it shares with others.
 */
export interface Mark {
  /** Where it stands. Two marks of the same name are the same mark, perhaps with another value. */
  readonly name: string
  readonly value: string
  /** The key that marks of other documents share with this one; null where it is alone. */
  readonly shared: string | null
  /**
   * The writes that make it stand, in the order that is safe one by one. A mark that already stands is
   * written anew, so that whoever saw it before and means to remove it loses. With `expectAbsent` it may
   * skip looking, and lose if it was wrong.
   */
  put(store: Store, expectAbsent: boolean): Promise<readonly Write[]>
  /** The writes that take it away, each naming the state that was seen; none where it does not stand. */
  drop(store: Store): Promise<readonly Write[]>
}

/** A mark that stands, and the document that it speaks of. */
export interface StandingMark {
  readonly id: string
  readonly mark: Mark
}

/** Marks as a pure function of a document, and how to find those that stand. */
export interface Index<T> {
  /** Everything below it belongs to this index. */
  readonly prefix: string
  marks(id: string, value: T): Iterable<Mark>
  /** Those of the given marks that do not stand, or with another value. */
  missing(store: Store, marks: readonly Mark[]): Promise<readonly Mark[]>
  /** All that stand, in bounded memory. */
  standing(store: Store): AsyncIterable<StandingMark>
  /** Puts the layout in order where that has one; answers with how many keys it would take away, or took. */
  tidy?(store: Store, isDryRun: boolean): Promise<number>
}

/** All marks of a document by name. */
export function marksOf<T>(
  indexes: readonly Index<T>[],
  id: string,
  value: T | null,
): ReadonlyMap<string, Mark> {
  const marks = new Map<string, Mark>()
  if (value === null) return marks
  for (const index of indexes) for (const mark of index.marks(id, value)) marks.set(mark.name, mark)
  return marks
}
