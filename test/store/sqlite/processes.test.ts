import assert from 'node:assert/strict'
import { test, vi } from 'vitest'
import { openStore } from '../../../src/store/index.ts'
import { Child } from '../../child.ts'
import { sized } from '../../size.ts'
import { temporaryFolder } from '../ground.ts'

const processes = sized(3, 4)
const increments = sized(100, 2_000)
const keys = 10
const makers = sized(4, 6)

test(`${processes} processes, ${increments} increments each on ${keys} shared keys: the sum is exact, and another that watches misses nothing`, async () => {
  await using folder = await temporaryFolder()
  const url = `sqlite:${folder.path('store.db')}`
  await using watcher = new Child('watch', [url, 'sum'])
  assert.equal(await watcher.message(), 'watching')

  const args = [url, String(increments), String(keys)]
  const writers = Array.from({ length: processes }, () => new Child('increment', args))
  try {
    await Promise.all(writers.map((writer) => writer.message()))
  } finally {
    await Promise.all(writers.map((writer) => writer.kill()))
  }

  const each = String((processes * increments) / keys)
  const expected = Object.fromEntries(
    Array.from({ length: keys }, (_, index) => [`sum/${index}`, each]),
  )
  // It has not looked yet, maybe, at what came last.
  await vi.waitFor(
    async () => {
      watcher.taken()
      watcher.send('picture')
      for (;;) {
        const message = await watcher.message<object>()
        if ('key' in message) continue
        assert.deepEqual(message, expected)
        return
      }
    },
    { timeout: 30_000 },
  )
  await using store = await openStore(url)
  for await (const { value } of store.scan('sum'))
    assert.equal(new TextDecoder().decode(value), each)
})

test('processes that all find no store yet make one together', async () => {
  await using folder = await temporaryFolder()
  const url = `sqlite:${folder.path('new/folder/store.db')}`
  const writers = Array.from({ length: makers }, () => new Child('increment', [url, '20', '1']))
  try {
    await Promise.all(writers.map((writer) => writer.message()))
  } finally {
    await Promise.all(writers.map((writer) => writer.kill()))
  }
  await using store = await openStore(url)
  assert.equal(new TextDecoder().decode((await store.get('sum/0'))?.value), String(20 * makers))
})
