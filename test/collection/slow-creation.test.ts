import assert from 'node:assert/strict'
import { onTestFinished, test, vi } from 'vitest'
import { limited, openStore, StoreError, type Write } from '../../src/store/index.ts'
import { altered } from '../store/altered.ts'
import { assertExact, noteOf, notesOn } from './notes.ts'

const isNote = ({ key }: Write): boolean => key.startsWith('notes/doc/')

/** A store with one write a commit, the first of which takes longer than a repair waits; and what is committed. */
async function slowAtFirst(before: (writes: readonly Write[], nth: number) => Promise<void>) {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
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

test('the marks of a creation that takes long are put again before its document', async () => {
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
  assert.ok(noted.lastIndexOf('notes/status/open/a') < noted.indexOf('notes/doc/a'))
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
