import assert from 'node:assert/strict'
import { create, remove, update } from '../store.ts'
import {
  assertConflict,
  assertFails,
  bytes,
  type Case,
  keysOf,
  put,
  putText,
  text,
} from './case.ts'

const creations = (count: number) =>
  Array.from({ length: count }, (_, index) => create(`ns/new/${index}`, bytes('new')))

export const atomicityCases: readonly Case[] = [
  {
    name: 'a commit of nothing succeeds',
    async run(store) {
      assert.deepEqual(await store.commit([]), { ok: true, revisions: [] })
    },
  },
  {
    name: 'more writes than commitWritesMax are refused outright, and none is written',
    async run(store) {
      const writes = creations(store.limits.commitWritesMax + 1)
      await assertFails(() => store.commit(writes), 'unsupported', 'too_many_writes')
      assert.deepEqual(await keysOf(store.list('')), [])
    },
  },
  {
    name: 'exactly commitWritesMax writes go through together',
    async run(store) {
      const writes = creations(store.limits.commitWritesMax)
      const heads = await put(store, ...writes)
      assert.equal(new Set(heads.map(({ key }) => key)).size, writes.length)
      assert.equal((await keysOf(store.list('ns/new'))).length, writes.length)
    },
  },
  {
    name: 'one stale write and nothing of the commit is written; or, without transactions, refused',
    async run(store) {
      const [a, b] = await putText(store, 'ns/a', 'ns/b')
      await put(store, update(b!, bytes('newer')))
      const writes = [update(a!, bytes('2')), create('ns/c', bytes('3')), remove(b!)]
      if (store.limits.commitWritesMax > 1) await assertConflict(store.commit(writes))
      else await assertFails(() => store.commit(writes), 'unsupported', 'too_many_writes')
      assert.deepEqual(await store.get('ns/a').then(text), 'ns/a')
      assert.equal(text(await store.get('ns/b')), 'newer')
      assert.equal(await store.get('ns/c'), null)
    },
  },
  {
    name: 'creation, update and removal in one commit all happen; or, without transactions, none',
    async run(store) {
      const [a, b] = await putText(store, 'ns/a', 'ns/b')
      const writes = [update(a!, bytes('2')), remove(b!), create('ns/c', bytes('3'))]
      const isAtomic = store.limits.commitWritesMax > 1
      if (isAtomic) await put(store, ...writes)
      else await assertFails(() => store.commit(writes), 'unsupported', 'too_many_writes')
      const kept = isAtomic ? ['ns/a', 'ns/c'] : ['ns/a', 'ns/b']
      assert.deepEqual(await keysOf(store.list('ns')), kept)
    },
  },
  {
    name: 'a commit in two namespaces is all or nothing too, or refused outright',
    async run(store) {
      const writes = [create('ns/a', bytes('1')), create('os/a', bytes('2'))]
      const { commitWritesMax, commitSpan } = store.limits
      if (commitWritesMax > 1 && commitSpan === 'store') await put(store, ...writes)
      else await assertFails(() => store.commit(writes), 'unsupported', 'too_many_writes')
      const isThere = commitWritesMax > 1 && commitSpan === 'store'
      assert.deepEqual(await keysOf(store.list('')), isThere ? ['ns/a', 'os/a'] : [])
    },
  },
  {
    name: 'a conflict in one of many commits at once harms no other',
    async run(store) {
      await putText(store, 'ns/taken')
      const keys = ['ns/a', 'ns/b', 'ns/taken', 'ns/c', 'ns/d']
      const results = await Promise.all(keys.map((key) => store.commit([create(key, bytes('1'))])))
      assert.deepEqual(
        results.map(({ ok }) => ok),
        [true, true, false, true, true],
      )
    },
  },
  {
    name: 'a lost answer surfaces as unknown_outcome or is settled: no false conflict, no false success',
    async run(store, ground) {
      await using lossy = await ground.openLosingAnswer()
      const outcome = await lossy.commit([create('ns/a', bytes('1'))]).then(
        ({ ok }) => ok,
        (error: { code: string }) => error.code,
      )
      assert.ok(outcome === true || outcome === 'unknown_outcome', `it said ${outcome}`)
      assert.equal(text(await store.get('ns/a')), '1')
    },
  },
]
