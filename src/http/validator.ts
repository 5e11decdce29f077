import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { type JsonSchema, objectOf } from '../schema/index.ts'
import { HttpError } from './error.ts'
import type { Fields } from './route.ts'

const ajv = new Ajv2020({
  keywords: ['errorCode'],
  allowUnionTypes: true,
  // A failure brings the schema it failed by, which says the code to answer with.
  verbose: true,
  addUsedSchema: false,
  // Formats are for readers; the model has the last word on them.
  formats: { uuid: true, 'date-time': true },
})

/** Throws what to answer with where a value is not what its schema says. */
export type Check = (value: unknown) => void

/** How to tell of a flaw: what values are called, and the code where the schema names none. */
interface Place {
  /** What one value is called: a field of the body, a word of the query. */
  readonly noun: string
  readonly code: string
  readonly statusOf: (code: string) => number
}

export function checkOf(schema: JsonSchema, place: Place): Check {
  let validate: ValidateFunction | undefined
  return (value) => {
    // Compiled when it is first needed: a server of many routes starts faster.
    validate ??= compiled(schema)
    if (!validate(value)) throw refusalOf(validate.errors?.[0] as ErrorObject, place)
  }
}

/** By the text of the schema: many routes take the same parameters and headers, and those of another server are the same again. */
const known = new Map<string, ValidateFunction>()

function compiled(schema: JsonSchema): ValidateFunction {
  const text = JSON.stringify(schema)
  const validate = known.get(text) ?? ajv.compile(schema as object)
  known.set(text, validate)
  return validate
}

/** The schema of the fields of a path, a query or headers. */
export const schemaOf = (fields: Fields): JsonSchema =>
  objectOf(Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema])), {
    required: Object.keys(fields).filter((name) => fields[name]?.isRequired),
  })

function refusalOf(error: ErrorObject, place: Place): HttpError {
  const { noun, statusOf } = place
  const missing = missingIn(error)
  const schema = error.parentSchema as JsonSchema
  const code = schema.errorCode ?? missingSchema(error)?.errorCode ?? place.code
  const at = [...error.instancePath.split('/').slice(1), ...(missing === null ? [] : [missing])]
  const name = at.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')).join('.')
  return new HttpError({ code, status: statusOf(code) }, sentenceOf(error, noun, name), {
    details: name === '' ? {} : { [noun]: name.slice(0, shownMax) },
  })
}

const missingIn = ({ keyword, params }: ErrorObject): string | null =>
  keyword === 'required' ? (params as { missingProperty: string }).missingProperty : null

/** What was to stand where something is missing. */
const missingSchema = (error: ErrorObject): JsonSchema | undefined =>
  ((error.parentSchema as JsonSchema)['properties'] as Record<string, JsonSchema> | undefined)?.[
    missingIn(error) ?? ''
  ]

const shownMax = 80

function sentenceOf(error: ErrorObject, noun: string, name: string): string {
  const { keyword, params } = error
  const schema = error.parentSchema as JsonSchema
  const subject = name === '' ? `The ${noun === 'field' ? 'body' : noun}` : `The ${noun} ${name}`
  const described = ({ description }: JsonSchema) =>
    description === undefined ? '' : ` ${description}`
  switch (keyword) {
    case 'required':
      return `${subject} is missing.${described(missingSchema(error) ?? {})}`
    case 'additionalProperties': {
      const unknown = String(params['additionalProperty']).slice(0, shownMax)
      const known = Object.keys(schema['properties'] as object)
      const hint = known.length === 0 ? 'None is known here.' : `Known are ${known.join(', ')}.`
      return `Unknown ${noun}: ${JSON.stringify(unknown)}. ${hint}`
    }
    case 'enum':
      return `${subject} must be one of ${(params['allowedValues'] as unknown[]).join(', ')}.`
    case 'pattern':
      return `${subject} is not of the right form.${described(schema)}`
    default:
      return `${subject} ${flawOf(error)}.${described(schema)}`
  }
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'a whole number',
  array: 'a list',
  object: 'an object',
  boolean: 'true or false',
}

function flawOf({ keyword, params, message = 'is not valid' }: ErrorObject): string {
  const { limit } = params as { limit: number }
  switch (keyword) {
    case 'type': {
      const types = [params['type'] as string | string[]].flat()
      return `must be ${types.map((type) => typeWords[type] ?? type).join(' or ')}`
    }
    case 'minimum':
      return `must be at least ${limit}`
    case 'maximum':
      return `must be at most ${limit}`
    case 'minLength':
      return limit === 1 ? 'is empty' : `must have at least ${limit} characters`
    case 'maxLength':
      return `must have at most ${limit} characters`
    case 'maxItems':
      return `must have at most ${limit} items`
    default:
      return message
  }
}
