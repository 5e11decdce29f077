import assert from 'node:assert/strict'
import { test } from 'vitest'
import { create, remove, type Store } from '../../src/store/index.ts'
import { onEveryStore } from '../models/stores.ts'
import { assertExact, noteOf, notesOn } from './notes.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

async function take(store: Store, key: string): Promise<void> {
  const entry = await store.get(key)
  assert.ok(entry, key)
  await store.commit([remove(entry)])
}

/** Two marks too few and three too many. */
async function disturb(store: Store): Promise<void> {
  const notes = notesOn(store)
  for (const id of ['a', 'b', 'c'])
    await notes.create(id, noteOf(id, { labels: ['x'], owner: `owner-${id}` }))
  await take(store, 'notes/status/open/a')
  await take(store, 'notes/owner/owner-b')
  await store.commit([create('notes/status/done/c', bytes(''))])
  await store.commit([create('notes/status/open/nobody', bytes(''))])
  await store.commit([create('note_labels/y', bytes('c'))])
}

onEveryStore('repair', { check: assertExact }, (ground) => {
  test('counts in a dry run and changes nothing; then mends all; then finds nothing', async () => {
    await disturb(ground.store)
    const notes = notesOn(ground.store)
    const expected = { documents: 3, corrupt: [], missing: 2, stale: 3, merged: 0 }
    assert.deepEqual(await notes.repair({ dryRun: true }), expected)
    assert.deepEqual(await notes.repair({ dryRun: true }), expected)
    assert.deepEqual(await notes.repair({ graceMs: 0 }), expected)
    await assertExact(ground.store)
    assert.deepEqual(await notes.repair(), { ...expected, missing: 0, stale: 0 })
  })

  test('others go on writing meanwhile', async () => {
    await disturb(ground.store)
    const other = notesOn(await ground.open())
    const write = async () => {
      for (let round = 0; round < 6; round++) {
        await other.create(`new-${round}`, noteOf('new', { labels: ['x', 'y'] }))
        await other.change('a', (note) => ({
          ...note,
          status: `s${round}`,
          labels: round % 2 ? ['x'] : ['z'],
        }))
        await other.delete(`new-${round - 2}`)
      }
    }
    await Promise.all([write(), notesOn(ground.store).repair({ graceMs: 1_000 })])
    // What was wrong is mended, and what was right meanwhile stayed so.
    await assertExact(ground.store)
  })
})
