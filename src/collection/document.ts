import { type Entry, UnreadableValueError, valueBytesMax } from '../store/internal.ts'
import { type Definition, keyOf } from './definition.ts'
import { Refusal } from './refusal.ts'

/** A document in the state that a revision names. */
export interface Document<T> {
  readonly id: string
  readonly value: T
  readonly revision: string
}

/** The ids that start with a prefix: how many there are, and the first of them. */
export interface Matches {
  readonly count: number
  readonly ids: readonly string[]
}

/** A hint that a document may have changed, or, after a gap, that any may have: read again. */
export type DocumentEvent =
  | { readonly type: 'resync' }
  | {
      readonly type: 'document'
      /** Which one. */
      readonly id: string
    }

const usualRemedy = 'Put it right with the tool that wrote it, or delete it by its full id.'

/** What is stored under the id of a document is none. It is never changed, and removed only by its full id. */
export class CorruptDocumentError extends Refusal {
  override readonly name = 'CorruptDocumentError'
  readonly kind = 'corrupt'
  /** The id of the document that can't be read. */
  readonly id: string
  /** Where it lies in the store. */
  readonly key: string

  constructor(
    noun: string,
    id: string,
    { key, remedy = usualRemedy }: { key: string; remedy?: string | undefined },
    cause: unknown,
  ) {
    const why = cause instanceof Error ? cause.message : String(cause)
    super(`The ${noun} ${id} is corrupt: what is stored at ${key} can't be read (${why}).`, remedy)
    this.cause = cause
    this.id = id
    this.key = key
  }
}

/** The document that an entry holds; throws {@link CorruptDocumentError}. */
export function documentOf<T>(definition: Definition<T>, id: string, entry: Entry): Document<T> {
  const { codec, noun, remedy } = definition
  try {
    checkSize(entry.value)
    return { id, value: codec.decode(entry.value, id), revision: entry.revision }
  } catch (error) {
    throw new CorruptDocumentError(noun, id, { key: keyOf(definition, id), remedy }, error)
  }
}

/** What another tool has written beyond the limit of every store could never be changed. */
function checkSize({ byteLength }: Uint8Array): void {
  if (byteLength > valueBytesMax)
    throw new Error(`it has ${byteLength} bytes; the limit is ${valueBytesMax}`)
}

/** For what is thrown where a document was to be read: a value that the store can't read is a corrupt document. */
export function corruptOf<T>(definition: Definition<T>, id: string, error: unknown): unknown {
  if (!(error instanceof UnreadableValueError)) return error
  const { noun, remedy } = definition
  return new CorruptDocumentError(noun, id, { key: error.key, remedy }, error)
}
