import assert from 'node:assert/strict'
import { onTestFinished, test, vi } from 'vitest'
import {
  create,
  limited,
  openStore,
  StoreError,
  update,
  type Write,
} from '../../src/store/index.ts'
import { altered } from '../store/altered.ts'
import { assertExact, noteOf, notesOn } from './notes.ts'

const isNote = ({ key }: Write): boolean => key.startsWith('notes/doc/')

/** A store with one write a commit, the first of which takes longer than a repair waits; and what is committed. */
async function slowAtFirst(before: (writes: readonly Write[], nth: number) => Promise<void>) {
  vi.useFakeTimers({ toFake: ['performance'] })
  // Pauses after a lost race, which grow with that time, are as short as can be.
  const chance = vi.spyOn(Math, 'random').mockReturnValue(0)
  onTestFinished(() => {
    vi.useRealTimers()
    chance.mockRestore()
  })
  const inner = limited(await openStore('memory:'), 1)
  let nth = 0
  const store = altered(inner, {
    async commit(writes) {
      if (++nth === 1) vi.advanceTimersByTime(11_000)
      await before(writes, nth)
      return inner.commit(writes)
    },
  })
  return { inner, store }
}

test('the marks of a creation that takes long are put again before its document, and after it', async () => {
  let isSwept = false
  const { inner, store } = await slowAtFirst(async (_, nth) => {
    if (nth !== 2) return
    await notesOn(inner).repair({ graceMs: 0 })
    isSwept = true
  })
  const noted: string[] = []
  const told = altered(store, {
    commit(writes) {
      noted.push(...writes.map(({ key }) => key))
      return store.commit(writes)
    },
  })
  await notesOn(told).create('a', noteOf('a', { labels: [] }))
  assert.ok(isSwept)
  assert.equal(noted.filter((key) => key === 'notes/doc/a').length, 1)
  const swap = noted.indexOf('notes/doc/a')
  const before = noted.slice(0, swap).filter((key) => key === 'notes/status/open/a')
  assert.equal(before.length, 2)
  assert.ok(noted.indexOf('notes/status/open/a', swap) > swap)
  await assertExact(inner)
})

test('a mark that is put again while a repair waits stays, for its document is still to come', async () => {
  const inner = limited(await openStore('memory:'), 1)
  const key = 'notes/status/open/a'
  await inner.commit([create(key, new Uint8Array())])
  let isPutAgain = false
  const store = altered(inner, {
    async get(asked) {
      const entry = await inner.get(asked)
      if (asked === key && entry && !isPutAgain) {
        isPutAgain = true
        assert.ok((await inner.commit([update(entry, entry.value)])).ok)
      }
      return entry
    },
  })
  assert.equal((await notesOn(store).repair({ graceMs: 0 })).stale, 0)
  assert.ok(isPutAgain && (await inner.get(key)))
  assert.equal((await notesOn(store).repair({ graceMs: 0 })).stale, 1)
  assert.equal(await inner.get(key), null)
})

test('an id in a list is there after a creation that takes long, though it was swept after it was put again', async () => {
  let isSwept = false
  const { inner, store } = await slowAtFirst(async (writes) => {
    if (!writes.some(isNote) || isSwept) return
    // Who has seen the id in the list since it was first put there can't tell that it was put again.
    await notesOn(inner).repair({ graceMs: 0 })
    isSwept = true
  })
  await notesOn(store).create('a', noteOf('a', { labels: ['red'] }))
  assert.ok(isSwept)
  await assertExact(inner)
})

test('a creation that fails while its marks are put again has not happened', async () => {
  const { inner, store } = await slowAtFirst(async (_, nth) => {
    if (nth >= 3) throw new StoreError('down', 'The store is away.', 'Try again.')
  })
  const note = noteOf('a', { owner: 'ann' })
  await assert.rejects(notesOn(store).create('a', note), { code: 'unavailable' })
  assert.equal(await inner.get('notes/doc/a'), null)
})

test('on a store that is always slow a creation ends all the same', async () => {
  const { inner, store } = await slowAtFirst(async (writes) => {
    if (!writes.some(isNote)) vi.advanceTimersByTime(6_000)
  })
  await notesOn(store).create('a', noteOf('a', { owner: 'ann' }))
  await assertExact(inner)
})
