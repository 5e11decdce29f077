import assert from 'node:assert/strict'
import { create, update } from '../store.ts'
import { bytes, type Case, collect, put, putText, text } from './case.ts'

export const valueCases: readonly Case[] = [
  {
    name: 'what was written is read back, byte for byte',
    async run(store) {
      const value = Uint8Array.from({ length: 256 }, (_, index) => index)
      await put(store, create('ns/a', value))
      assert.deepEqual((await store.get('ns/a'))?.value, value)
      assert.deepEqual(
        (await collect(store.scan('ns'))).map((entry) => entry.value),
        [value],
      )
    },
  },
  {
    name: 'an empty value is a value',
    async run(store) {
      const [head] = await put(store, create('ns/empty', bytes('')))
      const entry = { ...head!, value: new Uint8Array() }
      assert.deepEqual(await store.get('ns/empty'), entry)
      assert.deepEqual(await collect(store.scan('ns')), [entry])
    },
  },
  {
    name: 'a value of exactly the limit is kept',
    async run(store) {
      const value = new Uint8Array(store.limits.valueBytesMax).fill(7)
      const [head] = await put(store, create('ns/large', value))
      assert.deepEqual((await store.get('ns/large'))?.value, value)
      await put(store, update(head!, value.fill(8)))
      assert.deepEqual((await store.get('ns/large'))?.value, value)
    },
  },
  {
    name: 'a value is a plain Uint8Array, also where a Buffer was written',
    async run(store) {
      await put(store, create('ns/a', Buffer.from('text')))
      const got = await store.get('ns/a')
      const [scanned] = await collect(store.scan('ns'))
      for (const entry of [got, scanned]) {
        assert.equal(entry?.value.constructor, Uint8Array)
        assert.deepEqual(entry.value, bytes('text'))
      }
    },
  },
  {
    name: 'a part of a larger buffer is written as that part alone',
    async run(store) {
      await put(store, create('ns/a', Buffer.from('before text after').subarray(7, 11)))
      assert.equal(text(await store.get('ns/a')), 'text')
    },
  },
  {
    name: 'bytes changed after the commit do not change what is stored',
    async run(store) {
      const written = [bytes('plain'), Buffer.from('buffer')]
      for (const [index, value] of written.entries()) {
        await put(store, create(`ns/${index}`, value))
        value.fill(0)
      }
      const stored = (await collect(store.scan('ns'))).map(text)
      assert.deepEqual(stored, ['plain', 'buffer'])
    },
  },
  {
    name: 'bytes that a reader changes are its own',
    async run(store) {
      await putText(store, 'ns/a')
      const read = async () => [(await store.get('ns/a'))!, ...(await collect(store.scan('ns')))]
      const first = await read()
      assert.deepEqual(first.map(text), ['ns/a', 'ns/a'])
      for (const { value } of first) value.fill(0)
      assert.deepEqual((await read()).map(text), ['ns/a', 'ns/a'])
    },
  },
]
