/**
 * JSON Schema, 2020-12, with one keyword of our own: `errorCode` is the code to answer with where a value is not
 * what the schema says. It stays out of the published document.
 *
 * A schema never refuses what the model would take. What it can't say, such as a limit in bytes or of a text
 * after trimming, the model says, with the same code.
 */
export interface JsonSchema {
  readonly [keyword: string]: unknown
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly errorCode?: string
}

/** The schema of an object in which nothing else may stand. */
export interface ObjectSchema extends JsonSchema {
  readonly type: 'object'
  readonly additionalProperties: false
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
}

export const objectOf = (
  properties: Readonly<Record<string, JsonSchema>>,
  rest: Pick<JsonSchema, 'description' | 'errorCode'> & { required?: readonly string[] } = {},
): ObjectSchema => ({ type: 'object', additionalProperties: false, properties, ...rest })

/** A schema of the published document, by its name there. */
export const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })

/** A schema as others read it. */
export function published(schema: JsonSchema): JsonSchema {
  return strip(schema) as JsonSchema
}

function strip(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strip)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) =>
      name === 'errorCode' ? [] : [[name, strip(each)]],
    ),
  )
}
