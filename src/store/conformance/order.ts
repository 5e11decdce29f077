import assert from 'node:assert/strict'
import { create, remove, update } from '../store.ts'
import { bytes, type Case, inBatches, keysOf, put, putText, text } from './case.ts'

const ladder = ['ns/a', 'ns/b', 'ns/c', 'ns/d', 'ns/e'] as const

export const orderCases: readonly Case[] = [
  {
    name: 'an empty store lists nothing',
    async run(store) {
      assert.deepEqual(await keysOf(store.list('')), [])
      assert.deepEqual(await keysOf(store.scan('ns')), [])
    },
  },
  {
    name: 'keys ascend by their UTF-8 bytes, whatever the order of writing',
    async run(store) {
      // U+FF21 sorts after U+1F600 as UTF-16, and before it as UTF-8.
      const keys = ['ns/-', 'ns/.x', 'ns/0', 'ns/A', 'ns/_', 'ns/a', 'ns/é', 'ns/Ａ', 'ns/😀']
      await putText(store, ...keys.toReversed())
      assert.deepEqual(await keysOf(store.list('ns')), keys)
      assert.deepEqual(await keysOf(store.scan('ns')), keys)
    },
  },
  {
    name: 'order goes by the whole key, not segment by segment',
    async run(store) {
      const keys = ['ns/a-b', 'ns/a.b', 'ns/a/b', 'ns/a0', 'ns/aa']
      await putText(store, ...keys.toReversed())
      assert.deepEqual(await keysOf(store.list('ns')), keys)
    },
  },
  {
    name: 'a prefix is whole segments, and not the key of that name',
    async run(store) {
      await putText(store, 'ns/a/b', 'ns/a/b/1', 'ns/a/b/2/3', 'ns/a/bc', 'ns/a/b-c', 'nsa/a/b/1')
      assert.deepEqual(await keysOf(store.list('ns/a/b')), ['ns/a/b/1', 'ns/a/b/2/3'])
      assert.deepEqual(await keysOf(store.scan('ns/a/b')), ['ns/a/b/1', 'ns/a/b/2/3'])
    },
  },
  {
    name: 'the empty prefix spans all namespaces',
    async run(store) {
      await putText(store, 'zz/1', 'aa/1', 'ns/1')
      assert.deepEqual(await keysOf(store.list('')), ['aa/1', 'ns/1', 'zz/1'])
    },
  },
  {
    name: 'after and before are exclusive, and need not exist',
    async run(store) {
      await putText(store, ...ladder)
      const list = (after?: string, before?: string) => keysOf(store.list('ns', { after, before }))
      assert.deepEqual(await list('ns/b'), ['ns/c', 'ns/d', 'ns/e'])
      assert.deepEqual(await list(undefined, 'ns/b'), ['ns/a'])
      assert.deepEqual(await list('ns/b', 'ns/d'), ['ns/c'])
      assert.deepEqual(await list('ns/bb', 'ns/cc'), ['ns/c'])
      assert.deepEqual(await list('ns/d', 'ns/b'), [])
    },
  },
  {
    name: 'after and before outside the prefix do not widen it',
    async run(store) {
      await putText(store, 'ms/1', 'ns/a', 'os/1')
      assert.deepEqual(await keysOf(store.list('ns', { after: 'ms/0' })), ['ns/a'])
      assert.deepEqual(await keysOf(store.list('ns', { before: 'os/9' })), ['ns/a'])
      assert.deepEqual(await keysOf(store.list('ns', { after: 'os/0' })), [])
      assert.deepEqual(await keysOf(store.list('ns', { before: 'ms/9' })), [])
    },
  },
  {
    name: 'a limit cuts, and one larger than the answer does not',
    async run(store) {
      await putText(store, ...ladder)
      assert.deepEqual(await keysOf(store.list('ns', { limit: 2 })), ['ns/a', 'ns/b'])
      assert.deepEqual(await keysOf(store.scan('ns', { limit: 5 })), ladder)
      assert.deepEqual(await keysOf(store.scan('ns', { limit: 99 })), ladder)
    },
  },
  {
    name: 'reverse turns the order and nothing else',
    async run(store) {
      await putText(store, ...ladder)
      const list = (options: object) => keysOf(store.list('ns', { reverse: true, ...options }))
      assert.deepEqual(await list({}), ladder.toReversed())
      assert.deepEqual(await list({ after: 'ns/b' }), ['ns/e', 'ns/d', 'ns/c'])
      assert.deepEqual(await list({ before: 'ns/d', limit: 2 }), ['ns/c', 'ns/b'])
      assert.deepEqual(await keysOf(store.scan('ns', { reverse: true, limit: 1 })), ['ns/e'])
    },
  },
  {
    name: 'scan gives the values',
    async run(store) {
      await putText(store, ...ladder)
      for await (const entry of store.scan('ns')) assert.equal(text(entry), entry.key)
    },
  },
  {
    name: 'a removed key is gone from lists, and may be created again',
    async run(store) {
      const [, b] = await putText(store, ...ladder)
      await put(store, remove(b!))
      assert.deepEqual(await keysOf(store.list('ns')), ['ns/a', 'ns/c', 'ns/d', 'ns/e'])
      await putText(store, 'ns/b')
      assert.deepEqual(await keysOf(store.scan('ns')), ladder)
    },
  },
  {
    name: 'an iteration over many keys gives each untouched one exactly once, while others change',
    async run(store) {
      const keys = Array.from({ length: 300 }, (_, index) => `ns/${String(index).padStart(4, '0')}`)
      const heads = await inBatches(
        store,
        keys.map((key) => create(key, bytes(key))),
      )
      const seen: string[] = []
      for await (const { key } of store.list('ns')) {
        if (seen.push(key) !== 10) continue
        await put(store, update(heads[5]!, bytes('seen already')))
        await put(store, update(heads[280]!, bytes('still to come')))
        await put(store, remove(heads[0]!))
        await putText(store, 'ns/0005-new', 'ns/0281-new')
      }
      const untouched = keys.filter((_, index) => ![0, 5, 280].includes(index))
      const count = (key: string) => seen.filter((other) => other === key).length
      assert.deepEqual(
        untouched.filter((key) => count(key) !== 1),
        [],
      )
      assert.ok(count('ns/0280') <= 1 && count('ns/0281-new') <= 1)
    },
  },
  {
    name: 'an iteration that is left early leaves nothing behind',
    async run(store) {
      await putText(store, ...ladder)
      for await (const { key } of store.scan('ns')) if (key === 'ns/b') break
      assert.deepEqual(await keysOf(store.list('ns')), ladder)
    },
  },
]
