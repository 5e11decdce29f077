import type { Kind } from './kind.ts'
import { type JsonSchema, objectOf } from './schema.ts'

/** Who may say what a field is: whoever creates the document, also whoever edits it, or only its model. */
export type SetBy = 'creator' | 'editor' | 'model'

/**
 * One field of a document, said once: types, checks, schemas and reference tables follow from it.
 *
 * No schema library: this folder is all that is needed. A library would slow the start of every command, and would not
 * know what a missing field means or who sets a field.
 */
export interface Field<T, S extends SetBy = SetBy> {
  readonly kind: Kind<T>
  /** What it means, in a sentence. */
  readonly about: string
  readonly setBy: S
  /** What it is in a document that does not have it; undefined where every document must. */
  readonly absent: T | undefined
  /** Or the field whose value it has then. */
  readonly absentAs: string | undefined
}

export type Fields = Readonly<Record<string, Field<unknown>>>

/** The document that has these fields. */
export type DocumentOf<F extends Fields> = {
  readonly [Name in keyof F]: F[Name] extends Field<infer T> ? T : never
}

interface More<T, S extends SetBy> {
  readonly setBy?: S
  readonly absent?: T
  readonly absentAs?: string
}

export const field = <T, const S extends SetBy = 'model'>(
  kind: Kind<T>,
  about: string,
  { setBy = 'model' as S, absent, absentAs }: More<NoInfer<T>, S> = {},
): Field<T, S> => ({ kind, about, setBy, absent, absentAs })

/** Those that whoever creates a document may set. */
type GivenFields<F extends Fields> = {
  readonly [Name in keyof F as F[Name] extends Field<unknown, 'model'> ? never : Name]: F[Name]
}

export const givenFields = <F extends Fields>(fields: F): GivenFields<F> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, { setBy }]) => setBy !== 'model'),
  ) as GivenFields<F>

/** The schema of each field, with its meaning. */
export const schemasOf = (fields: Fields): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, { kind, about }]) => [
      name,
      { ...kind.schema, description: about },
    ]),
  )

/** The schema of a document in which all fields are there, and no others. */
export const documentSchema = (fields: Fields): JsonSchema =>
  objectOf(schemasOf(fields), { required: Object.keys(fields) })

/** Throws with what is wrong, for a field that is missing or can't be what it is. */
export function checkField({ is }: Kind<unknown>, name: string, value: unknown): void {
  if (!is(value))
    throw new Error(`its ${name} is ${value === undefined ? 'missing' : 'not possible'}`)
}

/** The fields of what was parsed, and what it has besides, which is kept. Throws with what is wrong. */
export function documentIn<F extends Fields>(fields: F, parsed: unknown): DocumentOf<F> {
  const document = { ...objectIn(parsed) }
  for (const [name, each] of Object.entries(fields)) {
    if (document[name] === undefined) {
      const absent = each.absentAs === undefined ? each.absent : document[each.absentAs]
      if (absent !== undefined) document[name] = absent
    }
    checkField(each.kind, name, document[name])
  }
  return document as DocumentOf<F>
}

export function objectIn(parsed: unknown): Readonly<Record<string, unknown>> {
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new Error('it is no JSON object')
  return parsed as Record<string, unknown>
}
