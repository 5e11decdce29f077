import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { create } from '../store.ts'
import { assertFails, bytes, type Case, keysOf, putText, text } from './case.ts'

export const lifecycleCases: readonly Case[] = [
  {
    name: 'disposing twice is fine, also at once',
    async run(_store, ground) {
      const store = await ground.open()
      await Promise.all([store[Symbol.asyncDispose](), store[Symbol.asyncDispose]()])
      await store[Symbol.asyncDispose]()
    },
  },
  {
    name: 'every call after disposal fails as closed',
    async run(_store, ground) {
      const store = await ground.open()
      await store[Symbol.asyncDispose]()
      const closed = (call: () => Promise<unknown>) => assertFails(call, 'closed')
      await closed(() => store.get('ns/a'))
      await closed(() => keysOf(store.list('ns')))
      await closed(() => keysOf(store.scan('ns')))
      await closed(() => store.commit([create('ns/a', bytes('1'))]))
      await closed(() => store.commit([]))
      await closed(() => store.watch('ns')[Symbol.asyncIterator]().next())
      await closed(() => store.now())
    },
  },
  {
    name: 'an iteration that meets the disposal fails as closed',
    async run(_store, ground) {
      const store = await ground.open()
      await putText(store, 'ns/a', 'ns/b', 'ns/c')
      const items = store.list('ns')[Symbol.asyncIterator]()
      await items.next()
      await store[Symbol.asyncDispose]()
      await assertFails(() => items.next(), 'closed')
    },
  },
  {
    name: 'commits in flight at the disposal finish, and are there',
    async run(store, ground) {
      const other = await ground.open()
      const commits = ['ns/a', 'ns/b'].map((key) => other.commit([create(key, bytes(key))]))
      await other[Symbol.asyncDispose]()
      for (const result of await Promise.all(commits)) assert.equal(result.ok, true)
      assert.equal(text(await store.get('ns/b')), 'ns/b')
    },
  },
  {
    name: 'what was written is there for who opens later',
    async run(store, ground) {
      await putText(store, 'ns/a')
      await store[Symbol.asyncDispose]()
      await using later = await ground.open()
      assert.equal(text(await later.get('ns/a')), 'ns/a')
    },
  },
  {
    name: 'now() is a time of today, and moves forward',
    async run(store) {
      const first = await store.now()
      assert.ok(Math.abs(first - Date.now()) < 24 * 3_600_000, `now() said ${first}`)
      await sleep(30)
      const second = await store.now()
      assert.ok(second > first, `${second} after ${first}`)
    },
  },
]
