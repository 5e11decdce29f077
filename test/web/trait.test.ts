import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { differencesOf, type Trait } from '../../web/src/show/trait.ts'

interface Note {
  readonly text: string
  readonly tags: readonly string[]
  readonly done: boolean
}

const traits: readonly Trait<Note>[] = [
  { name: 'text', label: 'Text', of: ({ text }) => text },
  {
    name: 'tags',
    label: 'Tags',
    of: ({ tags }) => tags.join(', '),
    normal: (typed) => typed.split(/[\s,]+/).join(', '),
  },
  { name: 'done', label: 'Done', of: ({ done }) => String(done), shown: (done) => `is ${done}` },
]

const before: Note = { text: 'one\r\ntwo ', tags: ['a', 'b'], done: false }
const untouched: Readonly<Record<string, string>> = { text: 'one\ntwo', tags: 'a,  b' }

const compare = (theirs: Partial<Note>, typed: Readonly<Record<string, string>> = {}) =>
  differencesOf(traits, {
    before,
    theirs: { ...before, ...theirs },
    typed: (name) => ({ ...untouched, ...typed })[name] ?? null,
  })

describe('what two people make of the same', () => {
  test('a control that nobody has touched differs in nothing, however it writes its text', () => {
    assert.deepEqual(compare({}), { isChanged: false, differences: [] })
  })

  test('what only one has changed is shown as theirs, or as yours', () => {
    const { isChanged, differences } = compare({ done: true }, { text: 'mine' })
    assert.equal(isChanged, true)
    assert.deepEqual(differences, [
      { name: 'text', label: 'Text', theirs: 'one\r\ntwo ', yours: 'mine', before: 'one\r\ntwo ' },
      { name: 'done', label: 'Done', theirs: 'is true', yours: null, before: 'is false' },
    ])
  })

  test('where both have changed the same, both versions are shown', () => {
    const { differences } = compare({ tags: ['c'] }, { tags: 'b,a' })
    assert.deepEqual(differences, [
      { name: 'tags', label: 'Tags', theirs: 'c', yours: 'b, a', before: 'a, b' },
    ])
  })

  test('where only yours has changed, nobody else is in the way', () => {
    assert.equal(compare({}, { text: 'mine' }).isChanged, false)
  })
})
