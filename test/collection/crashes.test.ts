import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { create, type Entry, limited, openStore, type Store } from '../../src/store/index.ts'
import { atEveryCrash } from '../models/crashes.ts'
import { assertExact, assertNoneMissing, byLabel, noteOf, notesOn } from './notes.ts'

const labels = ['x', 'y']
const full = Array.from({ length: 500 }, (_, at) => at.toString(16).padStart(3, '0'))

async function prepared(ids: readonly string[]): Promise<Store> {
  const store = limited(await openStore('memory:'), 1)
  const notes = notesOn(store)
  for (const id of ids) await notes.create(id, noteOf(id, { labels, owner: `owner-${id}` }))
  return store
}

async function entriesOf(store: Store): Promise<Entry[]> {
  const entries: Entry[] = []
  for await (const entry of store.scan('')) entries.push(entry)
  return entries
}

/** As the store was that these are from, which took longer to make. */
async function filledWith(entries: readonly Entry[]): Promise<Store> {
  const store = await openStore('memory:')
  for (let at = 0; at < entries.length; at += 500)
    await store.commit(entries.slice(at, at + 500).map(({ key, value }) => create(key, value)))
  return limited(store, 1)
}

const operations: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  create: (store) =>
    notesOn(store).create('new', noteOf('new', { labels: ['x', 'z'], owner: 'ann' })),
  change: (store) =>
    notesOn(store).change('a', (note) => ({
      ...note,
      status: 'done',
      labels: ['y', 'z'],
      owner: 'bob',
    })),
  delete: (store) => notesOn(store).delete('a'),
  discard: (store) => notesOn(store).discard('a'),
}

describe('a crash at any write of an operation, on a store without transactions', () => {
  for (const [name, operate] of Object.entries(operations))
    test(`${name}: leaves at most a mark too many, and repair brings the exact truth`, async () => {
      const commits = await atEveryCrash({
        prepare: () => prepared(['a', 'b']),
        operate,
        check: async (store) => {
          await assertNoneMissing(store)
          await notesOn(store).repair({ graceMs: 0 })
          await assertExact(store)
        },
      })
      assert.ok(commits > 2, `only ${commits} commits`)
    })

  test('the split of a full list', async () => {
    const entries = await entriesOf(await prepared(full))
    const commits = await atEveryCrash({
      prepare: () => filledWith(entries),
      operate: (store) => notesOn(store).create('fff', noteOf('one more', { labels: ['x'] })),
      check: async (store, isAcknowledged) => {
        await assertNoneMissing(store)
        const members = await byLabel.members(store, 'x')
        assert.ok(full.every((id) => members.has(id)))
        if (isAcknowledged) assert.ok(members.has('fff'))
        await notesOn(store).repair({ graceMs: 0 })
        await assertExact(store)
      },
    })
    assert.ok(commits >= 4, `only ${commits} commits`)
  })

  test('repair itself', async () => {
    await atEveryCrash({
      prepare: async () => {
        const store = await prepared(['a', 'b'])
        for (const key of ['notes/status/open/a', 'note_labels/x']) {
          const entry = await store.get(key)
          if (entry) await store.commit([{ type: 'remove', ...entry }])
        }
        await store.commit([
          { type: 'create', key: 'notes/status/done/a', value: new Uint8Array() },
        ])
        return store
      },
      operate: (store) => notesOn(store).repair({ graceMs: 0 }),
      check: async (store) => {
        await notesOn(store).repair({ graceMs: 0 })
        await assertExact(store)
      },
    })
  })
})
