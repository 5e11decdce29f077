import assert from 'node:assert/strict'
import { create, type Head, remove, update } from '../store.ts'
import { assertConflict, bytes, type Case, collect, put, putText, text } from './case.ts'

export const revisionCases: readonly Case[] = [
  {
    name: 'an absent key reads as null',
    async run(store) {
      assert.equal(await store.get('ns/absent'), null)
    },
  },
  {
    name: 'a key may also be the beginning of other keys',
    async run(store) {
      await put(store, create('ns/a/b', bytes('below')))
      await put(store, create('ns/a', bytes('above')))
      assert.equal(text(await store.get('ns/a')), 'above')
      assert.equal(text(await store.get('ns/a/b')), 'below')
    },
  },
  {
    name: 'creating twice conflicts, and the first value stays',
    async run(store) {
      await put(store, create('ns/a', bytes('1')))
      await assertConflict(store.commit([create('ns/a', bytes('2'))]))
      assert.equal(text(await store.get('ns/a')), '1')
    },
  },
  {
    name: 'an update from a stale revision conflicts',
    async run(store) {
      const [head] = await put(store, create('ns/a', bytes('1')))
      await put(store, update(head!, bytes('2')))
      await assertConflict(store.commit([update(head!, bytes('3'))]))
      assert.equal(text(await store.get('ns/a')), '2')
    },
  },
  {
    name: 'a removal from a stale revision conflicts',
    async run(store) {
      const [head] = await put(store, create('ns/a', bytes('1')))
      await put(store, update(head!, bytes('2')))
      await assertConflict(store.commit([remove(head!)]))
      assert.equal(text(await store.get('ns/a')), '2')
    },
  },
  {
    name: 'updating or removing after a removal conflicts',
    async run(store) {
      const [head] = await put(store, create('ns/a', bytes('1')))
      await put(store, remove(head!))
      assert.equal(await store.get('ns/a'), null)
      await assertConflict(store.commit([update(head!, bytes('2'))]))
      await assertConflict(store.commit([remove(head!)]))
      assert.equal(await store.get('ns/a'), null)
    },
  },
  {
    name: 'updating or removing what never was conflicts',
    async run(store) {
      const [head] = await put(store, create('ns/a', bytes('1')))
      const ghost = { key: 'ns/ghost', revision: head!.revision }
      await assertConflict(store.commit([update(ghost, bytes('2'))]))
      await assertConflict(store.commit([remove(ghost)]))
      assert.equal(await store.get('ns/ghost'), null)
    },
  },
  {
    name: 'a revision that no store has given conflicts, whether the key is there or not',
    async run(store) {
      await putText(store, 'ns/a')
      for (const key of ['ns/a', 'ns/ghost'])
        for (const revision of ['', '0', '-1', 'nonsense']) {
          await assertConflict(store.commit([update({ key, revision }, bytes('2'))]))
          await assertConflict(store.commit([remove({ key, revision })]))
        }
      assert.equal(text(await store.get('ns/a')), 'ns/a')
      assert.equal(await store.get('ns/ghost'), null)
    },
  },
  {
    name: 'the revision of a commit is the one that get, list and scan show',
    async run(store) {
      const [created] = await put(store, create('ns/a', bytes('1')))
      assert.deepEqual(await store.get('ns/a'), { ...created!, value: bytes('1') })
      const [updated] = await put(store, update(created!, bytes('2')))
      assert.deepEqual(await store.get('ns/a'), { ...updated!, value: bytes('2') })
      assert.deepEqual(await collect(store.list('ns')), [updated])
      assert.deepEqual(await collect(store.scan('ns')), [{ ...updated!, value: bytes('2') }])
    },
  },
  {
    name: 'a removal has no revision',
    async run(store) {
      const [head] = await put(store, create('ns/a', bytes('1')))
      assert.deepEqual(await store.commit([remove(head!)]), { ok: true, revisions: [null] })
    },
  },
  {
    name: 'a revision is never used again: not for A, B, A',
    async run(store) {
      const [first] = await put(store, create('ns/a', bytes('A')))
      const [second] = await put(store, update(first!, bytes('B')))
      const [third] = await put(store, update(second!, bytes('A')))
      assert.equal(new Set([first!.revision, second!.revision, third!.revision]).size, 3)
      await assertConflict(store.commit([update(first!, bytes('C'))]))
    },
  },
  {
    name: 'a revision is never used again: not for the same bytes over themselves',
    async run(store) {
      const [first] = await put(store, create('ns/a', bytes('A')))
      const [second] = await put(store, update(first!, bytes('A')))
      assert.notEqual(first!.revision, second!.revision)
      await assertConflict(store.commit([update(first!, bytes('C'))]))
    },
  },
  {
    name: 'a revision is never used again: not after removal and creation',
    async run(store) {
      const [first] = await put(store, create('ns/a', bytes('A')))
      await put(store, remove(first!))
      const [second] = await put(store, create('ns/a', bytes('A')))
      assert.notEqual(first!.revision, second!.revision)
      await assertConflict(store.commit([update(first!, bytes('C'))]))
      await assertConflict(store.commit([remove(first!)]))
      assert.equal(text(await store.get('ns/a')), 'A')
    },
  },
  {
    name: 'whether states still hold, where a store tells that at once, is what get would say',
    async run(store, ground) {
      if (!store.isStill) return
      await using other = await ground.open()
      const [a, b] = (await put(store, create('ns/a', bytes('1')), create('ns/b', bytes('1')))) as [
        Head,
        Head,
      ]
      for (const each of [store, other]) {
        assert.equal(each.isStill?.([]), true)
        assert.equal(each.isStill?.([a, b]), true)
      }
      const [newer] = (await put(other, update(a, bytes('2')))) as [Head]
      for (const each of [store, other]) {
        assert.equal(each.isStill?.([a]), false)
        assert.equal(each.isStill?.([b, a]), false)
        assert.equal(each.isStill?.([b, newer]), true)
      }
      await put(store, remove(b))
      const [again] = (await put(other, create('ns/b', bytes('1')))) as [Head]
      for (const each of [store, other]) {
        assert.equal(each.isStill?.([newer, b]), false)
        assert.equal(each.isStill?.([newer, again]), true)
      }
      await other[Symbol.asyncDispose]()
      assert.equal(other.isStill?.([newer]), false)
    },
  },
]
