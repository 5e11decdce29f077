import assert from 'node:assert/strict'
import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, test, vi } from 'vitest'
import { loadEngine } from '../../../src/store/drivers/sqlite/engine.ts'
import { create, openStore } from '../../../src/store/index.ts'
import { temporaryFolder } from '../ground.ts'

const umask = process.umask()
afterEach(() => {
  process.umask(umask)
  vi.restoreAllMocks()
})

const modeOf = (path: string): string => (fs.statSync(path).mode & 0o777).toString(8)

/** The modes of all that is in a folder, by their paths below it. */
const modesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(
    fs
      .readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .sort()
      .map((name) => [name, modeOf(join(folder, name))]),
  )

async function written(path: string): Promise<void> {
  await using store = await openStore(`sqlite:${path}`)
  await store.commit([create('ns/a', new Uint8Array([1]))])
}

describe('whatever the umask', () => {
  for (const mask of [0o000, 0o022, 0o077])
    test(`${mask.toString(8).padStart(3, '0')}: store, log and backup are the user's alone, and so are new folders`, async () => {
      await using folder = await temporaryFolder()
      const path = folder.path('one/two/store.db')
      process.umask(mask)
      await using store = await openStore(`sqlite:${path}`)
      await store.commit([create('ns/a', new Uint8Array([1]))])
      await store.backup?.()
      assert.deepEqual(modesIn(dirname(dirname(dirname(path)))), {
        one: '700',
        'one/two': '700',
        'one/two/store.db': '600',
        'one/two/store.db-shm': '600',
        'one/two/store.db-wal': '600',
        'one/two/store.db.bak': '600',
      })
    })
})

test('there is no moment at which a new store or backup is open to others', async () => {
  await using folder = await temporaryFolder()
  const path = folder.path('store.db')
  process.umask(0)
  const seen: Record<string, string>[] = []
  const look = () => seen.push(modesIn(dirname(path)))
  const engine = loadEngine()
  const { open } = engine
  vi.spyOn(engine, 'open').mockImplementation((file, options) => {
    look()
    const database = open(file, options)
    const prepare = database.prepare.bind(database)
    database.prepare = (sql) => {
      look()
      return prepare(sql)
    }
    return database
  })
  await using store = await openStore(`sqlite:${path}`)
  await store.commit([create('ns/a', new Uint8Array([1]))])
  await store.backup?.()
  look()
  assert.ok(seen.length > 5)
  for (const modes of seen)
    for (const [name, mode] of Object.entries(modes)) assert.equal(mode, '600', name)
  assert.ok(seen.some((modes) => Object.keys(modes).some((name) => /\.bak\.\d+$/.test(name))))
})

test('an existing folder and an existing store keep their modes, and the log follows the store', async () => {
  await using folder = await temporaryFolder()
  const path = folder.path('store.db')
  await written(path)
  fs.chmodSync(dirname(path), 0o750)
  fs.chmodSync(path, 0o640)
  await using store = await openStore(`sqlite:${path}`)
  await store.commit([create('ns/b', new Uint8Array([1]))])
  assert.equal(modeOf(dirname(path)), '750')
  assert.deepEqual([modeOf(path), modeOf(`${path}-wal`)], ['640', '640'])
})

for (const [store, backup] of [
  [0o640, '600'],
  [0o666, '600'],
  [0o600, '600'],
  [0o400, '400'],
] as const)
  test(`the backup of a store of mode ${store.toString(8)} is of mode ${backup}`, async () => {
    await using folder = await temporaryFolder()
    const path = folder.path('store.db')
    await written(path)
    // The last one may be of any mode.
    fs.writeFileSync(`${path}.bak`, '', { mode: 0o666 })
    fs.chmodSync(path, store)
    process.umask(0)
    await using opened = await openStore(`sqlite:${path}`)
    await opened.backup?.()
    assert.equal(modeOf(`${path}.bak`), backup)
    await using copy = await openStore(`sqlite:${path}.bak`)
    assert.ok(await copy.get('ns/a'))
  })

test('a link that leads nowhere is followed, and what is made there is private', async () => {
  await using folder = await temporaryFolder()
  fs.mkdirSync(folder.path('elsewhere'))
  fs.symlinkSync(folder.path('elsewhere/store.db'), folder.path('link.db'))
  process.umask(0)
  await written(folder.path('link.db'))
  assert.equal(modeOf(folder.path('elsewhere/store.db')), '600')
})
