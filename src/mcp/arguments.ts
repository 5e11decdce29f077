import {
  fromJsonSchema,
  type JsonSchemaType,
  type jsonSchemaValidator,
} from '@modelcontextprotocol/server'
import { refusal } from '../collection/index.ts'
import { objectSchema } from './schema.ts'
import type { Tool } from './tool.ts'

/** What a tool was given is not what its schema says. */
class InvalidArgumentsError extends refusal('InvalidArgumentsError', 'invalid') {}

/** Lets everything through: the SDK would answer in words of its own, where we answer with a typed error. */
const anything: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
}

/** The schema of a tool, for who lists it. */
export const schemaOf = ({ input }: Tool) =>
  fromJsonSchema<never>(objectSchema(input) as JsonSchemaType, anything)

/** Compiled when a tool is first called, and then kept: over HTTP there is a server for each request. */
const schemas = new Map<string, ReturnType<typeof fromJsonSchema<never>>>()

/** What a tool was given, as its schema has it. Throws a Refusal where it is anything else. */
export async function checkedArguments({ name, input }: Tool, given: unknown): Promise<never> {
  const schema = schemas.get(name) ?? fromJsonSchema<never>(objectSchema(input) as JsonSchemaType)
  schemas.set(name, schema)
  const result = await schema['~standard'].validate(given ?? {})
  if (result.issues === undefined) return result.value
  const said = result.issues.map(({ message }) => message).join('; ')
  throw new InvalidArgumentsError(
    `${name} does not take that: ${said.replaceAll(/\bdata(\/| )/g, (_, next) => (next === '/' ? '' : 'it '))}.`,
    'Its schema says what it takes.',
  )
}
