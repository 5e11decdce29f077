import assert from 'node:assert/strict'
import { test } from 'vitest'
import { Collection, CorruptDocumentError, type DocumentEvent } from '../../src/collection/index.ts'
import { create, flaky, openStore, StoreError } from '../../src/store/index.ts'
import { onEveryStore } from '../models/stores.ts'
import { assertExact, byLabel, noteOf, notesOn } from './notes.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

onEveryStore('a collection', { check: assertExact }, (ground) => {
  test('a document is created once, read, changed and deleted', async () => {
    const notes = notesOn(ground.store)
    assert.equal(await notes.get('a'), null)
    assert.equal(await notes.create('a', noteOf('one', { labels: ['x', 'y'] })), true)
    assert.equal(await notes.create('a', noteOf('two', { labels: ['z'] })), false)
    assert.equal((await notes.get('a'))?.value.title, 'one')
    const changed = await notes.change('a', (note) => ({
      ...note,
      status: 'done',
      labels: ['y', 'z'],
    }))
    assert.deepEqual(changed?.before.labels, ['x', 'y'])
    assert.deepEqual(changed?.after.labels, ['y', 'z'])
    await assertExact(ground.store)
    assert.equal((await notes.delete('a'))?.status, 'done')
    assert.equal(await notes.delete('a'), null)
    assert.equal(await notes.change('a', (note) => note), null)
  })

  test('a change that gives back what it got writes nothing', async () => {
    const notes = notesOn(ground.store)
    await notes.create('a', noteOf('one'))
    const before = await notes.get('a')
    const outcome = await notes.change('a', (note) => note)
    assert.equal(outcome?.before, outcome?.after)
    assert.equal((await notes.get('a'))?.revision, before?.revision)
  })

  test('a change that refuses changes nothing', async () => {
    const notes = notesOn(ground.store)
    await notes.create('a', noteOf('one', { labels: ['x'] }))
    const refuse = () => {
      throw new RangeError('no')
    }
    await assert.rejects(notes.change('a', refuse), RangeError)
    await assert.rejects(notes.delete('a', refuse), RangeError)
    assert.equal((await notes.get('a'))?.value.title, 'one')
  })

  test('small values follow the document', async () => {
    const notes = notesOn(ground.store)
    await notes.create('a', noteOf('one', { owner: 'ann' }))
    await notes.change('a', (note) => ({ ...note, owner: 'bob' }))
    assert.equal(await ground.store.get('notes/owner/ann'), null)
    await notes.change('a', (note) => ({ ...note, owner: null }))
  })

  test('writers of one process and of several never lose a change', async () => {
    const stores = [ground.store, await ground.open(), await ground.open()]
    const [first] = stores.map(notesOn)
    await first?.create('a', noteOf('0'))
    const plusOne = (at: number) => async () => {
      const notes = notesOn(stores[at % stores.length] as (typeof stores)[0])
      await notes.change('a', (note) => ({
        ...note,
        title: String(Number(note.title) + 1),
        status: `s${Number(note.title) % 3}`,
        labels: [`l${Number(note.title) % 2}`],
      }))
    }
    await Promise.all(Array.from({ length: 12 }, (_, at) => plusOne(at)()))
    assert.equal((await first?.get('a'))?.value.title, '12')
  })

  test('many at once share a label', async () => {
    const notes = notesOn(ground.store)
    const ids = Array.from({ length: 40 }, (_, at) => `${at % 10}-${at}`)
    await Promise.all(ids.map((id) => notes.create(id, noteOf(id, { labels: ['shared'] }))))
    assert.deepEqual([...(await byLabel.members(ground.store, 'shared'))].sort(), ids.sort())
    await Promise.all(ids.slice(5).map((id) => notes.delete(id)))
    assert.equal((await byLabel.members(ground.store, 'shared')).size, 5)
  })

  test('ids resolve by their beginning, as in git', async () => {
    const notes = notesOn(ground.store)
    for (const id of ['ab12', 'ab13', 'b1', 'ab']) await notes.create(id, noteOf(id))
    assert.deepEqual(await notes.resolve('b'), { count: 1, ids: ['b1'] })
    assert.deepEqual(await notes.resolve('ab'), { count: 3, ids: ['ab', 'ab12', 'ab13'] })
    assert.deepEqual(await notes.resolve('ab', 2), { count: 1, ids: ['ab'] })
    assert.deepEqual(await notes.resolve('c'), { count: 0, ids: [] })
  })

  test('a watch tells which documents may have changed', async () => {
    const notes = notesOn(ground.store)
    await notes.create('b', noteOf('before'))
    const end = new AbortController()
    const events: DocumentEvent[] = []
    for await (const event of notes.watch(end.signal)) {
      events.push(event)
      if (event.type === 'document') end.abort()
      else await notes.create('a', noteOf('one', { labels: ['x'] }))
    }
    assert.deepEqual(events, [{ type: 'resync' }, { type: 'document', id: 'a' }])
  })
})

test('a corrupt document is told of, passed over in lists, and deletable only on purpose', async () => {
  await using store = await openStore('memory:')
  const told: string[] = []
  const notes = notesOn(store)
  const listening = new Collection(store, notes.definition, {
    onCorrupt: ({ id }) => told.push(id),
  })
  await notes.create('good', noteOf('one', { labels: ['x'] }))
  await store.commit([
    create('notes/doc/bad', bytes('{"title":')),
    create('notes/status/open/bad', bytes('')),
  ])
  const ids: string[] = []
  for await (const { id } of listening.scan()) ids.push(id)
  assert.deepEqual(ids, ['good'])
  assert.equal((await listening.getAll(['bad', 'good', 'none'])).length, 1)
  assert.deepEqual(told, ['bad', 'bad'])
  assert.deepEqual((await notes.resolve('bad')).ids, ['bad'])
  for (const call of [
    () => notes.get('bad'),
    () => notes.delete('bad'),
    () => notes.change('bad', (note) => note),
  ])
    await assert.rejects(
      call,
      (error) => error instanceof CorruptDocumentError && /bad/.test(error.message),
    )
  assert.equal(await notes.create('bad', noteOf('new')), false)
  // Nobody knows what a corrupt document implies: repair leaves what is said of it.
  assert.deepEqual((await notes.repair()).corrupt, ['bad'])
  assert.ok(await store.get('notes/status/open/bad'))
  assert.equal(await notes.discard('bad'), true)
  assert.equal(await store.get('notes/status/open/bad'), null)
  await assertExact(store)
})

test('who loses every time is told how often', async () => {
  await using store = await openStore('memory:')
  const notes = notesOn(store)
  await notes.create('a', noteOf('one'))
  const rival = notesOn(store)
  const commit = store.commit.bind(store)
  let isRival = false
  store.commit = async (writes) => {
    if (!isRival) {
      isRival = true
      await rival.change('a', (note) => ({ ...note, title: `${note.title}!` }))
      isRival = false
    }
    return commit(writes)
  }
  await assert.rejects(
    notes.change('a', (note) => ({ ...note, status: 'mine' })),
    (error) => error instanceof StoreError && /64 times in a row/.test(error.message),
  )
})

test('keys that no document of ours has are passed over', async () => {
  await using store = await openStore('memory:')
  const notes = notesOn(store)
  await notes.create('a', noteOf('one', { labels: ['x'] }))
  for (const key of ['notes/doc/100%', 'notes/doc/b/c', 'note_labels/100%'])
    await store.commit([create(key, bytes('foreign'))])
  await store.commit([create('note_labels/y', bytes(`${'牛'.repeat(190)}\n//\n%`))])
  const ids: string[] = []
  for await (const { id } of notes.scan()) ids.push(id)
  assert.deepEqual(ids, ['a'])
  assert.deepEqual(await byLabel.sizes(store), new Map([['x', 1]]))
  assert.deepEqual((await notes.repair()).corrupt, [])
  assert.equal(await store.get('note_labels/y'), null)
})

test('a mark that passed to another document meanwhile is not taken back by a repair', async () => {
  await using store = await openStore('memory:')
  const notes = notesOn(store)
  await notes.create('a', noteOf('one', { owner: 'ann' }))
  await notes.create('b', noteOf('two'))
  const scan = store.scan.bind(store)
  store.scan = (prefix, options) =>
    (async function* () {
      yield* scan(prefix, options)
      if (prefix !== 'notes/doc') return
      store.scan = scan
      await notes.change('a', (note) => ({ ...note, owner: null }))
      await notes.change('b', (note) => ({ ...note, owner: 'ann' }))
    })()
  await notes.repair()
  await assertExact(store)
})

test('a creation whose answer was lost, and that somebody changed since, is not called taken', async () => {
  await using store = await openStore('memory:')
  const lossy = flaky(store, { failAfter: 1 })
  const get = lossy.get.bind(lossy)
  let isChanged = false
  lossy.get = async (key) => {
    const entry = await get(key)
    if (!entry || isChanged) return entry
    isChanged = true
    await notesOn(store).change('a', (note) => ({ ...note, title: 'changed' }))
    return get(key)
  }
  await assert.rejects(
    notesOn(lossy).create('a', noteOf('one')),
    (error) => error instanceof StoreError && error.code === 'unknown_outcome',
  )
})

test('a document that is kept as it was decoded is never one of another state', async () => {
  await using store = await openStore('memory:')
  await using other = await openStore('memory:')
  let decodings = 0
  const codec = {
    encode: (text: string) => bytes(text),
    decode: (value: Uint8Array) => {
      decodings++
      return new TextDecoder().decode(value)
    },
  }
  const definition = { noun: 'text', prefix: 'c/texts', codec, indexes: [], recentMax: 2 }
  const [texts, writer] = [new Collection(store, definition), new Collection(store, definition)]
  for (const id of ['a', 'b', 'c']) await writer.create(id, id)
  const read = async (id: string) => (await texts.get(id))?.value
  decodings = 0
  assert.deepEqual([await read('a'), await read('a'), decodings], ['a', 'a', 1])
  await writer.change('a', () => 'changed')
  assert.equal(await read('a'), 'changed')
  // A, B, A: the same bytes again are another state.
  await writer.change('a', () => 'a')
  assert.equal(await read('a'), 'a')
  await writer.delete('a')
  assert.equal(await texts.get('a'), null)
  decodings = 0
  for (const id of ['b', 'c', 'b', 'c']) assert.equal(await read(id), id)
  assert.equal(decodings, 2)
  assert.equal(await new Collection(other, definition).get('b'), null)
})
