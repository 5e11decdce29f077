import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { homedir } from 'node:os'
import { relative } from 'node:path'
import { describe, test } from 'vitest'
import { isBuiltInUsable } from '../../src/store/drivers/sqlite/engine.ts'
import { create, openStore, StoreError } from '../../src/store/index.ts'
import { temporaryFolder } from './ground.ts'

const one = new Uint8Array([1])

describe('an unknown store URL is refused, and the known forms are named', () => {
  for (const url of [
    '',
    'store.db',
    '/tmp/store.db',
    'redis://h',
    'sqlite:',
    'sqlite://h/p',
    'constructor:x',
    'sqlite::memory:',
    'sqlite:/tmp/folder/',
    'SQLITE:x',
  ])
    test(JSON.stringify(url), async () => {
      await assert.rejects(openStore(url), (error) => {
        assert.ok(error instanceof StoreError)
        assert.equal(error.code, 'invalid')
        assert.equal(error.reason, 'unknown_url')
        assert.match(error.next, /sqlite:PATH/)
        return true
      })
    })

  for (const url of ['redis://me:secret@host', '//me:secret@host/db', 'my-db:secret@x'])
    test(`a password in it is not repeated: ${url.replace('secret', '…')}`, async () => {
      await assert.rejects(openStore(url), (error) => {
        assert.doesNotMatch(String(error), /secret/)
        return true
      })
    })

  for (const url of [undefined, null, 5, {}])
    test(`${url} is no URL`, async () => {
      await assert.rejects(openStore(url as unknown as string), { reason: 'unknown_url' })
    })
})

test('memory: is private to each opening', async () => {
  await using first = await openStore('memory:')
  await using second = await openStore('memory:')
  await first.commit([create('ns/a', one)])
  assert.equal(await second.get('ns/a'), null)
})

test('memory:NAME is shared by name, outlives its openers, and is refused while there is none', async () => {
  await assert.rejects(openStore('memory:shared', { create: false }), { reason: 'missing_store' })
  await assert.rejects(openStore('memory:', { create: false }), { reason: 'missing_store' })
  {
    await using store = await openStore('memory:shared')
    await store.commit([create('ns/a', one)])
  }
  await using again = await openStore('memory:shared', { create: false })
  assert.ok(await again.get('ns/a'))
  await using other = await openStore('memory:other')
  assert.equal(await other.get('ns/a'), null)
})

test('bytes are copied on the way in and out of memory:', async () => {
  await using store = await openStore('memory:')
  const value = new Uint8Array([1])
  await store.commit([create('ns/a', value)])
  value[0] = 9
  const read = await store.get('ns/a')
  read!.value[0] = 9
  assert.deepEqual((await store.get('ns/a'))?.value, one)
})

test('a SQLite path may be relative, absolute, below ~, or with three slashes', async () => {
  await using folder = await temporaryFolder()
  const path = folder.path('with space/and #hash?.db')
  {
    await using store = await openStore(`sqlite:${path}`)
    await store.commit([create('ns/a', one)])
  }
  const urls = [
    `sqlite:${relative(process.cwd(), path)}`,
    `sqlite://${path}`,
    `sqlite:~/${relative(homedir(), path)}`,
  ]
  for (const url of urls) {
    await using store = await openStore(url, { create: false })
    assert.ok(await store.get('ns/a'), url)
  }
})

/** Whether a fresh process that opens a store has loaded SQLite in either form. */
function loadsSqlite(url: string): boolean {
  const script = `
    import { createRequire } from 'node:module'
    import { openStore } from 'holdfast/store'
    await openStore(${JSON.stringify(url)})
    const { cache } = createRequire(process.cwd() + '/')
    const loaded = [...process.moduleLoadList, ...Object.keys(cache)]
    console.log(loaded.some((name) => /better-sqlite3|NativeModule sqlite/.test(name)))`
  const args = ['--input-type=module', '-e', script]
  return execFileSync(process.execPath, args, { encoding: 'utf8' }).trim() === 'true'
}

test('a driver is loaded when it is needed, and only then', async () => {
  await using folder = await temporaryFolder()
  assert.equal(loadsSqlite('memory:'), false)
  assert.equal(loadsSqlite(`sqlite:${folder.path('store.db')}`), true)
})

describe('the built-in SQLite is used from 3.51.3 on', () => {
  const rows: readonly [string | undefined, boolean][] = [
    [undefined, false],
    ['3.47.2', false],
    ['3.51.2', false],
    ['3.51.3', true],
    ['3.52.0', true],
    ['4.0.0', true],
  ]
  for (const [version, expected] of rows)
    test(`${version}: ${expected}`, () => assert.equal(isBuiltInUsable(version), expected))
})
