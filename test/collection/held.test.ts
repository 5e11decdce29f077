import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { describe, test } from 'vitest'
import { counted, limited, openStore, remove, type Store } from '../../src/store/index.ts'
import { atEveryCrash } from '../models/crashes.ts'
import { onEveryStore } from '../models/stores.ts'
import { assertExact, assertNoneMissing, noteOf, notesOn } from './notes.ts'

onEveryStore('what is held', { check: assertExact }, (ground) => {
  test('an id that is taken is not added again, and leaves nothing behind', async () => {
    const notes = notesOn(ground.store)
    const held = await notes.add('a', noteOf('first', { owner: 'ann' }))
    assert.equal(held?.value.title, 'first')
    assert.equal(await notes.add('a', noteOf('second', { status: 'done' })), null)
    assert.equal((await notes.get('a'))?.value.title, 'first')
  })

  test('many are added at once; those that are taken are told', async () => {
    const notes = notesOn(ground.store)
    await notes.add('b', noteOf('there'))
    const added = await notes.addAll(
      [
        ['a', noteOf('a')],
        ['b', noteOf('b')],
        ['c', noteOf('c', { owner: 'cat' })],
      ],
      isDeepStrictEqual,
    )
    assert.deepEqual(added, [true, false, true])
    assert.equal((await notes.get('b'))?.value.title, 'there')
  })

  test('a change by what is held is made; one by what is out of date is made from what is there', async () => {
    const notes = notesOn(ground.store)
    const first = await notes.add('a', noteOf('0'))
    assert.ok(first)
    const plusOne = (note: { title: string }) => ({
      ...noteOf(String(Number(note.title) + 1)),
      status: `s${note.title}`,
    })
    const { held: second } = await notes.changeHeld(first, plusOne)
    assert.equal(second?.value.title, '1')
    const { before, after } = await notes.changeHeld(first, plusOne)
    assert.deepEqual([before?.title, after?.title], ['1', '2'])
    assert.ok(second)
    await Promise.all([1, 2, 3].map(() => notes.changeHeld(second, plusOne)))
    assert.equal((await notes.get('a'))?.value.title, '5')
  })

  test('a document that is gone meanwhile is told, and does not come back', async () => {
    const notes = notesOn(ground.store)
    const held = await notes.add('a', noteOf('x'))
    await notes.delete('a')
    assert.ok(held)
    const outcome = await notes.changeHeld(held, (note) => ({ ...note, title: 'y' }))
    assert.deepEqual([outcome.before, outcome.after], [null, null])
    assert.equal(await notes.get('a'), null)
  })

  test('a repair in steps comes round, mends what is missing and sweeps what is due', async () => {
    const notes = notesOn(ground.store)
    const made = Array.from({ length: 7 }, (_, at) => [`n${at}`, noteOf('x')] as const)
    await notes.addAll(made, isDeepStrictEqual)
    for await (const head of ground.store.list('notes/status'))
      await ground.store.commit([remove(head)])
    let place: Parameters<typeof notes.repairStep>[0]['place'] = null
    let missing = 0
    for (let step = 0; step === 0 || place !== null; step++) {
      assert.ok(step < 20, 'it does not come round')
      const report = await notes.repairStep({ place, limit: 3, isDue: () => true })
      missing += report.missing
      place = report.next
    }
    assert.equal(missing, 7)
  })
})

describe('what a change by what is held costs', () => {
  test('on a store without transactions: one commit for each key, and no look', async () => {
    const store = counted(limited(await openStore('memory:'), 1))
    const notes = notesOn(store)
    const held = await notes.add('a', noteOf('x', { owner: 'ann' }))
    assert.deepEqual([store.counts.get, store.counts.commit], [0, 3])
    store.reset()
    assert.ok(held)
    await notes.changeHeld(held, (note) => ({ ...note, status: 'done' }))
    assert.deepEqual([store.counts.get, store.counts.commit], [0, 3])
  })

  test('on a store with transactions: one commit', async () => {
    const store = counted(await openStore('memory:'))
    const notes = notesOn(store)
    const held = await notes.add('a', noteOf('x', { owner: 'ann' }))
    assert.ok(held)
    await notes.changeHeld(held, (note) => ({ ...note, status: 'done' }))
    assert.deepEqual([store.counts.get, store.counts.commit], [0, 2])
  })
})

describe('a crash at any write of a change by what is held', () => {
  const operations: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
    add: (store) => notesOn(store).add('b', noteOf('new', { owner: 'bob' })),
    changeHeld: async (store) => {
      const notes = notesOn(store)
      const held = await notes.hold('a')
      if (held) await notes.changeHeld(held, (note) => ({ ...note, status: 'done', owner: 'bob' }))
    },
  }
  for (const [name, operate] of Object.entries(operations))
    test(`${name}: leaves at most a mark too many, and repair brings the exact truth`, async () => {
      await atEveryCrash({
        prepare: async () => {
          const store = limited(await openStore('memory:'), 1)
          await notesOn(store).add('a', noteOf('a', { owner: 'ann' }))
          return store
        },
        operate,
        check: async (store) => {
          await assertNoneMissing(store)
          await notesOn(store).repair({ graceMs: 0 })
          await assertExact(store)
        },
      })
    })
})
