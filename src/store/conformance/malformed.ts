import assert from 'node:assert/strict'
import { create, type Head, type Write } from '../store.ts'
import { assertFails, bytes, type Case, putText, text } from './case.ts'

/** What plain JavaScript can hand over, made from the head of a key that is there. */
const malformed: Readonly<Record<string, (head: Head) => unknown>> = {
  'a write of an unknown type': (head) => [{ ...head, type: 'put', value: bytes('x') }],
  'a write without a type': (head) => [{ ...head, value: bytes('x') }],
  'a write that is null': () => [null],
  'a write that is undefined': () => [undefined],
  'a write that is a text': () => ['ns/a'],
  'an array with a hole': () => new Array(1),
  'an update without a revision': ({ key }) => [{ type: 'update', key, value: bytes('x') }],
  'an update with a number as revision': ({ key }) => [
    { type: 'update', key, revision: 1, value: bytes('x') },
  ],
  'an update with null as revision': ({ key }) => [
    { type: 'update', key, revision: null, value: bytes('x') },
  ],
  'a removal without a revision': ({ key }) => [{ type: 'remove', key }],
  'a removal with a number as revision': ({ key }) => [{ type: 'remove', key, revision: 1 }],
  'a creation without a value': () => [{ type: 'create', key: 'ns/new' }],
  'a creation with a text as value': () => [{ type: 'create', key: 'ns/new', value: 'text' }],
  'an update without a value': (head) => [{ ...head, type: 'update' }],
  'an update with a text as value': (head) => [{ ...head, type: 'update', value: 'text' }],
  'writes that are null': () => null,
  'writes that are undefined': () => undefined,
  'writes that are one write': () => create('ns/new', bytes('x')),
  'writes that are a set': () => new Set([create('ns/new', bytes('x'))]),
  'writes that only look like an array': () => ({ 0: create('ns/new', bytes('x')), length: 1 }),
}

/** Without these a slip in plain JavaScript could become an unconditional write, or a false conflict. */
export const malformedCases: readonly Case[] = Object.entries(malformed).map(([name, make]) => ({
  name: `${name}: refused, and nothing is written`,
  async run(store) {
    const [head] = await putText(store, 'ns/a')
    const writes = make(head!) as readonly Write[]
    await assertFails(() => store.commit(writes), 'invalid', 'bad_option')
    assert.deepEqual(await store.get('ns/a'), { ...head!, value: bytes('ns/a') })
    assert.equal(text(await store.get('ns/new')), null)
  },
}))
