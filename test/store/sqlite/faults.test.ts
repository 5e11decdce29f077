import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import * as fs from 'node:fs/promises'
import { dirname } from 'node:path'
import { test } from 'vitest'
import { loadEngine } from '../../../src/store/drivers/sqlite/engine.ts'
import { refuseNetworkFilesystem } from '../../../src/store/drivers/sqlite/network.ts'
import { create, openStore, type StoreError } from '../../../src/store/index.ts'
import { assertFails } from '../failures.ts'
import { temporaryFolder } from '../ground.ts'

const one = new Uint8Array([1])

/** What is in the folder of a file, with a hash of each, to show that nothing was touched. */
async function contents(path: string): Promise<Record<string, string>> {
  const folder = dirname(path)
  const entries = await fs.readdir(folder, { withFileTypes: true })
  const hash = async (name: string) =>
    createHash('sha256')
      .update(await fs.readFile(`${folder}/${name}`))
      .digest('hex')
  const files = entries.map(async (entry) => [
    entry.name,
    entry.isFile() ? await hash(entry.name) : 'no file',
  ])
  return Object.fromEntries(await Promise.all(files))
}

async function assertUntouched(path: string, call: () => Promise<unknown>): Promise<void> {
  const before = await contents(path)
  await call()
  assert.deepEqual(await contents(path), before)
}

async function storeWithOneEntry(path: string): Promise<void> {
  await using store = await openStore(`sqlite:${path}`)
  await store.commit([create('ns/a', one)])
}

/** Runs as someone to whom permissions mean something. */
async function asOrdinaryUser<T>(run: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return run()
  process.seteuid?.(65534)
  try {
    return await run()
  } finally {
    process.seteuid?.(0)
  }
}

test('a path with no store is refused with create: false, and nothing is made', async () => {
  await using folder = await temporaryFolder()
  const path = folder.path('deep/down/store.db')
  await assertFails(() => openStore(`sqlite:${path}`, { create: false }), 'missing_store')
  await assert.rejects(fs.stat(folder.path('deep')))
})

test('an empty file is no store yet: refused with create: false, else made into one', async () => {
  await using folder = await temporaryFolder()
  const path = folder.path('store.db')
  await fs.writeFile(path, '')
  await assertUntouched(path, () =>
    assertFails(() => openStore(`sqlite:${path}`, { create: false }), 'missing_store'),
  )
  await storeWithOneEntry(path)
  await using store = await openStore(`sqlite:${path}`, { create: false })
  assert.ok(await store.get('ns/a'))
})

test('a file that is no database is refused and left as it is', async () => {
  await using folder = await temporaryFolder()
  const path = folder.path('letter.txt')
  for (const text of ['x', 'Dear reader, '.repeat(1000)]) {
    await fs.writeFile(path, text)
    await assertUntouched(path, () =>
      assertFails(() => openStore(`sqlite:${path}`), 'foreign_file'),
    )
  }
})

test("another program's database is refused and left as it is", async () => {
  await using folder = await temporaryFolder()
  const path = folder.path('other.db')
  const database = loadEngine().open(path, { readOnly: false })
  database.exec('CREATE TABLE mine (a); INSERT INTO mine VALUES (1)')
  database.close()
  await assertUntouched(path, () => assertFails(() => openStore(`sqlite:${path}`), 'foreign_file'))
})

test('a folder, a pipe and a path through a file are refused', async () => {
  await using folder = await temporaryFolder()
  await fs.mkdir(folder.path('folder'))
  execFileSync('mkfifo', [folder.path('pipe')])
  await fs.writeFile(folder.path('file'), 'text')
  for (const name of ['folder', 'pipe', 'file/store.db'])
    await assertUntouched(folder.path('file'), () =>
      assertFails(() => openStore(`sqlite:${folder.path(name)}`), 'foreign_file'),
    )
})

test('a newer schema is refused and left as it is', async () => {
  await using folder = await temporaryFolder()
  const path = folder.path('store.db')
  await storeWithOneEntry(path)
  const database = loadEngine().open(path, { readOnly: false })
  database.exec('PRAGMA user_version = 99')
  database.close()
  await assertUntouched(path, () => assertFails(() => openStore(`sqlite:${path}`), 'newer_schema'))
})

test('a file or folder that may not be used is refused by name of the permission', async () => {
  await using folder = await temporaryFolder()
  const path = folder.path('store.db')
  await storeWithOneEntry(path)
  await fs.chmod(dirname(path), 0o755)
  await fs.chmod(path, 0o200)
  await asOrdinaryUser(async () => {
    await assertFails(() => openStore(`sqlite:${path}`), 'permission')
    if (process.getuid?.() === 0)
      await assertFails(() => openStore(`sqlite:${folder.path('new/store.db')}`), 'permission')
  })
})

test('a log that another user of a shared store has made is named, with what helps', async () => {
  await using folder = await temporaryFolder()
  const path = folder.path('store.db')
  await fs.chmod(dirname(path), 0o777)
  await storeWithOneEntry(path)
  await fs.chmod(path, 0o666)
  await using _ = await openStore(`sqlite:${path}`)
  for (const suffix of ['-wal', '-shm']) await fs.chmod(path + suffix, 0)
  await asOrdinaryUser(() =>
    assert.rejects(openStore(`sqlite:${path}`), (error: StoreError) => {
      assert.equal(error.reason, 'permission')
      assert.match(error.message, /store\.db-(wal|shm), which belongs to the store, .*chmod g\+s/)
      return true
    }),
  )
})

test('a network file system is refused before anything is made', async () => {
  await using folder = await temporaryFolder()
  const nfs = 0x6969
  const path = folder.path('store.db')
  await assertFails(async () => refuseNetworkFilesystem(path, () => nfs), 'network_filesystem')
  refuseNetworkFilesystem(folder.path('not/yet/there/store.db'))
  assert.deepEqual(await fs.readdir(dirname(path)), [])
})

test('a damaged file is named as such when what is damaged is read', async () => {
  await using folder = await temporaryFolder()
  const path = folder.path('store.db')
  {
    await using store = await openStore(`sqlite:${path}`)
    const value = new Uint8Array(500)
    await store.commit(Array.from({ length: 900 }, (_, id) => create(`ns/${id}`, value)))
  }
  const file = await fs.open(path, 'r+')
  const { size } = await file.stat()
  await file.write(Buffer.alloc(size - 8192, 0x5a), 0, size - 8192, 8192)
  await file.close()
  await using store = await openStore(`sqlite:${path}`)
  await assertFails(async () => {
    for await (const _ of store.scan('ns'));
  }, 'damaged')
})

test('a file that is moved away while open takes no commits, and does again once it is back', async () => {
  await using folder = await temporaryFolder()
  const path = folder.path('store.db')
  await using store = await openStore(`sqlite:${path}`)
  await fs.rename(path, `${path}.away`)
  await assertFails(() => store.commit([create('ns/a', one)]), 'down')
  await fs.rename(`${path}.away`, path)
  assert.equal((await store.commit([create('ns/a', one)])).ok, true)
})

test('a file that another process keeps locked gives locked after 5 s, and nothing is written', async () => {
  await using folder = await temporaryFolder()
  const path = folder.path('store.db')
  await storeWithOneEntry(path)
  await using store = await openStore(`sqlite:${path}`)
  const other = loadEngine().open(path, { readOnly: false })
  other.exec('BEGIN IMMEDIATE')
  const start = performance.now()
  await assertFails(() => store.commit([create('ns/b', one)]), 'locked', { withinMs: 6000 })
  const waited = performance.now() - start
  assert.ok(waited >= 4900, `it waited ${waited} ms`)
  assert.ok(await store.get('ns/a'), 'reading does not wait')
  other.exec('ROLLBACK')
  other.close()
  assert.equal((await store.commit([create('ns/b', one)])).ok, true)
})
