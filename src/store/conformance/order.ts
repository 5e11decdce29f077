import assert from 'node:assert/strict'
import { remove } from '../store.ts'
import { bytes, type Case, collect, keysIn, put, putText } from './case.ts'

const ladder = ['ns/a', 'ns/b', 'ns/c', 'ns/d', 'ns/e'] as const

export const orderCases: readonly Case[] = [
  {
    name: 'an empty store lists nothing',
    async run(store) {
      assert.deepEqual(await keysIn(store, ''), [])
      assert.deepEqual(await keysIn(store, 'ns'), [])
    },
  },
  {
    name: 'keys ascend by their UTF-8 bytes, whatever the order of writing, and descend in reverse',
    async run(store) {
      // U+FF21 sorts after U+1F600 as UTF-16, and before it as UTF-8.
      const keys = ['ns/-', 'ns/.x', 'ns/0', 'ns/A', 'ns/_', 'ns/a', 'ns/é', 'ns/Ａ', 'ns/😀']
      await putText(store, ...keys.toReversed())
      assert.deepEqual(await keysIn(store, 'ns'), keys)
      assert.deepEqual(await keysIn(store, 'ns', { reverse: true }), keys.toReversed())
      assert.deepEqual(await keysIn(store, 'ns', { after: 'ns/Ａ' }), ['ns/😀'])
      assert.deepEqual(await keysIn(store, 'ns', { before: 'ns/Ａ' }), keys.slice(0, -2))
    },
  },
  {
    name: 'order goes by the whole key, not segment by segment',
    async run(store) {
      const keys = ['ns/a-b', 'ns/a.b', 'ns/a/b', 'ns/a0', 'ns/aa']
      await putText(store, ...keys.toReversed())
      assert.deepEqual(await keysIn(store, 'ns'), keys)
      assert.deepEqual(await keysIn(store, 'ns', { reverse: true }), keys.toReversed())
    },
  },
  {
    name: 'a prefix is whole segments, and not the key of that name',
    async run(store) {
      await putText(store, 'ns/a/b', 'ns/a/b/1', 'ns/a/b/2/3', 'ns/a/bc', 'ns/a/b-c', 'nsa/a/b/1')
      assert.deepEqual(await keysIn(store, 'ns/a/b'), ['ns/a/b/1', 'ns/a/b/2/3'])
    },
  },
  {
    name: 'the empty prefix spans all namespaces',
    async run(store) {
      await putText(store, 'zz/1', 'aa/1', 'ns/1')
      assert.deepEqual(await keysIn(store, ''), ['aa/1', 'ns/1', 'zz/1'])
      assert.deepEqual(await keysIn(store, '', { after: 'aa/1', before: 'zz/1' }), ['ns/1'])
      assert.deepEqual(await keysIn(store, '', { reverse: true, limit: 2 }), ['zz/1', 'ns/1'])
    },
  },
  {
    name: 'after and before are exclusive, and need not exist',
    async run(store) {
      await putText(store, ...ladder)
      const list = (after?: string, before?: string) => keysIn(store, 'ns', { after, before })
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
      assert.deepEqual(await keysIn(store, 'ns', { after: 'ms/0' }), ['ns/a'])
      assert.deepEqual(await keysIn(store, 'ns', { before: 'os/9' }), ['ns/a'])
      assert.deepEqual(await keysIn(store, 'ns', { after: 'os/0' }), [])
      assert.deepEqual(await keysIn(store, 'ns', { before: 'ms/9' }), [])
    },
  },
  {
    name: 'a limit cuts, and one larger than the answer does not',
    async run(store) {
      await putText(store, ...ladder)
      assert.deepEqual(await keysIn(store, 'ns', { limit: 2 }), ['ns/a', 'ns/b'])
      assert.deepEqual(await keysIn(store, 'ns', { limit: 5 }), ladder)
      assert.deepEqual(await keysIn(store, 'ns', { limit: 99 }), ladder)
      assert.deepEqual(await keysIn(store, 'ns', { limit: 2, after: 'ns/b' }), ['ns/c', 'ns/d'])
    },
  },
  {
    name: 'reverse turns the order and nothing else',
    async run(store) {
      await putText(store, ...ladder)
      const list = (options: object) => keysIn(store, 'ns', { reverse: true, ...options })
      assert.deepEqual(await list({}), ladder.toReversed())
      assert.deepEqual(await list({ after: 'ns/b' }), ['ns/e', 'ns/d', 'ns/c'])
      assert.deepEqual(await list({ before: 'ns/d', limit: 2 }), ['ns/c', 'ns/b'])
      assert.deepEqual(await list({ after: 'ns/a', before: 'ns/d' }), ['ns/c', 'ns/b'])
      assert.deepEqual(await list({ limit: 1 }), ['ns/e'])
    },
  },
  {
    name: 'list gives keys and revisions alone, scan the values too',
    async run(store) {
      const heads = await putText(store, ...ladder)
      const entries = heads.map((head) => ({ ...head, value: bytes(head.key) }))
      assert.deepEqual(await collect(store.list('ns')), heads)
      assert.deepEqual(await collect(store.scan('ns')), entries)
    },
  },
  {
    name: 'a removed key is gone from lists, and may be created again',
    async run(store) {
      const [, b] = await putText(store, ...ladder)
      await put(store, remove(b!))
      assert.deepEqual(await keysIn(store, 'ns'), ['ns/a', 'ns/c', 'ns/d', 'ns/e'])
      await putText(store, 'ns/b')
      assert.deepEqual(await keysIn(store, 'ns'), ladder)
    },
  },
]
