import assert from 'node:assert/strict'
import { test } from 'vitest'
import { Feed } from '../../src/store/feed.ts'
import { openStore } from '../../src/store/index.ts'
import { watchPendingMax } from '../../src/store/store.ts'

const open = (feed: Feed, prefix = 'ns', signal?: AbortSignal) => {
  const events = feed.watch(prefix, signal)
  return async () => (await events.next()).value
}

test('a reader that keeps up is told every key, each change at least once', async () => {
  const feed = new Feed()
  const next = open(feed)
  assert.deepEqual(await next(), { type: 'resync' })
  for (const key of ['ns/a', 'ns/b', 'ns/a']) {
    feed.publish([key])
    assert.deepEqual(await next(), { type: 'key', key })
  }
})

test('several changes of a key that nobody took yet are told once', async () => {
  const feed = new Feed()
  const next = open(feed)
  await next()
  feed.publish(['ns/a', 'ns/b', 'ns/a'])
  assert.deepEqual(await next(), { type: 'key', key: 'ns/a' })
  assert.deepEqual(await next(), { type: 'key', key: 'ns/b' })
})

test('a reader too far behind is told resync, once, and then only what came after', async () => {
  const feed = new Feed()
  const next = open(feed)
  await next()
  feed.publish(Array.from({ length: watchPendingMax + 1 }, (_, index) => `ns/${index}`))
  assert.deepEqual(await next(), { type: 'resync' })
  feed.publish(['ns/after'])
  assert.deepEqual(await next(), { type: 'key', key: 'ns/after' })
})

test('exactly as many keys as are kept make no resync', async () => {
  const feed = new Feed()
  const next = open(feed)
  await next()
  feed.publish(Array.from({ length: watchPendingMax }, (_, index) => `ns/${index}`))
  assert.deepEqual(await next(), { type: 'key', key: 'ns/0' })
})

test('a gap reaches every watch', async () => {
  const feed = new Feed()
  const [first, second] = [open(feed, 'a'), open(feed, 'b')]
  await Promise.all([first(), second()])
  feed.resync()
  assert.deepEqual(await Promise.all([first(), second()]), [{ type: 'resync' }, { type: 'resync' }])
})

test('a watch that ends is forgotten', async () => {
  const feed = new Feed()
  const abort = new AbortController()
  const next = open(feed, 'ns', abort.signal)
  await next()
  assert.equal(feed.isWatched, true)
  const last = next()
  abort.abort()
  assert.equal(await last, undefined)
  assert.equal(feed.isWatched, false)
})

test('any number of watches may be open on a store: none is taken for a leak', async () => {
  const warnings: string[] = []
  const onWarning = ({ message }: Error) => warnings.push(message)
  process.on('warning', onWarning)
  const store = await openStore('memory:')
  const watches = Array.from({ length: 50 }, () => store.watch('ns')[Symbol.asyncIterator]())
  for (const watch of watches) assert.deepEqual((await watch.next()).value, { type: 'resync' })
  await store[Symbol.asyncDispose]()
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', onWarning)
  assert.deepEqual(warnings, [])
})
