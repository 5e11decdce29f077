import type { JsonSchemaType } from '@modelcontextprotocol/server'

type Property = Readonly<Record<string, unknown>>

/** An object with these properties and no others. */
export const object = (
  properties: Readonly<Record<string, Property>>,
  required: readonly string[] = [],
): JsonSchemaType =>
  ({ type: 'object', properties, required, additionalProperties: false }) as JsonSchemaType

export const text = (description: string): Property => ({ type: 'string', description })

export const flag = (description: string): Property => ({ type: 'boolean', description })

export const oneOf = (values: readonly string[], description: string): Property => ({
  type: 'string',
  enum: values,
  description,
})

export const list = (items: object, description: string): Property => ({
  type: 'array',
  items,
  minItems: 1,
  description,
})

export const texts = (description: string): Property => list({ type: 'string' }, description)

/** How many of a list are given where the call does not say, and at most. */
export const shownDefault = 20
export const shownMax = 100

export const limit: Property = {
  type: 'integer',
  minimum: 1,
  maximum: shownMax,
  description: `How many to give; ${shownDefault} if left out.`,
}
