import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { counted, limited, openStore, type Store, type WatchEvent } from '../../src/store/index.ts'
import { type Resync, type TaskEvent, TaskTree } from '../../src/tree/index.ts'
import { eventAgeMsMax, eventsMax, Journal } from '../../src/tree/journal.ts'
import { onEveryStore } from '../models/stores.ts'
import { altered } from '../store/altered.ts'
import { assertLayout } from './layout.ts'

/** The next so many events, as "type title". */
async function take(
  events: AsyncGenerator<TaskEvent | Resync>,
  count: number,
): Promise<{ seen: string[]; lastId: string }> {
  const seen: string[] = []
  let lastId = ''
  while (seen.length < count) {
    const { value, done } = await events.next()
    if (done) break
    lastId = value.id
    seen.push(value.type === 'resync' ? 'resync' : `${value.type} ${value.task.title}`)
  }
  return { seen, lastId }
}

onEveryStore('the feed', { check: assertLayout }, (ground) => {
  test('tells of every change, whoever makes it, and again from any event that it remembers', async () => {
    await using feed = new TaskTree(ground.store).feed()
    const tree = new TaskTree(await ground.open())
    const old = await tree.create({ title: 'old' })
    await feed.start()
    const ending = new AbortController()
    const events = feed.events(null, ending.signal)
    const first = take(events, 2)
    const { id } = await tree.create({ title: 'new', parent_id: old.id })
    await tree.claim(id, 'ann')
    assert.deepEqual((await first).seen, ['task.created new', 'task.claimed new'])
    const { lastId } = await first
    await tree.release(id, 'ann')
    await tree.update(old.id, { title: 'older' })
    // A store may tell of several changes at once, in any order of the tasks.
    const changes = await take(events, 2)
    assert.deepEqual(changes.seen.sort(), ['task.released new', 'task.updated older'])
    await tree.delete(old.id)
    const deletions = await take(events, 2)
    assert.deepEqual(deletions.seen.sort(), ['task.deleted new', 'task.deleted older'])
    const again = await take(feed.events(lastId, ending.signal), 4)
    assert.deepEqual(again.seen.sort(), [...changes.seen, ...deletions.seen].sort())
    assert.deepEqual((await take(feed.events('unknown-7', ending.signal), 1)).seen, ['resync'])
    ending.abort()
    assert.equal((await events.next()).done, true)
  })
})

onEveryStore('a deletion', { check: assertLayout }, (ground) => {
  test('is told with the body of each task that is gone, whoever deleted it, and also when asked for again', async () => {
    await using feed = new TaskTree(ground.store).feed()
    const tree = new TaskTree(await ground.open())
    const root = await tree.create({ title: 'root', body: 'long before' })
    const old = await tree.create({ title: 'old', body: 'first', parent_id: root.id })
    await feed.start()
    const ending = new AbortController()
    const start = feed.lastId
    const events = feed.events(null, ending.signal)
    await tree.create({ title: 'new', body: 'x'.repeat(60_000), parent_id: old.id })
    await tree.create({ title: 'none', parent_id: root.id })
    await tree.update(old.id, { body: 'second' })
    await take(events, 3)
    await tree.delete(root.id)
    const wanted = ['new x', 'none null', 'old second', 'root long before']
    for (const following of [events, feed.events(start, ending.signal)]) {
      const told: string[] = []
      while (told.length < wanted.length) {
        const { value } = await following.next()
        if (value?.type !== 'task.deleted') continue
        const { title, body } = value.task
        told.push(`${title} ${body?.replace(/^x{60000}$/, 'x') ?? null}`)
      }
      assert.deepEqual(told.sort(), wanted)
    }
    ending.abort()
  })
})

test('a feed looks at all tasks once when it starts', async () => {
  await using memory = await openStore('memory:')
  const tree = new TaskTree(memory)
  for (const title of ['a', 'b', 'c']) await tree.create({ title })
  const store = counted(memory)
  await using feed = new TaskTree(store).feed()
  await feed.start()
  const ending = new AbortController()
  const events = feed.events(null, ending.signal)
  await tree.create({ title: 'new' })
  assert.deepEqual((await take(events, 1)).seen, ['task.created new'])
  assert.deepEqual([store.counts.scan, store.counts.entries], [1, 3])
  ending.abort()
})

describe('what a change is told as', () => {
  const kinds: readonly [string, string, (tree: TaskTree, id: string) => Promise<unknown>][] = [
    ['a claim', 'task.claimed', (tree, id) => tree.claim(id, 'ann')],
    ['a forced release', 'task.released', (tree, id) => tree.release(id, 'x', { force: true })],
    ['a claim by status', 'task.claimed', (tree, id) => tree.setStatus(id, 'in_progress', 'ann')],
    ['complete', 'task.updated', (tree, id) => tree.complete(id, 'ann')],
    ['approve', 'task.updated', (tree, id) => tree.approve(id)],
    ['a tag', 'task.updated', (tree, id) => tree.addTags(id, ['x'])],
    ['retention', 'task.deleted', (tree) => tree.maintain()],
    ['restore', 'task.updated', (tree, id) => tree.restore(id)],
    ['nothing new, and then a title', 'task.updated', retitle],
    ['delete', 'task.deleted', (tree, id) => tree.delete(id)],
  ]
  async function retitle(tree: TaskTree, id: string): Promise<void> {
    await tree.addTags(id, ['x'])
    await tree.update(id, { title: 'other' })
  }

  test('each by its own event, and one only', async () => {
    const store: Store = limited(await openStore('memory:'), 1)
    const clock = { ms: Date.now() }
    const tree = new TaskTree(store, { now: () => clock.ms })
    const { id } = await tree.create({ title: 't' })
    await using feed = tree.feed()
    await feed.start()
    const events = feed.events(null, new AbortController().signal)
    for (const [name, type, act] of kinds) {
      if (name === 'retention') clock.ms += 31 * 86_400_000
      await act(tree, id)
      const { value } = await events.next()
      assert.equal(value?.type, type, name)
    }
    await tree.create({ title: 'end' })
    assert.equal((await events.next()).value?.type, 'task.created')
  })
})

describe('the journal', () => {
  const task = { id: 'x' } as TaskEvent['task']

  test('remembers the last 10,000 events', () => {
    const journal = new Journal()
    const start = journal.lastId
    for (let n = 0; n < eventsMax; n++) journal.add('task.updated', task)
    assert.equal(journal.after(start)?.length, eventsMax)
    journal.add('task.updated', task)
    assert.equal(journal.after(start), null)
    assert.deepEqual(journal.after(journal.lastId), [])
  })

  test('or those of 24 hours, if that is less', () => {
    const clock = { ms: 0 }
    const journal = new Journal(() => clock.ms)
    const start = journal.lastId
    journal.add('task.updated', task)
    const second = journal.lastId
    clock.ms += eventAgeMsMax + 1
    journal.add('task.updated', task)
    assert.equal(journal.after(start), null)
    assert.equal(journal.after(second)?.length, 1)
  })

  test('knows nothing of the ids of another one', () => {
    assert.equal(new Journal().after(new Journal().lastId), null)
    for (const id of ['', '-', 'x-1', '1e3']) assert.equal(new Journal().after(id), null)
  })
})

describe('what follows a change', () => {
  /** A chain of so many tasks, its last ones changed by another agent while a feed follows; what that cost the feed. */
  async function costOf(levels: number) {
    const inner = await openStore('memory:')
    const others = new TaskTree(inner)
    const ids: string[] = []
    for (let nth = 0; nth < levels; nth++)
      ids.push((await others.create({ title: `${nth}`, parent_id: ids.at(-1) ?? null })).id)
    const store = counted(inner)
    await using feed = new TaskTree(store).feed()
    await feed.start()
    const ending = new AbortController()
    const events = feed.events(null, ending.signal)
    store.reset()
    for (const id of ids.slice(-20)) await others.update(id, { priority: 0 })
    const { seen } = await take(events, 20)
    ending.abort()
    return { seen: seen.sort(), gets: store.counts.get }
  }

  test('is as cheap on a deep chain as on a flat tree', async () => {
    const [shallow, deep] = [await costOf(20), await costOf(400)]
    assert.equal(deep.seen.length, 20)
    assert.ok(
      deep.gets <= shallow.gets + 20,
      `${deep.gets} reads, ${shallow.gets} on a short chain`,
    )
  })

  test('knows how deep tasks are after one above them was moved', async () => {
    const store = await openStore('memory:')
    const tree = new TaskTree(store)
    await using feed = tree.feed()
    const [root, top] = [await tree.create({ title: 'root' }), await tree.create({ title: 'top' })]
    const middle = await tree.create({ title: 'middle', parent_id: top.id })
    const leaf = await tree.create({ title: 'leaf', parent_id: middle.id })
    await feed.start()
    const ending = new AbortController()
    const events = feed.events(null, ending.signal)
    await tree.reparent(top.id, root.id)
    assert.deepEqual((await take(events, 1)).seen, ['task.updated top'])
    await tree.update(leaf.id, { priority: 0 })
    const { value } = await events.next()
    ending.abort()
    assert.ok(value && value.type !== 'resync')
    assert.equal(value.task.depth, 3)
  })

  test('of two moves the later one is known first: no circle is followed for ever', async () => {
    const store = await openStore('memory:')
    const others = new TaskTree(store)
    const a = await others.create({ title: 'a' })
    const b = await others.create({ title: 'b', parent_id: a.id })
    // The first move of a task that is looked at is held back until the second one is known.
    const slow = altered(store, {
      async *watch(prefix, signal) {
        const held: WatchEvent[] = []
        for await (const event of store.watch(prefix, signal)) {
          if (event.type === 'key' && event.key.endsWith(b.id) && held.length === 0)
            held.push(event)
          else {
            yield event
            if (event.type === 'key' && event.key.endsWith(a.id)) yield* held
          }
        }
      },
    })
    await using feed = new TaskTree(slow).feed()
    await feed.start()
    const ending = new AbortController()
    const events = feed.events(null, ending.signal)
    await others.reparent(b.id, null)
    await others.reparent(a.id, b.id)
    const { seen } = await take(events, 2)
    ending.abort()
    assert.deepEqual(seen.sort(), ['task.updated a', 'task.updated b'])
  })
})
