import assert from 'node:assert/strict'
import { create, remove, type Store, update } from '../store.ts'
import { assertFails, bytes, type Case, keysIn, keysOf, putText, text } from './case.ts'

const badKeys: Readonly<Record<string, string>> = {
  'an empty key': '',
  'a key of one segment': 'ns',
  'a key with an empty segment': 'ns//a',
  'a key with a slash in front': '/ns/a',
  'a key with a slash at its end': 'ns/a/',
  'a key with the segment .': 'ns/./a',
  'a key with the segment ..': 'ns/../a',
  'a key that ends in ..': 'ns/..',
  'a key with a newline': 'ns/a\nb',
  'a key with a NUL': 'ns/a\0',
  'a key with DEL': 'ns/a\x7f',
  'a key with a C1 control character': 'ns/a\u0085b',
  'a key with half a surrogate pair': 'ns/\ud800',
  'a namespace in upper case': 'NS/a',
  'a namespace with a dot': 'n.s/a',
  'a namespace of 33 characters': `${'n'.repeat(33)}/a`,
  'a key of 513 bytes': `ns/${'é'.repeat(255)}`,
  'a key that is no string': 7 as unknown as string,
}

const oddKeys: readonly string[] = [
  `ns/${'k'.repeat(509)}`,
  `ns/${'é'.repeat(254)}x`,
  `ns/${'deep/'.repeat(100)}x`,
  `${'n'.repeat(32)}/a`,
  'ns/...',
  'ns/.hidden',
  'ns/with space',
  'ns/dots.and.more',
  'ns/*',
  'ns/>',
  'ns/100%',
  'ns/%2F',
  'ns/a\\b',
  'ns/"quoted"',
  'ns/ leading and trailing ',
  'ns/a?b#c&d=e+f',
  'ns/日本語',
  'ns/e\u0301',
  'ns/\u00e9',
  'ns/😀',
  'ns/A',
  'ns/a',
  '__proto__/constructor',
]

const assertNothingWritten = async (store: Store): Promise<void> =>
  assert.deepEqual(await keysOf(store.list('')), [])

const refusedKeys: readonly Case[] = Object.entries(badKeys).map(([name, key]) => ({
  name: `${name} is refused everywhere, and nothing is written`,
  async run(store) {
    const bad = (call: () => Promise<unknown>) => assertFails(call, 'invalid', 'bad_key')
    await bad(() => store.get(key))
    await bad(() => store.commit([create(key, bytes('x'))]))
    await bad(() => store.commit([update({ key, revision: '1' }, bytes('x'))]))
    await bad(() => store.commit([remove({ key, revision: '1' })]))
    for (const range of [{ after: key }, { before: key }]) {
      await bad(() => keysOf(store.list('ns', range)))
      await bad(() => keysOf(store.scan('ns', range)))
    }
    await assertNothingWritten(store)
  },
}))

export const inputCases: readonly Case[] = [
  ...refusedKeys,
  {
    name: 'a bad prefix is refused by list, scan and watch',
    async run(store) {
      for (const prefix of ['ns/', '/ns', 'ns//a', 'ns/..', 'NS', 'ns/a\n']) {
        await assertFails(() => keysOf(store.list(prefix)), 'invalid', 'bad_key')
        await assertFails(() => keysOf(store.scan(prefix)), 'invalid', 'bad_key')
        const watch = store.watch(prefix)[Symbol.asyncIterator]()
        await assertFails(() => watch.next(), 'invalid', 'bad_key')
      }
    },
  },
  {
    name: 'every legal key works, however odd, and is its own',
    async run(store) {
      await putText(store, ...oddKeys)
      for (const key of oddKeys)
        assert.deepEqual((await store.get(key))?.value, bytes(key), JSON.stringify(key))
      assert.deepEqual((await keysIn(store, '')).toSorted(), oddKeys.toSorted())
    },
  },
  {
    name: 'a key that stands twice in one commit is refused, and nothing is written',
    async run(store) {
      const writes = [create('ns/a', bytes('1')), create('ns/a', bytes('2'))]
      if (store.limits.commitWritesMax > 1)
        await assertFails(() => store.commit(writes), 'invalid', 'bad_key')
      else await assertFails(() => store.commit(writes), 'unsupported', 'too_many_writes')
      await assertNothingWritten(store)
    },
  },
  {
    name: 'a value over the limit is refused in a creation and in an update, and nothing is written',
    async run(store) {
      const value = new Uint8Array(store.limits.valueBytesMax + 1)
      await assertFails(() => store.commit([create('ns/a', value)]), 'invalid', 'too_large')
      await assertNothingWritten(store)
      const [head] = await putText(store, 'ns/a')
      await assertFails(() => store.commit([update(head!, value)]), 'invalid', 'too_large')
      assert.equal(text(await store.get('ns/a')), 'ns/a')
    },
  },
  {
    name: 'a limit that is no whole number from 1 on is refused',
    async run(store) {
      for (const limit of [0, -1, 1.5, Number.NaN]) {
        await assertFails(() => keysOf(store.list('ns', { limit })), 'invalid', 'bad_option')
        await assertFails(() => keysOf(store.scan('ns', { limit })), 'invalid', 'bad_option')
      }
    },
  },
]
