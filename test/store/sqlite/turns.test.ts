import assert from 'node:assert/strict'
import * as fs from 'node:fs/promises'
import { test } from 'vitest'
import { removalRevisionsKept } from '../../../src/store/drivers/sqlite/applier.ts'
import { loadEngine } from '../../../src/store/drivers/sqlite/engine.ts'
import {
  type CommitResult,
  create,
  openStore,
  remove,
  type Store,
} from '../../../src/store/index.ts'
import { temporaryFolder } from '../ground.ts'

const one = new Uint8Array([1])

/** How many transactions a write-ahead log holds: the frames that end one say how large the file then is. */
async function transactionsIn(walPath: string): Promise<number> {
  const log = await fs.readFile(walPath)
  const [headerBytes, frameHeaderBytes] = [32, 24]
  const frameBytes = frameHeaderBytes + log.readUInt32BE(8)
  let count = 0
  for (let at = headerBytes; at + frameBytes <= log.length; at += frameBytes)
    if (log.readUInt32BE(at + 4) !== 0) count++
  return count
}

test('the commits of one turn share one transaction, and with it one sync', async () => {
  await using folder = await temporaryFolder()
  const path = folder.path('store.db')
  await using store = await openStore(`sqlite:${path}`)
  const before = await transactionsIn(`${path}-wal`).catch(() => 0)
  const commits = Array.from({ length: 200 }, (_, id) => store.commit([create(`ns/${id}`, one)]))
  await Promise.all(commits)
  assert.equal((await transactionsIn(`${path}-wal`)) - before, 1)
  await store.commit([create('ns/alone', one)])
  assert.equal((await transactionsIn(`${path}-wal`)) - before, 2)
})

test('a queue longer than one transaction may be goes through in several', async () => {
  await using folder = await temporaryFolder()
  await using store = await openStore(`sqlite:${folder.path('store.db')}`)
  const value = new Uint8Array(900_000)
  const commits = Array.from({ length: 20 }, (_, id) => store.commit([create(`ns/${id}`, value)]))
  for (const { ok } of await Promise.all(commits)) assert.equal(ok, true)
  let count = 0
  for await (const entry of store.scan('ns')) count += entry.value.byteLength
  assert.equal(count, 20 * value.byteLength)
})

test('a commit that fails at its last write leaves nothing behind, and costs the others of its turn nothing', async () => {
  await using folder = await temporaryFolder()
  await using store = await openStore(`sqlite:${folder.path('store.db')}`)
  const [taken] = await revisionsOf(store.commit([create('ns/taken', one)]))
  // More than once: the turns after the first look at what is there before they write.
  for (const round of ['a', 'b']) {
    const results = await Promise.all([
      store.commit([create(`ns/${round}-before`, one), create(`ns/${round}-with`, one)]),
      store.commit([create(`ns/${round}-half`, one), create('ns/taken', one)]),
      store.commit([create('ns/taken', one), create(`ns/${round}-unwritten`, one)]),
      store.commit([
        create(`ns/${round}-other-half`, one),
        remove({ key: 'ns/taken', revision: `0${taken}` }),
      ]),
      store.commit([create(`ns/${round}-after`, one)]),
    ])
    assert.deepEqual(
      results.map(({ ok }) => ok),
      [true, false, false, false, true],
    )
    const revisions = results.flatMap((result) => (result.ok ? result.revisions : []))
    const keys = ['before', 'with', 'after'].map((name) => `ns/${round}-${name}`)
    for (const [at, key] of keys.entries())
      assert.equal((await store.get(key))?.revision, revisions[at])
    for (const name of ['half', 'unwritten', 'other-half'])
      assert.equal(await store.get(`ns/${round}-${name}`), null)
  }
  assert.equal((await store.get('ns/taken'))?.revision, taken)
})

async function revisionsOf(commit: Promise<CommitResult>): Promise<readonly (string | null)[]> {
  const result = await commit
  assert.ok(result.ok)
  return result.revisions
}

async function createAndRemove(store: Store, count: number, name = ''): Promise<void> {
  const keys = Array.from({ length: count }, (_, id) => `ns/${name}${id}`)
  const revisions = await revisionsOf(store.commit(keys.map((key) => create(key, one))))
  const heads = keys.map((key, index) => ({ key, revision: revisions[index]! }))
  assert.equal((await store.commit(heads.map(remove))).ok, true)
}

test('the log of removals is trimmed, and revisions still never repeat', async () => {
  await using folder = await temporaryFolder()
  const path = folder.path('store.db')
  await using store = await openStore(`sqlite:${path}`)
  for (let round = 0; round < 15; round++) await createAndRemove(store, 1000)
  const database = loadEngine().open(path, { readOnly: true })
  const row = database.prepare('SELECT count(*) AS count, max(revision) AS last FROM removal').get()
  database.close()
  assert.ok(
    (row?.['count'] as number) <= removalRevisionsKept,
    `${row?.['count']} removals are kept`,
  )
  const [revision] = await revisionsOf(store.commit([create('ns/0', one)]))
  assert.ok(Number(revision) > (row?.['last'] as number))
})

test('a watch of another opener that fell behind the trimmed log is told resync', async () => {
  await using folder = await temporaryFolder()
  const url = `sqlite:${folder.path('store.db')}`
  await using watching = await openStore(url)
  await using writing = await openStore(url)
  const events = watching.watch('ns')[Symbol.asyncIterator]()
  assert.deepEqual((await events.next()).value, { type: 'resync' })
  // Two to a transaction: whenever the watch looks, what it sees is more than it would tell one by one.
  await Promise.all([...'abcdef'].map((name) => createAndRemove(writing, 1000, name)))
  assert.deepEqual((await events.next()).value, { type: 'resync' })
  await writing.commit([create('ns/after', one)])
  // Some of the last round may be told before it; a second resync covers it if it is there by then.
  for (;;) {
    const { value } = await events.next()
    if (value.type === 'key' ? value.key === 'ns/after' : await watching.get('ns/after')) return
  }
})
