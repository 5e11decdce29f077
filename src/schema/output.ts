import { type JsonSchema, ref } from './schema.ts'

declare const carried: unique symbol

/** What operations answer with: a document of the model (`T`), and what is shown of it (`W`). */
export interface Shape<T = unknown, W = unknown> {
  readonly name: string
  /** What one is called in a sentence. */
  readonly noun: string
  readonly schema: JsonSchema
  /** What its schema names. */
  readonly parts: readonly Shape[]
  /** Never there: it carries the types. */
  readonly [carried]?: [T, W]
}

export const shape = <T, W = T>(
  name: string,
  noun: string,
  schema: JsonSchema,
  parts: readonly Shape[] = [],
): Shape<T, W> => ({ name, noun, schema, parts })

/** How an answer is made of documents. */
type Form = 'one' | 'created' | 'ensured' | 'found' | 'done' | 'whole' | 'page' | 'steps'

/** What an operation answers with: `R` is what its model gives, `W` what a client gets. */
export interface Output<R = unknown, W = unknown> {
  readonly form: Form
  readonly about: string
  /** Null where the answer has no content. */
  readonly shape: Shape | null
  /** How many items a page has where the caller does not say. */
  readonly usual: number | null
  /** What is wrong where there is no such document. */
  readonly ifNull?: Missing
  /** Whether a page tells how many there are in all. */
  readonly isCounted?: boolean
  /** Whether a page is shown in the order opposite to that in which it is read. */
  readonly isNewestLast?: boolean
  /** Never there: it carries the types. */
  readonly [carried]?: [R, W]
}

const output = <R, W>(
  form: Form,
  shape: Shape | null,
  about: string,
  usual: number | null = null,
): Output<R, W> => ({ form, shape, about, usual })

/** One document. */
export const one = <T, W>(
  shape: Shape<T, W>,
  about = `The ${shape.noun}, as it is now.`,
): Output<T, W> => output('one', shape, about)

interface Missing {
  readonly error: string
  readonly details?: Readonly<Record<string, string>>
}

/** The same, if there is one. */
export const oneIfAny = <T, W>(
  shape: Shape<T, W>,
  ifNull: Missing,
  about?: string,
): Output<T | null, W> => ({ ...one(shape, about), ifNull })

/** A new document. */
export const created = <T, W>(shape: Shape<T, W>, about = `The new ${shape.noun}.`): Output<T, W> =>
  output('created', shape, about)

/** A document that is new, or was there. */
export const ensured = <T, W>(
  shape: Shape<T, W>,
  about = `The new ${shape.noun}.`,
): Output<{ readonly item: T; readonly isNew: boolean }, W> => output('ensured', shape, about)

/** A document, or null; then `about` says what that means. */
export const found = <T, W>(shape: Shape<T, W>, about: string): Output<T | null, W | null> =>
  output('found', shape, about)

/** Nothing but that it is done. */
export const done = (about: string): Output<unknown, null> => output('done', null, about)

/** All documents, of which a surface may show a page; all, where neither the caller nor `usual` says how many. */
export const whole = <T, W>(
  shape: Shape<T, W>,
  about: string,
  usual: number | null = null,
): Output<readonly T[], readonly W[]> => output('whole', shape, about, usual)

/** A page that the model cuts from an offset on. */
export const page = <T, W>(
  shape: Shape<T, W>,
  about: string,
  usual: number,
): Output<OffsetPage<T>, readonly W[]> => output('page', shape, about, usual)

export interface OffsetPage<T> {
  readonly items: readonly T[]
  /** How many there are in all; null where nobody has counted. */
  readonly total: number | null
  /** Whether there are more after these items. */
  readonly hasMore: boolean
}

/** A page that begins where a cursor says. It may be read in several steps, each a call of `run`. */
export const steps = <T, W>(
  shape: Shape<T, W>,
  about: string,
  usual: number,
  order: Pick<Output, 'isCounted' | 'isNewestLast'> = {},
): Output<CursorPage<T>, readonly W[]> => ({ ...output('steps', shape, about, usual), ...order })

export interface CursorPage<T> {
  readonly items: readonly T[]
  /** Where the next page begins; null after the last one. */
  readonly cursor: string | null
  /** Whether the source gave up looking for more: the page ends here. */
  readonly gaveUp?: boolean
  /** How many there are in all, where that is known. */
  readonly total?: number
}

/** The schema of what is answered with. */
export const outputSchema = ({ form, shape }: Output): JsonSchema | null => {
  if (shape === null) return null
  const isList = form === 'whole' || form === 'page' || form === 'steps'
  return isList ? { type: 'array', items: ref(shape.name) } : ref(shape.name)
}

/** The schemas of what these answer with, and of its parts, by name. */
export function schemasIn(outputs: readonly Output[]): Readonly<Record<string, JsonSchema>> {
  const schemas: Record<string, JsonSchema> = {}
  const add = ({ name, schema, parts }: Shape): void => {
    schemas[name] = schema
    parts.forEach(add)
  }
  for (const { shape } of outputs) if (shape) add(shape)
  return schemas
}
