import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'vitest'
import { create, openStore } from '../../../src/store/index.ts'
import { Child } from '../../child.ts'
import { measured } from '../../rounds.ts'
import { temporaryFolder } from '../ground.ts'

test('a watch sees the commits of another process within 100 ms', async () => {
  await using folder = await temporaryFolder()
  const url = `sqlite:${folder.path('store.db')}`
  await using store = await openStore(url)
  await using watcher = new Child('watch', [url, 'ns'])
  assert.equal(await watcher.message(), 'watching')
  const delayOf = async (key: string): Promise<number> => {
    await sleep(Math.random() * 60)
    const committed = Date.now()
    await store.commit([create(key, new Uint8Array())])
    const seen = await watcher.message<{ key: string; at: number }>()
    assert.equal(seen.key, key)
    return seen.at - committed
  }
  await measured(
    async (round) => {
      const delays: number[] = []
      for (let nth = 0; nth < 20; nth++) delays.push(await delayOf(`ns/${round}-${nth}`))
      return delays
    },
    (delays) => Math.max(...delays) <= 100,
  )
})

test('of two processes that commit at full speed, neither gets less than a quarter', async () => {
  await using folder = await temporaryFolder()
  const shares = async (round: number): Promise<number> => {
    const url = `sqlite:${folder.path(`${round}.db`)}`
    await using first = new Child('flood', [url, 'first', '2000'])
    await using second = new Child('flood', [url, 'second', '2000'])
    const both = [first, second]
    for (const child of both) assert.equal(await child.message(), 'ready')
    for (const child of both) child.send('go')
    const counts = await Promise.all(both.map((child) => child.message<number>()))
    return Math.min(...counts) / counts.reduce((sum, count) => sum + count)
  }
  await measured(shares, (smaller) => smaller >= 0.25)
})
