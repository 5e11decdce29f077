import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'vitest'
import { create, openStore } from '../../../src/store/index.ts'
import { Child } from '../../child.ts'
import { temporaryFolder } from '../ground.ts'

test('a watch sees the commits of another process within 100 ms', async () => {
  await using folder = await temporaryFolder()
  const url = `sqlite:${folder.path('store.db')}`
  await using store = await openStore(url)
  await using watcher = new Child('watch', [url, 'ns'])
  assert.equal(await watcher.message(), 'watching')
  const delays: number[] = []
  for (let round = 0; round < 20; round++) {
    await sleep(Math.random() * 60)
    const committed = Date.now()
    await store.commit([create(`ns/${round}`, new Uint8Array())])
    const { key, at } = await watcher.message<{ key: string; at: number }>()
    assert.equal(key, `ns/${round}`)
    delays.push(at - committed)
  }
  assert.ok(Math.max(...delays) <= 100, `delays in ms: ${delays}`)
})

test('an idle watch uses less than 1 % of a core', async () => {
  await using folder = await temporaryFolder()
  const url = `sqlite:${folder.path('store.db')}`
  await using watcher = new Child('watch', [url, 'ns'])
  assert.equal(await watcher.message(), 'watching')
  await sleep(1000)
  const used = async () => {
    watcher.send('cpu')
    const { user, system } = await watcher.message<NodeJS.CpuUsage>()
    return (user + system) / 1000
  }
  const before = await used()
  const idleMs = 6_000
  await sleep(idleMs)
  const share = ((await used()) - before) / idleMs
  assert.ok(share < 0.01, `it used ${(share * 100).toFixed(2)} % of a core`)
})

test('of two processes that commit at full speed, neither gets less than a quarter', async () => {
  await using folder = await temporaryFolder()
  const url = `sqlite:${folder.path('store.db')}`
  await using first = new Child('flood', [url, 'first', '4000'])
  await using second = new Child('flood', [url, 'second', '4000'])
  const both = [first, second]
  for (const child of both) assert.equal(await child.message(), 'ready')
  for (const child of both) child.send('go')
  const counts = await Promise.all(both.map((child) => child.message<number>()))
  const share = Math.min(...counts) / counts.reduce((sum, count) => sum + count)
  assert.ok(share >= 0.25, `commits: ${counts}, the smaller share ${share.toFixed(2)}`)
})
