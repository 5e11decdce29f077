import assert from 'node:assert/strict'
import { chmod, readFile } from 'node:fs/promises'
import { test } from 'vitest'
import { create, openStore, update } from '../../../src/store/index.ts'
import { recorded } from '../../record.ts'
import { sized } from '../../size.ts'
import { assertFails } from '../failures.ts'
import { temporaryFolder } from '../ground.ts'

const rounds = sized(2, 30, 20)
const commitsMax = 40
const bytesOf = (round: number) => new Uint8Array([round])

test(`a read-only file, ${rounds} times, can be read; writing is refused, and nothing changes until it may`, async () => {
  await using folder = await temporaryFolder()
  const path = folder.path('store.db')
  const record = recorded({
    what: 'commits: the file is read-only',
    store: 'SQLite',
    promises: ['durable', 'honest'],
  })
  const acknowledged: string[] = []
  for (let round = 0; round < rounds; round++) {
    await chmod(path, 0o644).catch(() => {})
    {
      await using store = await openStore(`sqlite:${path}`)
      for (let count = Math.ceil(Math.random() * commitsMax); count > 0; count--) {
        const key = `ns/${round}/${count}`
        if ((await store.commit([create(key, bytesOf(round))])).ok) acknowledged.push(key)
      }
    }
    await chmod(path, 0o444)
    const before = await readFile(path)
    await using store = await openStore(`sqlite:${path}`)
    const last = await store.get(acknowledged.at(-1) as string)
    assert.deepEqual(last?.value, bytesOf(round))
    await assertFails(() => store.commit([update(last, bytesOf(round + 1))]), 'read_only')
    await assertFails(() => store.commit([create('ns/other', bytesOf(round))]), 'read_only')
    const there: string[] = []
    for await (const { key } of store.list('ns')) there.push(key)
    const lost = acknowledged.filter((key) => !there.includes(key))
    record({ faults: 1, operations: round === rounds - 1 ? there.length : 0, lost: lost.length })
    assert.deepEqual(there, acknowledged.toSorted())
    assert.deepEqual(await readFile(path), before)
  }
})
