import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import {
  count,
  documentIn,
  documentSchema,
  field,
  flag,
  type Kind,
  listOf,
  name,
  oneOf,
  orNull,
  text,
  time,
} from '../../src/schema/index.ts'

const fields = {
  id: field(name, 'Its name.'),
  at: field(time(), 'When it began.'),
  until: field(time(), 'When it ends.', { absentAs: 'at' }),
  note: field(orNull(text), 'A note.', { absent: null }),
  tries: field(count, 'How many tries.', { absent: 3 }),
}

describe('a document', () => {
  test('has what it was given, and what is absent', () => {
    assert.deepEqual(documentIn(fields, { id: 'a', at: 'now', tries: 1, more: [2] }), {
      ...{ id: 'a', at: 'now', tries: 1, more: [2] },
      ...{ until: 'now', note: null },
    })
  })

  test.each([
    [null, 'it is no JSON object'],
    [[], 'it is no JSON object'],
    ['text', 'it is no JSON object'],
    [{ at: 'now' }, 'its id is missing'],
    [{ id: '', at: 'now' }, 'its id is not possible'],
    [{ id: 'a' }, 'its at is missing'],
    [{ id: 'a', at: 'now', note: 1 }, 'its note is not possible'],
    [{ id: 'a', at: 'now', tries: -1 }, 'its tries is not possible'],
    [{ id: 'a', at: 'now', tries: null }, 'its tries is not possible'],
  ])('%j is refused: %s', (parsed, message) => {
    assert.throws(() => documentIn(fields, parsed), { message })
  })

  test('keeps the order of what it was given', () => {
    const given = { more: 1, tries: 2, at: 'now', until: 'later', note: null, id: 'a' }
    assert.deepEqual(Object.keys(documentIn(fields, given)), Object.keys(given))
  })
})

test.each<[string, Kind<unknown>, readonly unknown[], readonly unknown[]]>([
  ['text', text, ['', 'a'], [null, undefined, 1]],
  ['name', name, ['a'], ['', null]],
  ['flag', flag, [true, false], [null, 0, 'true']],
  ['count', count, [0, 1], [-1, 0.5, '1', Number.NaN, 2 ** 53]],
  ['one of', oneOf(['a', 'b']), ['a', 'b'], ['c', null, '']],
  ['or null', orNull(oneOf(['a'])), ['a', null], [undefined, 'b']],
  ['list', listOf(name), [[], ['a']], [[''], ['a', 1], 'a', null]],
])('a stored %s is one', (_, { is }, fine, wrong) => {
  for (const value of fine) assert.ok(is(value), JSON.stringify(value))
  for (const value of wrong) assert.ok(!is(value), JSON.stringify(value))
})

test('a schema has each field with its meaning, and null where that is possible', () => {
  assert.deepEqual(documentSchema({ at: fields.at, kind: field(orNull(oneOf(['a'])), 'Which.') }), {
    type: 'object',
    additionalProperties: false,
    properties: {
      at: { type: 'string', format: 'date-time', description: 'When it began.' },
      kind: { type: ['string', 'null'], enum: ['a', null], description: 'Which.' },
    },
    required: ['at', 'kind'],
  })
})
