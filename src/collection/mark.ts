import type { ListOptions, Store, Write } from '../store/internal.ts'

/**
 * One thing that an index says about one document: an entry under a key of its own, or the document's
 * place in a list that it shares with others.
 */
export interface Mark {
  /** Where it stands, beginning with its key. Two marks of a document with the same name are the same mark. */
  readonly name: string
  /** The key that marks of other documents share with this one; null where it is alone. */
  readonly shared: string | null
  /** What it says besides being there, if anything. */
  readonly value?: string
  /** Of one that was found standing under a key of its own: the state of that. */
  readonly revision?: string
  /**
   * The writes that make it stand, in the order that is safe one by one. A mark that already stands is
   * written anew, so that whoever saw it before and means to remove it loses. With `expectAbsent` it may
   * skip looking, and lose if it was wrong.
   */
  put(store: Store, expectAbsent: boolean): Promise<readonly Write[]>
  /** The write that makes it stand where it does not yet, if that can be said without a look. */
  fresh?(): Write
  /** The other document that stands in this place, where only one can; null where none does. */
  holder?(store: Store): Promise<string | null>
  /** The writes that take it away, each naming the state that was seen; none where it does not stand. */
  drop(store: Store): Promise<readonly Write[]>
}

/** A mark, and the document that it speaks of. */
export interface DocumentMark {
  readonly id: string
  readonly mark: Mark
}

/** Where to look for marks, and who hears of what lies there. */
export interface StandingOptions extends ListOptions {
  readonly onKey?: ((key: string) => void) | undefined
}

/** Marks as a pure function of a document, and how to find those that stand. */
export interface Index<T> {
  /** Everything below it belongs to this index. */
  readonly prefix: string
  marks(id: string, value: T): Iterable<Mark>
  /** Those of the given marks that do not stand. */
  missing<M extends DocumentMark>(store: Store, marks: readonly M[]): Promise<readonly M[]>
  /** All that stand, or those that lie within bounds; `onKey` is told of all that lies there, marks or not. */
  standing(store: Store, bounds?: StandingOptions): AsyncIterable<DocumentMark>
  /** Makes many marks stand at less cost than one by one; only where that overwrites no other document's. */
  putAll?(store: Store, marks: readonly Mark[]): Promise<void>
  /** Puts the layout in order where there is one; says how many keys it took away, or would. */
  tidy?(store: Store, isDryRun: boolean): Promise<number>
}

/** All marks of a document, each once. */
export function marksOf<T>(
  indexes: readonly Index<T>[],
  id: string,
  value: T | null,
): readonly Mark[] {
  if (value === null) return noMarks
  let marks: Mark[] | null = null
  for (const index of indexes)
    for (const mark of index.marks(id, value))
      if (marks === null) marks = [mark]
      else if (!isAmong(marks, mark)) marks.push(mark)
  return marks ?? noMarks
}

export const noMarks: readonly Mark[] = []

function isAmong(marks: readonly Mark[], { name }: Mark): boolean {
  for (const mark of marks) if (mark.name === name) return true
  return false
}

/** Those of the first that are not among the others. */
export function without(marks: readonly Mark[], others: readonly Mark[]): readonly Mark[] {
  if (marks.length === 0 || others.length === 0) return marks
  return marks.filter((mark) => !isAmong(others, mark))
}
