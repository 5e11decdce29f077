import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'vitest'
import { loadEngine } from '../../../src/store/drivers/sqlite/engine.ts'
import { create, openStore } from '../../../src/store/index.ts'
import { Child } from '../../child.ts'
import { recorded } from '../../record.ts'
import { within } from '../../rounds.ts'
import { sized } from '../../size.ts'
import { temporaryFolder } from '../ground.ts'

const one = new Uint8Array([1])

const makers = sized(10, 40)

test(`${makers} processes killed while they make a store: the next one has a whole store`, async () => {
  await using folder = await temporaryFolder()
  const record = recorded({
    what: 'a new file: its maker killed',
    store: 'SQLite',
    promises: ['durable', 'whole'],
  })
  for (let round = 0; round < makers; round++) {
    const path = folder.path(`${round}.db`)
    {
      await using child = new Child('create-slowly', [`sqlite:${path}`])
      await child.message()
      // As soon as there is something of the file, or at a random moment.
      for (let look = 0; look < 200; look++) {
        const size = (await fs.stat(path).catch(() => ({ size: 0 }))).size
        if (size > 0) break
        await new Promise(setImmediate)
      }
      await sleep(round % 2 ? Math.random() * 4 : 0)
      await child.kill()
    }
    await using store = await openStore(`sqlite:${path}`)
    assert.equal((await store.commit([create('ns/a', one)])).ok, true, `round ${round}`)
    const isLost = (await store.get('ns/a')) === null
    record({ killRounds: 1, faults: 1, operations: 1, lost: isLost ? 1 : 0 })
    assert.ok(!isLost)
  }
})

test('a log without its file is refused: the commits in it would be lost', async () => {
  await using folder = await temporaryFolder()
  const path = folder.path('store.db')
  const store = await openStore(`sqlite:${path}`)
  await store.commit([create('ns/a', one)])
  await fs.cp(`${path}-wal`, folder.path('copy'))
  await store[Symbol.asyncDispose]()
  await fs.rename(folder.path('copy'), `${path}-wal`)
  for (const remove of [() => fs.truncate(path), () => fs.rm(path)]) {
    await remove()
    await assert.rejects(openStore(`sqlite:${path}`), { reason: 'damaged' })
    assert.ok((await fs.stat(`${path}-wal`)).size > 0)
  }
})

test('opening a store twice in one process keeps its lock: another program can not take the log away', async () => {
  await using folder = await temporaryFolder()
  const path = folder.path('store.db')
  await using store = await openStore(`sqlite:${path}`)
  await store.commit([create('ns/1', one)])
  const locks = () => execFileSync('cat', ['/proc/locks'], { encoding: 'utf8' })
  const { ino } = await fs.stat(path)
  const isLocked = () => locks().includes(`:${ino} `)
  assert.equal(isLocked(), true)
  {
    await using again = await openStore(`sqlite:${path}`)
    assert.equal(isLocked(), true)
    await again.get('ns/1')
  }
  assert.equal(isLocked(), true)
})

test('a log that was deleted takes no commits', async () => {
  await using folder = await temporaryFolder()
  const path = folder.path('store.db')
  await using store = await openStore(`sqlite:${path}`)
  await store.commit([create('ns/1', one)])
  await fs.rename(`${path}-wal`, folder.path('away'))
  await assert.rejects(store.commit([create('ns/2', one)]), { reason: 'down' })
  await fs.rename(folder.path('away'), `${path}-wal`)
  assert.equal((await store.commit([create('ns/2', one)])).ok, true)
})

test('an aborted watch that nobody reads lets the process end', async () => {
  await using folder = await temporaryFolder()
  await using child = new Child('abort-watch', [`sqlite:${folder.path('store.db')}`])
  const [code] = await once(child.process, 'exit', { signal: AbortSignal.timeout(60_000) })
  assert.equal(code, 0)
})

test('commits that wait behind a lock all fail after 5 s, not one after another', () =>
  within(6_500, async (timed) => {
    await using folder = await temporaryFolder()
    const path = folder.path('store.db')
    await using store = await openStore(`sqlite:${path}`)
    await store.commit([create('ns/first', one)])
    const other = loadEngine().open(path, { readOnly: false })
    other.exec('BEGIN IMMEDIATE')
    const large = new Uint8Array(1_000_000)
    const ended = await timed(() => {
      const ids = Array.from({ length: 12 }, (_, id) => `ns/${id}`)
      return Promise.allSettled(ids.map((key) => store.commit([create(key, large)])))
    })
    for (const { status } of ended) assert.equal(status, 'rejected')
    other.exec('ROLLBACK')
    other.close()
  }))
