import assert from 'node:assert/strict'
import * as fs from 'node:fs'
import { relative } from 'node:path'
import { describe, test } from 'vitest'
import { loadEngine } from '../../../src/store/drivers/sqlite/engine.ts'
import { create, openStore } from '../../../src/store/index.ts'
import {
  assertRefusedUntouched,
  journalHeader,
  made,
  magic,
  one,
  pageSize,
  sectorSize,
  superJournal,
} from './beside.ts'

const pagesOf = (path: string): number => fs.statSync(path).size / pageSize

describe('a journal that came with the file', () => {
  const forms: Readonly<Record<string, (name: string, pages: number) => Buffer>> = {
    'a hot one': (name, pages) => Buffer.concat([journalHeader(pages), superJournal(name)]),
    'one of which nothing can be put back': (name) =>
      Buffer.concat([Buffer.alloc(sectorSize, 1), superJournal(name)]),
    'one that was done': (name) => Buffer.concat([Buffer.alloc(sectorSize), superJournal(name)]),
    'one that is all name': (name) => superJournal(name),
  }
  for (const [form, bytes] of Object.entries(forms))
    for (const isRelative of [false, true])
      test(`${form}, naming a ${isRelative ? 'relative' : 'whole'} path, deletes nothing and is refused`, async () => {
        await using there = await made()
        const { path, outside } = there
        fs.writeFileSync(outside, 'precious')
        const name = isRelative ? relative(process.cwd(), outside) : outside
        fs.writeFileSync(`${path}-journal`, bytes(name, pagesOf(path)))
        await assertRefusedUntouched(path, /-journal .*names another file/)
        for (const remove of [() => fs.truncateSync(path), () => fs.rmSync(path)]) {
          remove()
          await assertRefusedUntouched(path, /-journal .*names another file/)
        }
      })

  test('is refused behind a link to the file, too: there it lies where the file really is', async () => {
    await using there = await made()
    fs.writeFileSync(there.outside, 'precious')
    const journal = Buffer.concat([journalHeader(pagesOf(there.path)), superJournal(there.outside)])
    fs.writeFileSync(`${there.path}-journal`, journal)
    fs.mkdirSync(there.path.replace(/store\.db$/, 'below'))
    const link = there.path.replace(/store\.db$/, 'link.db')
    fs.symlinkSync('store.db', link)
    await assertRefusedUntouched(link, /store\.db-journal .*names another file/)
  })

  test('is refused beside a log where it holds more than the switch to it takes', async () => {
    await using there = await made()
    const records = Buffer.alloc(2 * (pageSize + 8), 7)
    fs.writeFileSync(
      `${there.path}-journal`,
      Buffer.concat([journalHeader(pagesOf(there.path), 2), records]),
    )
    await assertRefusedUntouched(there.path, /has a write-ahead log instead/)
  })
})

describe('our own journal, left by a crash', () => {
  /** The journal that SQLite itself has made for a change of the first page, ready to be put back. */
  function journalOfFirstPage(path: string): Buffer {
    const database = loadEngine().open(path, { readOnly: false })
    try {
      // Then its header says at once that it counts, as it does later otherwise.
      database.exec('PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF; BEGIN IMMEDIATE')
      database.exec('PRAGMA user_version = 1')
      const journal = fs.readFileSync(`${path}-journal`)
      database.exec('ROLLBACK')
      return journal
    } finally {
      database.close()
    }
  }

  /** Writes the two bytes by which the header says whether there is a log. */
  function setVersion(path: string, version: 1 | 2): void {
    const file = fs.openSync(path, 'r+')
    fs.writeSync(file, Buffer.from([version, version]), 0, 2, 18)
    fs.closeSync(file)
  }

  for (const [moment, version] of [
    ['before the header says so', 1],
    ['after the header says so', 2],
  ] as const)
    test(`while the file is switched to a log, ${moment}, is put back, and the store is whole`, async () => {
      await using there = await made()
      const journal = journalOfFirstPage(there.path)
      assert.deepEqual(journal.subarray(0, 8), magic)
      assert.equal(journal.length, sectorSize + pageSize + 8)
      setVersion(there.path, version)
      fs.writeFileSync(`${there.path}-journal`, journal)
      await using store = await openStore(`sqlite:${there.path}`)
      assert.deepEqual((await store.get('ns/a'))?.value, one)
      assert.equal((await store.commit([create('ns/b', one)])).ok, true)
      assert.ok(!fs.existsSync(`${there.path}-journal`))
    })

  test('while the tables are laid, is put back, and the store is made anew', async () => {
    await using there = await made()
    setVersion(there.path, 1)
    fs.writeFileSync(`${there.path}-journal`, journalHeader(0))
    await using store = await openStore(`sqlite:${there.path}`)
    assert.equal(await store.get('ns/a'), null)
    assert.equal((await store.commit([create('ns/b', one)])).ok, true)
  })

  test('before anything was written to it, is no obstacle', async () => {
    for (const bytes of [Buffer.alloc(0), Buffer.alloc(sectorSize), journalHeader(0)]) {
      await using there = await made()
      fs.writeFileSync(there.path, '')
      fs.writeFileSync(`${there.path}-journal`, bytes)
      await using store = await openStore(`sqlite:${there.path}`)
      assert.equal((await store.commit([create('ns/b', one)])).ok, true)
    }
  })
})
