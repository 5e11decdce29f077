import type { JsonSchema } from './schema.ts'

declare const value: unique symbol

/** A kind of value: the schema that programs read, and the test that a stored value must pass. */
export interface Kind<T> {
  readonly schema: JsonSchema
  readonly is: (value: unknown) => boolean
  /** Set where a value, as text, has nothing that JSON must escape: then it is written as it stands. */
  readonly isPlain?: true
  /** Set where a value is written faster than by `JSON.stringify`. */
  json?(value: T): string
  /** Never there: it carries the type. */
  readonly [value]?: T
}

type More<T> = Partial<Pick<Kind<T>, 'isPlain' | 'json'>>

export const kind = <T>(
  schema: JsonSchema,
  is: (value: unknown) => boolean,
  more: More<T> = {},
): Kind<T> => ({ schema, is, ...more })

const isText = (value: unknown): boolean => typeof value === 'string'
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0

export const text = kind<string>({ type: 'string' }, isText)
/** Text that is not empty. */
export const name = kind<string>({ type: 'string' }, (value) => isText(value) && value !== '')
/** The same for what callers give: the schema itself refuses an empty one. */
export const filled = kind<string>({ type: 'string', minLength: 1 }, name.is)
export const flag = kind<boolean>({ type: 'boolean' }, (value) => typeof value === 'boolean')
export const count = kind<number>({ type: 'integer', minimum: 0 }, isCount)
/** Anything that JSON can hold. */
export const json = <T>(schema: JsonSchema = {}): Kind<T> => kind<T>(schema, () => true)

/** A time as RFC 3339; how closely a stored one is looked at, its model says. */
export const time = (is: (value: unknown) => boolean = isText): Kind<string> =>
  kind<string>({ type: 'string', format: 'date-time' }, is, { isPlain: true })

/** One of some words of ours. */
export const oneOf = <const T extends string>(values: readonly T[]): Kind<T> =>
  kind<T>({ type: 'string', enum: values }, (value) => values.includes(value as T), {
    isPlain: true,
  })

/** The items of a list are looked at by its model, which may put them right. */
export const listOf = <T>({ schema, is }: Kind<T>): Kind<readonly T[]> =>
  kind<readonly T[]>(
    { type: 'array', items: schema },
    (value) => Array.isArray(value) && value.every(is),
  )

export const orNull = <T>({ schema, is, isPlain }: Kind<T>): Kind<T | null> =>
  kind<T | null>(
    {
      ...schema,
      ...(schema.type === undefined ? {} : { type: [schema.type, 'null'].flat() }),
      ...(schema['enum'] ? { enum: [...(schema['enum'] as readonly unknown[]), null] } : {}),
    },
    (value) => value === null || is(value),
    isPlain ? { isPlain } : {},
  )
