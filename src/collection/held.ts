import type { Head } from '../store/internal.ts'

/**
 * What is known of a document from one's own last look or write: enough to change it without looking again. Whether
 * it is still so shows when it is swapped.
 */
export interface Held<T> {
  readonly id: string
  readonly value: T
  readonly revision: string
  /** Those of its marks that are known, in the states in which they were seen. */
  readonly marks: readonly Head[]
}
