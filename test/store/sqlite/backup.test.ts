import assert from 'node:assert/strict'
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { describe, test } from 'vitest'
import { create, openStore, type Store, StoreError } from '../../../src/store/index.ts'
import { temporaryFolder } from '../ground.ts'
import { journalHeader, superJournal } from './beside.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

async function keysOf(store: Store): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of store.list('')) keys.push(key)
  return keys
}

describe('a copy of a SQLite store', () => {
  test('is all that was committed, beside the file, in place of the last copy', async () => {
    await using folder = await temporaryFolder()
    const path = folder.path("it's a store.db")
    await using store = await openStore(`sqlite:${path}`)
    writeFileSync(`${path}.bak`, 'the last one')
    for (let n = 0; n < 3; n++) {
      await store.commit([create(`a/${n}`, bytes(`${n}`))])
      assert.equal(await store.backup?.(), `${path}.bak`)
      await using copy = await openStore(`sqlite:${path}.bak`, { create: false })
      assert.deepEqual(await keysOf(copy), await keysOf(store))
      assert.deepEqual(await copy.get(`a/${n}`), await store.get(`a/${n}`))
    }
    await store.commit([create('a/later', bytes(''))])
    await using copy = await openStore(`sqlite:${path}.bak`)
    await copy.commit([create('a/own', bytes(''))])
    assert.equal(await store.get('a/own'), null)
  })

  test('is of one moment while others write', async () => {
    await using folder = await temporaryFolder()
    const url = `sqlite:${folder.path('store.db')}`
    await using store = await openStore(url)
    await using writer = await openStore(url)
    let isOn = true
    const writing = (async () => {
      for (let n = 0; isOn; n++)
        await writer.commit([create(`a/${n}`, bytes('x')), create(`b/${n}`, bytes('x'))])
    })()
    for (let n = 0; n < 5; n++) {
      const path = await store.backup?.()
      await using copy = await openStore(`sqlite:${path}`, { create: false })
      const keys = await keysOf(copy)
      const [as, bs] = ['a/', 'b/'].map((start) => keys.filter((key) => key.startsWith(start)))
      assert.equal(as?.length, bs?.length)
    }
    isOn = false
    await writing
  })

  test('follows no link, and obeys no journal, that lies where it is written', async () => {
    await using folder = await temporaryFolder()
    mkdirSync(folder.path('repo'))
    const [path, outside] = [folder.path('repo/store.db'), folder.path('precious.txt')]
    await using store = await openStore(`sqlite:${path}`)
    await store.commit([create('a/1', bytes('x'))])
    writeFileSync(outside, 'precious')
    const partial = `${path}.bak.${process.pid}`
    const journal = Buffer.concat([journalHeader(0), superJournal(outside)])
    for (const put of [
      () => symlinkSync(outside, `${path}.bak`),
      () => symlinkSync(outside, partial),
      () => linkSync(outside, partial),
      () => symlinkSync(outside, `${partial}-journal`),
      () => linkSync(outside, `${partial}-journal`),
      () => writeFileSync(`${partial}-journal`, journal),
      () => symlinkSync(outside, `${partial}-wal`),
      () => linkSync(outside, `${partial}-wal`),
    ]) {
      put()
      await store.backup?.()
      assert.equal(readFileSync(outside, 'utf8'), 'precious')
      assert.ok(lstatSync(`${path}.bak`).isFile())
      await using copy = await openStore(`sqlite:${path}.bak`)
      assert.deepEqual(await keysOf(copy), ['a/1'])
      for (const each of readdirSync(folder.path('repo')))
        if (/\.bak/.test(each)) rmSync(folder.path(`repo/${each}`))
    }
  })

  test('that can’t be written says so, and leaves nothing behind', async () => {
    await using folder = await temporaryFolder()
    const path = folder.path('store.db')
    await using store = await openStore(`sqlite:${path}`)
    await store.commit([create('a/1', bytes(''))])
    mkdirSync(`${path}.bak`)
    await assert.rejects(async () => store.backup?.(), Error)
    assert.deepEqual(
      readdirSync(folder.path('')).filter((name) => /\.bak\./.test(name)),
      [],
    )
    assert.equal((await store.get('a/1'))?.key, 'a/1')
  })

  test('is not for other stores, nor for one that is closed', async () => {
    await using memory = await openStore('memory:')
    assert.equal(memory.backup, undefined)
    await using folder = await temporaryFolder()
    const store = await openStore(`sqlite:${folder.path('store.db')}`)
    const { backup } = store
    await store[Symbol.asyncDispose]()
    await assert.rejects(async () => backup?.(), StoreError)
    assert.ok(!existsSync(folder.path('store.db.bak')))
  })
})
