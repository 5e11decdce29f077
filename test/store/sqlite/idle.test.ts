import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'vitest'
import { Child } from '../../child.ts'
import { measured } from '../../rounds.ts'
import { temporaryFolder } from '../ground.ts'

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
  const idleMs = 6_000
  await measured(
    async () => {
      const before = await used()
      await sleep(idleMs)
      return ((await used()) - before) / idleMs
    },
    (share) => share < 0.01,
  )
})
