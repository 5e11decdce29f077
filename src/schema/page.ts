import { count, filled, kind } from './kind.ts'
import { optional } from './operation.ts'

/** The most items that a page of a list has. */
export const limitMax = 1000

const limit = optional(
  kind<number>({ type: 'integer', minimum: 1, maximum: limitMax }, () => true),
  'How many to give: 1 to 1000.',
)

/** Which part of a list to give. */
export const offsetInputs = {
  limit,
  offset: optional(count, 'How many to leave out first.'),
}

/** The same of a list whose pages follow one another by a mark. */
export const cursorInputs = {
  limit,
  cursor: optional(filled, 'The X-Next-Cursor of the page before.'),
}
