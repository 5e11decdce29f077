import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import type { HttpError } from '../../src/http/error.ts'
import { checkOf } from '../../src/http/validator.ts'
import { type JsonSchema, objectOf } from '../../src/schema/index.ts'

const described = { description: 'One line.' }

/** A field, what it was given, and the sentence by which that is refused. */
const cases: readonly [schema: JsonSchema, given: unknown, sentence: string][] = [
  [{ type: 'string', ...described }, 5, 'The field x must be text. One line.'],
  [{ type: ['string', 'null'] }, 5, 'The field x must be text or null.'],
  [{ type: 'integer', minimum: 0, maximum: 4 }, 1.5, 'The field x must be a whole number.'],
  [{ type: 'integer', minimum: 0, maximum: 4 }, 7, 'The field x must be at most 4.'],
  [{ type: 'integer', minimum: 0, maximum: 4 }, -1, 'The field x must be at least 0.'],
  [{ type: 'array', items: { type: 'string' } }, 'x', 'The field x must be a list.'],
  [{ type: 'array', items: { type: 'string' } }, [1], 'The field x.0 must be text.'],
  [{ type: 'array', maxItems: 1, items: {} }, [1, 2], 'The field x must have at most 1 items.'],
  [{ type: 'boolean' }, 'yes', 'The field x must be true or false.'],
  [{ type: 'string', minLength: 1, ...described }, '', 'The field x is empty. One line.'],
  [{ type: 'string', maxLength: 3 }, 'four', 'The field x must have at most 3 characters.'],
  [{ type: 'string', enum: ['a', 'b'] }, 'c', 'The field x must be one of a, b.'],
  [{ type: 'string', ...described }, undefined, 'The field x is missing. One line.'],
]

describe('what is wrong with a field is told in words', () => {
  for (const [schema, given, sentence] of cases)
    test(sentence, () => {
      const place = { noun: 'field', code: 'INVALID_BODY', statusOf: () => 400 }
      const check = checkOf(objectOf({ x: schema }, { required: ['x'] }), place)
      const body = given === undefined ? {} : { x: given }
      assert.throws(
        () => check(body),
        ({ message }: HttpError) => message === sentence,
      )
    })

  test('a body that is none must be an object', () => {
    const place = { noun: 'field', code: 'INVALID_BODY', statusOf: () => 400 }
    assert.throws(() => checkOf(objectOf({}), place)([]), {
      message: 'The body must be an object.',
    })
  })
})
