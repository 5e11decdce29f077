import assert from 'node:assert/strict'
import { test } from 'vitest'
import { limited, openStore, type Store, StoreError } from '../../src/store/index.ts'
import { type Resync, type TaskEvent, TaskTree } from '../../src/tree/index.ts'
import { altered } from '../store/altered.ts'

const away = () => new StoreError('down', 'The store is away.', 'Try again.')

/** The next so many events, as "type title". */
async function next(events: AsyncGenerator<TaskEvent | Resync>, count: number): Promise<string[]> {
  const seen: string[] = []
  while (seen.length < count) {
    const { value } = await events.next()
    seen.push(value.type === 'resync' ? 'resync' : `${value.type} ${value.task.title}`)
  }
  return seen
}

test('a feed whose first look fails closes its watch', async () => {
  await using store = await openStore('memory:')
  let open = 0
  const failing = altered(store, {
    async *watch(prefix, signal) {
      open++
      try {
        yield* store.watch(prefix, signal)
      } finally {
        open--
      }
    },
    // biome-ignore lint/correctness/useYield: it fails before it has anything to give.
    async *scan() {
      throw away()
    },
  })
  await using feed = new TaskTree(failing).feed()
  await assert.rejects(feed.start(), away())
  assert.equal(open, 0)
})

test('a follower who came before the feed had looked at everything reads everything again', async () => {
  await using store = await openStore('memory:')
  const tree = new TaskTree(store)
  await using feed = tree.feed()
  const ending = new AbortController()
  const events = feed.events('unknown-7', ending.signal)
  assert.deepEqual(await next(events, 1), ['resync'])
  // The feed takes this for known, and the follower has read before it.
  await tree.create({ title: 'between' })
  await feed.start()
  await tree.create({ title: 'later' })
  assert.deepEqual(await next(events, 2), ['resync', 'task.created later'])
  ending.abort()
})

/** A store that is away as soon as a task is marked as deleted. */
function failingAfterMark(store: Store): Store {
  let isAway = false
  return altered(store, {
    async commit(writes) {
      if (isAway) throw away()
      const result = await store.commit(writes)
      isAway = writes.some(({ key }) => key.startsWith('coven/meta/')) && (await isMarked(store))
      return result
    },
  })
}

async function isMarked(store: Store): Promise<boolean> {
  for await (const _ of store.list('coven/doomed')) return true
  return false
}

test('a deletion is told of all that is below, even before that is removed', async () => {
  await using store = limited(await openStore('memory:'), 1)
  const tree = new TaskTree(store)
  const top = await tree.create({ title: 'top' })
  const below = await tree.create({ title: 'below', parent_id: top.id, body: 'text' })
  await tree.create({ title: 'lowest', parent_id: below.id })
  await using feed = tree.feed()
  await feed.start()
  const ending = new AbortController()
  const events = feed.events(null, ending.signal)
  await new TaskTree(failingAfterMark(store)).delete(top.id)
  const wanted = ['task.deleted top', 'task.deleted below', 'task.deleted lowest']
  assert.deepEqual(await next(events, 3), wanted)
  // Removing it for good is nothing new.
  await tree.maintain()
  await tree.create({ title: 'last' })
  assert.deepEqual(await next(events, 1), ['task.created last'])
  ending.abort()
})
