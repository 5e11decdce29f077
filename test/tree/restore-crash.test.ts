import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { limited, openStore, type Store, StoreError, type Write } from '../../src/store/index.ts'
import { TaskTree } from '../../src/tree/index.ts'
import { atEveryCrash } from '../models/crashes.ts'
import { altered } from '../store/altered.ts'
import { assertLayout } from './layout.ts'

const day = 86_400_000
const start = Date.parse('2026-01-01T00:00:00Z')
const treeOn = (store: Store, days: number, retentionDays = 30) =>
  new TaskTree(store, { now: () => start + days * day, retentionDays })

/** a(b(c d) e), all closed and old. */
async function planted(store: Store): Promise<Store> {
  const tree = treeOn(store, 0)
  const ids = new Map<string, string>()
  for (const [title, parent] of [['a'], ['b', 'a'], ['c', 'b'], ['d', 'b'], ['e', 'a']])
    ids.set(
      title as string,
      (await tree.create({ title: title as string, parent_id: ids.get(parent ?? '') ?? null })).id,
    )
  for (const id of [...ids.values()].reverse()) {
    await tree.claim(id, 'ann')
    await tree.complete(id, 'ann', { skip_review: true })
  }
  return store
}

async function hiddenOn(store: Store): Promise<string> {
  const { tasks } = await treeOn(store, 0).list({ include_deleted: true })
  return tasks.flatMap(({ title, deleted_at }) => (deleted_at === null ? [] : [title])).join('')
}

async function idOf(store: Store, title: string): Promise<string> {
  const { tasks } = await treeOn(store, 0).list({ include_deleted: true })
  return tasks.find((task) => task.title === title)?.id as string
}

async function notesOn(store: Store): Promise<string[]> {
  const notes: string[] = []
  for await (const { key } of store.list('coven/restoring')) notes.push(key)
  return notes
}

const kinds: Readonly<Record<string, () => Promise<Store>>> = {
  'with transactions': () => openStore('memory:'),
  'that commits one write at a time': async () => limited(await openStore('memory:'), 1),
}

for (const [kind, open] of Object.entries(kinds))
  describe(`on a store ${kind}`, () => {
    for (const title of ['a', 'b', 'c'])
      test(`a restoration of ${title} that dies is completed by the next run, or has not begun`, async () => {
        await atEveryCrash({
          prepare: async () => {
            const store = await planted(await open())
            await treeOn(store, 31).maintain()
            assert.equal(await hiddenOn(store), 'abcde')
            return store
          },
          operate: async (store) => treeOn(store, 32).restore(await idOf(store, title), 'bob'),
          check: async (store, isAcknowledged) => {
            const before = await hiddenOn(store)
            const { restored } = await treeOn(store, 32.01).maintain()
            const after = await hiddenOn(store)
            assert.equal(after, isAcknowledged || before !== 'abcde' ? '' : 'abcde')
            assert.equal(restored.length, before.length - after.length)
            assert.deepEqual(await notesOn(store), [])
            const { id } = await treeOn(store, 32).get(await idOf(store, title))
            assert.equal((await treeOn(store, 33).restore(id)).restored, after.length)
            assert.equal(await hiddenOn(store), '')
            await treeOn(store, 33).repair({ graceMs: 0 })
            await assertLayout(store)
          },
        })
      })

    test('a restoration during which `maintain` runs counts all that came back, whoever was first', async () => {
      for (let at = 0; ; at++) {
        await using store = await planted(await open())
        await treeOn(store, 31).maintain()
        let commits = 0
        const beside = altered(store, {
          async commit(writes) {
            if (commits++ === at) await treeOn(store, 32).maintain()
            return store.commit(writes)
          },
        })
        const { restored, restored_below } = await treeOn(beside, 32).restore(
          await idOf(store, 'b'),
          'bob',
        )
        assert.deepEqual({ restored, restored_below }, { restored: 5, restored_below: 2 }, `${at}`)
        assert.equal(await hiddenOn(store), '')
        if (commits <= at) break
      }
    })

    test('what a pass that dies hides of a family that was restored meanwhile, the next run brings back', async () => {
      for (let deaths = 1; ; deaths++) {
        await using store = await planted(await open())
        const top = await idOf(store, 'a')
        let hidden = 0
        const dying = altered(store, {
          async commit(writes) {
            if (hidden >= deaths) throw new StoreError('down', 'The store is away.', 'Try again.')
            const isFirst = writes.some(hides) && ++hidden === 1
            const result = await store.commit(writes)
            if (isFirst) await treeOn(store, 31).restore(top)
            return result
          },
        })
        const outcome = await treeOn(dying, 31)
          .maintain()
          .catch(() => null)
        // These hide nothing: what the restoration found visible is still old.
        await treeOn(store, 31.01, 0).maintain()
        assert.equal(await hiddenOn(store), '', `after ${deaths}`)
        await treeOn(store, 32, 0).maintain()
        assert.equal(await hiddenOn(store), '')
        assert.deepEqual(await notesOn(store), [])
        await treeOn(store, 32).repair({ graceMs: 0 })
        await assertLayout(store)
        if (outcome) break
      }
    })
  })

const hides = (write: Write): boolean =>
  write.type === 'update' && /"deleted_at":"/.test(new TextDecoder().decode(write.value))

test('a task that was hidden again since stays hidden, and so does what somebody has deleted', async () => {
  await using store = await planted(await openStore('memory:'))
  await treeOn(store, 31).maintain()
  const dying = altered(store, {
    async commit(writes) {
      if (writes.some(({ key }) => key.startsWith('coven/tasks/')))
        throw new StoreError('down', 'The store is away.', 'Try again.')
      return store.commit(writes)
    },
  })
  await assert.rejects(treeOn(dying, 32).restore(await idOf(store, 'b')))
  assert.equal((await notesOn(store)).length, 1)
  assert.deepEqual((await treeOn(store, 32.01).maintain()).restored, [])
  assert.equal(await hiddenOn(store), 'abcde')
  await assert.rejects(treeOn(dying, 32).restore(await idOf(store, 'b')))
  await treeOn(store, 32).delete(await idOf(store, 'b'))
  assert.deepEqual((await treeOn(store, 32.01).maintain()).restored, [])
  assert.equal(await hiddenOn(store), 'ae')
  assert.deepEqual(await notesOn(store), [])
})
