import assert from 'node:assert/strict'
import * as fs from 'node:fs'
import { dirname } from 'node:path'
import { afterEach, describe, test, vi } from 'vitest'
import { loadEngine } from '../../../src/store/drivers/sqlite/engine.ts'
import { makeFile } from '../../../src/store/drivers/sqlite/file.ts'
import { create, openStore } from '../../../src/store/index.ts'
import { assertFails } from '../failures.ts'
import { temporaryFolder } from '../ground.ts'
import { assertRefusedUntouched, made, one } from './beside.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

/** Only root can give files away. */
const asRoot = test.runIf(process.geteuid?.() === 0)

const suffixes = ['-wal', '-shm', '-journal']

describe('what lies where a companion would', () => {
  const kinds: Readonly<Record<string, (companion: string, outside: string) => void>> = {
    'a link': (companion, outside) => fs.symlinkSync(outside, companion),
    'a link that leads nowhere': (companion, outside) => fs.symlinkSync(`${outside}.no`, companion),
    'a second name of a file': (companion, outside) => fs.linkSync(outside, companion),
    'a folder': (companion) => fs.mkdirSync(companion),
  }
  for (const suffix of suffixes)
    for (const [kind, put] of Object.entries(kinds))
      test(`${kind} as ${suffix} is refused, whether the file is there or not`, async () => {
        await using there = await made()
        fs.writeFileSync(there.outside, 'precious')
        put(there.path + suffix, there.outside)
        const what = /(-wal|-shm|-journal) is none of the store's/
        await assertRefusedUntouched(there.path, what)
        fs.rmSync(there.path)
        await assertRefusedUntouched(there.path, what)
      })
})

describe('a companion that another user has made', () => {
  const nobody = 65_534
  const stranger = 54_321
  const group = 54_322

  const giveAway = (path: string, gid = stranger) => fs.lchownSync(path, stranger, gid)

  for (const suffix of suffixes)
    asRoot(`as ${suffix} is refused, whether the store is there or not`, async () => {
      await using there = await made()
      fs.writeFileSync(there.path + suffix, '', { mode: 0o666 })
      giveAway(there.path + suffix)
      const what = /belongs to another user \(uid 54321\)/
      await assertRefusedUntouched(there.path, what)
      fs.chmodSync(there.path, 0o660)
      await assertRefusedUntouched(there.path, what)
      fs.rmSync(there.path)
      await assertRefusedUntouched(there.path, what)
    })

  asRoot(
    'is taken where that user owns the store, or its group shares it, or everybody does',
    async () => {
      const shares: readonly ((path: string) => void)[] = [
        (path) => giveAway(path),
        (path) => {
          fs.chownSync(path, 0, group)
          fs.chmodSync(path, 0o660)
        },
        (path) => fs.chmodSync(path, 0o666),
      ]
      for (const share of shares) {
        await using there = await made()
        share(there.path)
        fs.writeFileSync(`${there.path}-wal`, '')
        giveAway(`${there.path}-wal`, group)
        await using store = await openStore(`sqlite:${there.path}`)
        assert.equal((await store.commit([create('ns/b', one)])).ok, true)
      }
    },
  )

  asRoot(
    'of the right group is refused where the directory gives that group to everybody',
    async () => {
      await using there = await made()
      fs.chownSync(there.path, 0, group)
      fs.chmodSync(there.path, 0o660)
      fs.chmodSync(dirname(there.path), 0o2777)
      fs.writeFileSync(`${there.path}-wal`, '')
      giveAway(`${there.path}-wal`, group)
      await assertRefusedUntouched(there.path, /belongs to another user/)
    },
  )

  asRoot('while the store is opened is refused before anything is written', async () => {
    await using there = await made()
    for (const each of [dirname(dirname(there.path)), dirname(there.path), there.path])
      fs.chownSync(each, nobody, nobody)
    const engine = loadEngine()
    const { open } = engine
    vi.spyOn(engine, 'open').mockImplementation((path, options) => {
      process.seteuid?.(0)
      fs.writeFileSync(`${path}-wal`, '')
      fs.chmodSync(`${path}-wal`, 0o666)
      giveAway(`${path}-wal`)
      process.seteuid?.(nobody)
      return open(path, options)
    })
    // What root opens, SQLite makes root's.
    process.seteuid?.(nobody)
    try {
      const error = await assertFails(() => openStore(`sqlite:${there.path}`), 'foreign_file')
      assert.match(error.message, /-wal .*belongs to another user/)
    } finally {
      process.seteuid?.(0)
    }
  })
})

test('where everybody may make files, the names are taken before SQLite looks, and the journal given back', async () => {
  await using there = await made()
  fs.chmodSync(dirname(there.path), 0o1777)
  const engine = loadEngine()
  const { open } = engine
  let seen: string[] = []
  vi.spyOn(engine, 'open').mockImplementation((path, options) => {
    seen = suffixes.filter((suffix) => {
      const stats = fs.lstatSync(path + suffix)
      return stats.size === 0 && (stats.mode & 0o777) === 0o600
    })
    return open(path, options)
  })
  {
    await using store = await openStore(`sqlite:${there.path}`)
    assert.deepEqual(seen, suffixes)
    assert.ok(!fs.existsSync(`${there.path}-journal`))
    assert.equal((await store.commit([create('ns/b', one)])).ok, true)
  }
  assert.deepEqual(fs.readdirSync(dirname(there.path)), ['store.db'])
  fs.symlinkSync('nowhere', `${there.path}-shm`)
  await assertRefusedUntouched(there.path, /is a link/)
})

asRoot('an empty file that another user puts there while a store is made is refused', async () => {
  await using folder = await temporaryFolder()
  fs.mkdirSync(folder.path('repo'))
  const path = folder.path('repo/new/store.db')
  fs.mkdirSync(dirname(path))
  fs.writeFileSync(path, '', { mode: 0o666 })
  fs.chownSync(path, 54_321, 54_321)
  const state = { isThere: false, isEmpty: false, isWritable: true, hasLog: false }
  assert.throws(() => makeFile(path, state), { reason: 'foreign_file' })
  makeFile(path, { ...state, isEmpty: true })
})
