import type { Entry } from '../store/index.ts'
import { type Definition, keyOf } from './definition.ts'
import { Refusal } from './refusal.ts'

/** A document in the state that a revision names. */
export interface Document<T> {
  readonly id: string
  readonly value: T
  readonly revision: string
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
    return { id, value: codec.decode(entry.value, id), revision: entry.revision }
  } catch (error) {
    throw new CorruptDocumentError(noun, id, { key: keyOf(definition, id), remedy }, error)
  }
}
