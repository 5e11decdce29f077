import assert from 'node:assert/strict'
import { create, type Head, remove, type Store, update } from '../store.ts'
import { bytes, type Case, collect, inBatches, keysIn, keysOf, put, putText } from './case.ts'

const ladder = ['ns/a', 'ns/b', 'ns/c', 'ns/d', 'ns/e'] as const

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `ns/${String(index).padStart(4, '0')}`)

/** More than a page of any store that we know (S3 lists 1,000 keys at a time). */
const many = 1010

const waysToRead = (store: Store): readonly AsyncIterable<Head>[] => [
  store.list('ns'),
  store.scan('ns'),
]

export const iterationCases: readonly Case[] = [
  {
    name: 'of many keys every single one is given, with its value, both ways round',
    async run(store) {
      const heads = await putText(store, ...numbered(many))
      const entries = heads.map((head) => ({ ...head, value: bytes(head.key) }))
      assert.deepEqual(await collect(store.list('ns')), heads)
      assert.deepEqual(await collect(store.scan('ns')), entries)
      assert.deepEqual(await collect(store.list('ns', { reverse: true })), heads.toReversed())
      const last = { reverse: true, after: heads[899]!.key }
      assert.deepEqual(await collect(store.scan('ns', last)), entries.slice(900).toReversed())
    },
  },
  {
    name: 'each untouched key of many is given exactly once, while others change',
    async run(store) {
      const keys = numbered(300)
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
      const seen: string[] = []
      for await (const { key } of store.scan('ns')) {
        seen.push(key)
        if (key === 'ns/b') break
      }
      assert.deepEqual(seen, ['ns/a', 'ns/b'])
      assert.deepEqual(await keysIn(store, 'ns'), ladder)
    },
  },
  {
    name: 'steps asked for at once give each key exactly once, in order, and then the end',
    async run(store) {
      const keys = numbered(100)
      await putText(store, ...keys)
      for (const heads of waysToRead(store)) {
        const items = heads[Symbol.asyncIterator]()
        const steps = Array.from({ length: keys.length + 5 }, () => items.next())
        const given = (await Promise.all(steps)).map(({ done, value }) => (done ? null : value.key))
        assert.deepEqual(given, [...keys, ...Array.from({ length: 5 }, () => null)])
      }
    },
  },
  {
    name: 'an iterator that was returned is done, before its first step and after',
    async run(store) {
      await putText(store, ...ladder)
      const end = { done: true, value: undefined }
      for (const stepsBefore of [0, 1])
        for (const heads of waysToRead(store)) {
          const items = heads[Symbol.asyncIterator]()
          if (stepsBefore > 0) assert.equal((await items.next()).value.key, 'ns/a')
          await items.return?.()
          assert.deepEqual(await items.next(), end)
          assert.deepEqual(await items.next(), end)
        }
    },
  },
  {
    name: 'a list or scan may be iterated twice, each time from the start and as things then are',
    async run(store) {
      for (const [index, heads] of waysToRead(store).entries()) {
        const before = index === 0 ? [] : ['ns/0']
        assert.deepEqual(await keysOf(heads), before)
        await putText(store, `ns/${index}`)
        assert.deepEqual(await keysOf(heads), [...before, `ns/${index}`])
      }
    },
  },
]
