import assert from 'node:assert/strict'
import { beforeAll, describe, test } from 'vitest'
import { counted, limited, openStore, type Store, type StoreCounts } from '../../src/store/index.ts'
import { TaskTree } from '../../src/tree/index.ts'
import { atEveryCrash } from '../models/crashes.ts'
import { sized } from '../size.ts'
import { assertLayout } from './layout.ts'
import { depth, idOf, plant, planted } from './planted.ts'

/** What costs the same for ten times as many does not grow; `npm run soak -- tree` and the benchmark have more. */
const [few, many] = [2_000, sized(10_000, 100_000)]

describe('what an operation costs does not grow with the tree', () => {
  let small: Store
  let large: Store
  beforeAll(async () => {
    small = await planted(few)
    large = await planted(many)
  })

  /** The same for few and many tasks, which is then answered. */
  async function cost(operate: (tree: TaskTree) => Promise<unknown>): Promise<StoreCounts> {
    const [few, many] = [counted(small), counted(large)]
    for (const store of [few, many]) await operate(new TaskTree(store))
    assert.deepEqual(many.counts, few.counts)
    return { ...many.counts }
  }

  test('ready: what it gives and the parents of that, whatever else is open, closed or claimed', async () => {
    const { get, list, entries, commit } = await cost(async (tree) => {
      const { tasks } = await tree.ready({ limit: 100 })
      assert.equal(tasks.length, 100)
    })
    // The register; each candidate, its parent, and one child of each parent that is passed over.
    assert.ok(get <= 1 + 3 * 200, `${get} gets`)
    // Each candidate is asked for its children, where the unfinished are too many to be listed at once.
    assert.ok(list <= 6 + 200 && entries <= 1_000 + 2 * 200, `${list} lists, ${entries} entries`)
    assert.equal(commit, 0)
  })

  test('ready does not look at the closed children of what it gives', async () => {
    const counts = []
    for (const closed of [10, sized(1_000, 20_000)]) {
      const store = await openStore('memory:')
      await plant(store, closed + 1, (n) =>
        n === 0 ? { parent: null } : { parent: 0, status: 'closed' },
      )
      const watched = counted(store)
      const { tasks } = await new TaskTree(watched).ready({}, { withTotal: true })
      assert.deepEqual(
        tasks.map(({ id }) => id),
        [idOf(0)],
      )
      counts.push({ ...watched.counts })
    }
    assert.deepEqual(counts[0], counts[1])
  })

  test('ready with its total', async () => {
    const { tasks, total } = await new TaskTree(large).ready({ limit: 1 }, { withTotal: true })
    assert.equal(tasks.length, 1)
    const { tasks: all } = await new TaskTree(large).ready({ limit: Number.POSITIVE_INFINITY })
    assert.equal(total, all.length)
  })

  test('ready with a total up to a bound: no more is read than that', async () => {
    for (const filter of [{}, { priority: [2] }]) {
      const { get, entries } = await cost(async (tree) => {
        const options = { withTotal: true, countMax: 200 }
        const { tasks, total, hasMore } = await tree.ready({ limit: 10, ...filter }, options)
        assert.deepEqual([tasks.length, total, hasMore], [10, null, true])
      })
      assert.ok(get <= 3 * 300 && entries <= 1_000 + 2 * 300, `${get} gets, ${entries} entries`)
    }
    const options = { withTotal: true, countMax: 5_000 }
    const few = await new TaskTree(small).ready({ limit: 10 }, options)
    const all = await new TaskTree(small).ready({ limit: Number.POSITIVE_INFINITY })
    assert.equal(few.total, all.tasks.length)
  })

  test(`claim of a task ${depth} levels deep, and release`, async () => {
    const leaf = idOf(depth)
    const claim = await cost((tree) => tree.claim(leaf, 'ann'))
    // The task and its ancestors, the shape before and after, the task and its marks as they are swapped.
    assert.ok(claim.get <= depth + 1 + 2 + 4, JSON.stringify(claim))
    assert.deepEqual([claim.commit, claim.list, claim.scan], [1, 0, 0])
    const release = await cost((tree) => tree.release(leaf, 'ann'))
    assert.deepEqual([release.commit, release.list, release.scan], [1, 0, 0])
  })

  test('children, get, create and reparent', async () => {
    const parent = idOf(depth + 1)
    const children = await cost((tree) => tree.children(parent))
    assert.deepEqual([children.list, children.entries], [1, 9])
    const get = await cost((tree) => tree.get(idOf(depth)))
    assert.deepEqual([get.get, get.list], [depth + 1, 0])
    await cost(async (tree) => {
      const { id } = await tree.create({ title: 'one more', parent_id: idOf(depth) })
      await tree.reparent(id, parent)
      await tree.delete(id)
    })
  })

  test('a subtree costs what it holds', async () => {
    const { get, list } = await cost((tree) => tree.subtree(idOf(depth + 1)))
    assert.ok(get <= 10 + 4 && list <= 10, `${get} gets, ${list} lists`)
  })
})

test('a bulk change of tasks below each other reads each ancestor once', async () => {
  const levels = 2_000
  const ids = Array.from({ length: 1_000 }, (_, n) => idOf(levels - 1 - n))
  for (const request of [
    { action: 'set_priority', priority: 1 },
    { action: 'add_tags', tags: ['new'] },
    { action: 'remove_tags', tags: ['old'] },
    { action: 'close' },
  ] as const) {
    await using store = counted(await openStore('memory:'))
    await plant(store, levels, (n) => ({
      parent: n === 0 ? null : n - 1,
      tags: ['old'],
      status: request.action === 'close' ? 'pending_merge' : 'open',
    }))
    store.reset()
    const results = await new TaskTree(store).bulk({ ...request, task_ids: ids })
    assert.ok(results.every((each) => each.success && each.changed))
    // Each task four times: whether it is there, the shape, and to swap it with its marks; each ancestor once.
    assert.ok(store.counts.get <= levels + 5 * ids.length, `${store.counts.get} gets`)
  }
})

test('what retention removes costs the same, however many tasks are active', async () => {
  const gets: number[] = []
  for (const active of [1, 300]) {
    await using store = counted(await openStore('memory:'))
    await plant(store, 200 + 2 * active, (n) => {
      if (n < 200) return { parent: null, status: 'closed', hiddenDay: 40 }
      return n % 2 === 0 ? { parent: null } : { parent: n - 1, status: 'in_progress' }
    })
    store.reset()
    const kept = { retentionDays: 0, claimTimeoutMs: Number.MAX_SAFE_INTEGER }
    const { hardDeleted } = await new TaskTree(store, kept).maintain()
    assert.equal(hardDeleted.length, 200)
    gets.push(store.counts.get)
  }
  const [few, many] = gets as [number, number]
  // All that is active is looked at once, for claims that are stale.
  assert.ok(many <= few + 2 * 300, `${few} gets, then ${many}`)
})

const descendants = sized(1_000, 5_000)

test(`reparent of ${descendants} descendants is one commit of the task, and survives a crash at every write`, async () => {
  const prepare = async () => {
    const store = limited(await openStore('memory:'), 1)
    const tree = new TaskTree(store)
    const [from, to, top] = [
      await tree.create({ title: 'from' }),
      await tree.create({ title: 'to' }),
      await tree.create({ title: 'top' }),
    ]
    await tree.reparent(top.id, from.id)
    return { store, tree, to: to.id, top: top.id }
  }
  const { store, tree, to, top } = await prepare()
  await Promise.all(
    Array.from({ length: descendants }, (_, n) => tree.create({ title: `t${n}`, parent_id: top })),
  )
  const watched = counted(store)
  const moved = await new TaskTree(watched).reparent(top, to)
  assert.equal(moved.parent_id, to)
  // The register twice, the task, its new and its old place among the children and the unfinished, the change before.
  assert.ok(watched.counts.commit <= 8, JSON.stringify(watched.counts))
  const node = await tree.subtree(to)
  assert.equal(node.children[0]?.children.length, descendants)
  assert.ok(node.children[0]?.children.every((child) => child.depth === 2))
  let parts = await prepare()
  await atEveryCrash({
    prepare: async () => {
      parts = await prepare()
      await parts.tree.create({ title: 'leaf', parent_id: parts.top })
      return parts.store
    },
    operate: (dying) => new TaskTree(dying).reparent(parts.top, parts.to),
    check: async (left) => {
      const { depth: levels } = await new TaskTree(left).get(parts.top)
      assert.equal(levels, 1)
      await new TaskTree(left).repair({ graceMs: 0 })
      await assertLayout(left)
    },
  })
})
