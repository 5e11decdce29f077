import assert from 'node:assert/strict'
import { create, remove, update } from '../store.ts'
import {
  assertConflict,
  assertFails,
  bytes,
  type Case,
  keysIn,
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
      await put(store, ...writes)
      assert.deepEqual(await keysIn(store, 'ns/new'), writes.map(({ key }) => key).toSorted())
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
      assert.equal(text(await store.get('ns/a')), isAtomic ? '2' : 'ns/a')
    },
  },
  {
    name: 'revisions run parallel to the writes, null for a removal; or, without transactions, refused',
    async run(store) {
      const [b, d] = await putText(store, 'ns/b', 'ns/d')
      // In no order of keys, so that whoever sorts the writes has to sort the revisions back.
      const writes = [
        create('ns/e', bytes('new')),
        update(d!, bytes('2')),
        create('ns/a', bytes('new')),
        remove(b!),
        create('ns/c', bytes('new')),
      ]
      if (store.limits.commitWritesMax === 1)
        return assertFails(() => store.commit(writes), 'unsupported', 'too_many_writes')
      const result = await store.commit(writes)
      assert.ok(result.ok)
      const shown = await Promise.all(writes.map(({ key }) => store.get(key)))
      assert.deepEqual(
        result.revisions,
        shown.map((entry) => entry?.revision ?? null),
      )
      assert.equal(result.revisions[3], null)
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
      assert.deepEqual(await keysIn(store, 'ns'), keys.toSorted())
    },
  },
  {
    name: 'the array of writes may be emptied or filled anew as soon as commit has been called',
    async run(store) {
      const writes = [create('ns/a', bytes('1'))]
      const emptied = store.commit(writes)
      writes.length = 0
      writes.push(create('ns/b', bytes('2')))
      const filled = store.commit(writes)
      writes[0] = create('ns/c', bytes('3'))
      for (const result of [await emptied, await filled])
        assert.equal(result.ok && result.revisions.length, 1)
      assert.deepEqual(await keysIn(store, 'ns'), ['ns/a', 'ns/b'])
    },
  },
]
