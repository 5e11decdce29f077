import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import {
  counted,
  limited,
  openStore,
  type Store,
  update,
  type Write,
} from '../../src/store/index.ts'
import { TaskTree } from '../../src/tree/index.ts'
import { idOf, plant } from './planted.ts'

const levels = 500

const planted = async (store: Store): Promise<TaskTree> => {
  await plant(store, levels, (n) => ({ parent: n === 0 ? null : n - 1, tags: ['deep'] }))
  return new TaskTree(store)
}

/** What is left of the tree in the store, but for what says how it is shaped. */
async function leftIn(store: Store): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of store.list('coven')) if (!key.includes('/meta/')) keys.push(key)
  return keys
}

describe(`a chain of ${levels} levels is deleted`, () => {
  test('in a commit for every hundred or so where the store has room, not in one a level', async () => {
    await using store = counted(await openStore('memory:'))
    const tree = await planted(store)
    for (const n of [3, 250]) await tree.update(idOf(n), { title: `Changed ${n}` })
    store.reset()
    assert.equal((await tree.delete(idOf(0))).descendants.length, levels - 1)
    assert.ok(store.counts.commit < levels / 20, `${store.counts.commit} commits`)
    assert.deepEqual(await leftIn(store), [])
  })

  test('wholly where a commit holds little', async () => {
    for (const commitWritesMax of [1, 3, 12]) {
      await using store = await openStore('memory:')
      await planted(store)
      await new TaskTree(limited(store, commitWritesMax)).delete(idOf(0))
      assert.deepEqual(await leftIn(store), [])
    }
  })

  test('wholly and from below where others change it or remove it meanwhile', async () => {
    await using memory = await openStore('memory:')
    const tree = await planted(memory)
    let batches = 0
    const commit: Store['commit'] = async (writes) => {
      const isBatch = writes.length > 100
      if (isBatch) batches++
      if (isBatch && batches <= 2) await touch(memory, writes)
      if (isBatch && batches === 4) await new TaskTree(memory).maintain()
      const result = await memory.commit(writes)
      if (isBatch) await assertRooted(memory)
      return result
    }
    const meddled = new Proxy(memory, {
      get(target, name) {
        const member = name === 'commit' ? commit : Reflect.get(target, name, target)
        return typeof member === 'function' ? member.bind(target) : member
      },
    })
    await new TaskTree(meddled).delete(idOf(0))
    assert.ok(batches >= 4, `${batches} batches`)
    assert.deepEqual(await leftIn(memory), [])
    assert.equal((await tree.list()).total, 0)
  })
})

/** Writes the first two tasks of a batch as they are: the batch has seen neither. */
async function touch(store: Store, writes: readonly Write[]): Promise<void> {
  for (const { key } of writes.filter((each) => each.key.startsWith('coven/tasks/')).slice(0, 2)) {
    const entry = await store.get(key)
    if (entry) await store.commit([update(entry, entry.value)])
  }
}

/** Whatever is left still has its parent. */
async function assertRooted(store: Store): Promise<void> {
  const there = new Set<string>()
  const parents: (string | null)[] = []
  for await (const { key, value } of store.scan('coven/tasks')) {
    there.add(key.slice('coven/tasks/'.length))
    parents.push(JSON.parse(Buffer.from(value).toString()).parent_id ?? null)
  }
  for (const parent of parents) assert.ok(parent === null || there.has(parent))
}
