import assert from 'node:assert/strict'
import { beforeAll, describe, test } from 'vitest'
import { openStore, type Store } from '../../src/store/index.ts'
import { TaskTree } from '../../src/tree/index.ts'
import { leastHeldMs } from '../event-loop.ts'
import { sized } from '../size.ts'
import { idOf, plant } from './planted.ts'

/** No more than this in one turn of the event loop; the machine's own noise is not the reads'. */
const heldMsMax = 50

/** So deep that a cost that grows with its square takes minutes. */
const levels = sized(12_000, 100_000)

describe(`a chain of ${levels} levels`, () => {
  let store: Store
  let tree: TaskTree
  beforeAll(async () => {
    store = await openStore('memory:')
    await plant(store, levels, (n) => ({
      parent: n === 0 ? null : n - 1,
      tags: n % 2 === 0 ? ['even'] : [],
      status: n === levels - 1 ? 'in_progress' : 'open',
    }))
    tree = new TaskTree(store)
  }, 60_000)

  const leaf = idOf(levels - 1)
  const reads: Readonly<Record<string, () => Promise<unknown>>> = {
    list: async () => assert.equal((await tree.list({ limit: 1000 })).total, levels),
    'list by tag': async () =>
      assert.equal((await tree.list({ tag: ['even', 'even', 'odd'] })).total, levels / 2),
    'list by tag pattern': async () =>
      assert.equal((await tree.list({ tag_pattern: 'e*' })).total, levels / 2),
    'list by status': async () =>
      assert.equal((await tree.list({ status: ['open'] })).total, levels - 1),
    'list by parent': async () =>
      assert.equal(
        (await tree.list({ parent_id: [idOf(levels - 2)] })).tasks[0]?.depth,
        levels - 1,
      ),
    ready: async () => assert.deepEqual((await tree.ready({}, { withTotal: true })).total, 0),
    get: async () => assert.equal((await tree.get(leaf)).depth, levels - 1),
    'read as JSON': async () => assert.equal((await tree.read(leaf)).depth, levels - 1),
    ancestors: async () => assert.equal((await tree.ancestors(leaf)).length, levels - 1),
    children: async () => assert.equal((await tree.children(idOf(levels - 2))).length, 1),
    history: async () => assert.equal((await tree.history(leaf)).length, 1),
    subtree: async () => assert.equal((await tree.subtree(idOf(0))).children.length, 1),
    'following begins': async () => {
      await using feed = tree.feed()
      await feed.start()
    },
    'a deletion that is refused': () => assert.rejects(tree.delete(idOf(0)), /active children/),
    maintain: async () => void (await tree.maintain()),
  }
  for (const [name, read] of Object.entries(reads))
    test(`${name}: a moment for each level, and never all at once`, async () => {
      const ms = await leastHeldMs(read)
      assert.ok(ms <= heldMsMax, `held the event loop for ${ms.toFixed(0)} ms`)
    }, 60_000)
})

test('a bulk change that a store at hand answers at once gives the event loop back, too', async () => {
  const memory = await openStore('memory:')
  const busy = new Proxy(memory, {
    get(target, name) {
      const member = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      if (name !== 'get') return member.bind(target)
      return (key: string) => {
        const end = performance.now() + 0.3
        while (performance.now() < end);
        return target.get(key)
      }
    },
  })
  const unknown = Array.from({ length: 1000 }, (_, n) => idOf(n))
  const ms = await leastHeldMs(async () => {
    const request = { action: 'set_priority', priority: 1, task_ids: unknown } as const
    const results = await new TaskTree(busy).bulk(request)
    assert.ok(results.every(({ success }) => !success))
  })
  assert.ok(ms <= heldMsMax, `held the event loop for ${ms.toFixed(0)} ms`)
  await memory[Symbol.asyncDispose]()
})
