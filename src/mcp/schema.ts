import { type Given, type Inputs, inputSchema, json, optional } from '../schema/index.ts'

/** The schema of what a tool is given. */
export const objectSchema = (inputs: Inputs) => ({ required: [], ...inputSchema(inputs) })

const listOf = <T>(items: object) => json<readonly T[]>({ type: 'array', items, minItems: 1 })

export const list = <const I extends Inputs>(inputs: I) => listOf<Given<I>>(objectSchema(inputs))

export const words = <const T extends string>(values: readonly T[]) => listOf<T>({ enum: values })

export const texts = listOf<string>({ type: 'string' })

/** How many of a list are given where the call does not say, and at most. */
export const shownDefault = 20
export const shownMax = 100

export const limit = optional(
  json<number>({ type: 'integer', minimum: 1, maximum: shownMax }),
  `How many to give; ${shownDefault} if left out.`,
)
