import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { describe, test } from 'vitest'
import { create, limited, type Store } from '../../src/store/index.ts'
import { TaskTree } from '../../src/tree/index.ts'
import { atEveryCrash, copiesOf } from '../models/crashes.ts'
import { assertLayout, assertNothingMissed } from './layout.ts'

const start = Date.parse('2026-01-01T00:00:00Z')
const month = 31 * 86_400_000
const treeOn = (store: Store, ms = start) =>
  new TaskTree(store, { now: () => ms, selectGrimoire: () => 'g' })

/** a(b(c d) e), f closed, g(h) hidden by retention; d was claimed and released. */
async function plant(store: Store): Promise<void> {
  const tree = treeOn(store)
  const ids = new Map<string, string>()
  for (const [title, parent] of ['a', 'ba', 'cb', 'db', 'ea', 'f', 'g', 'hg'].map((s) => [...s])) {
    const parent_id = parent ? (ids.get(parent) as string) : null
    ids.set(
      title as string,
      (await tree.create({ title: title as string, parent_id, tags: ['t'] })).id,
    )
  }
  const id = (title: string) => ids.get(title) as string
  await tree.claim(id('d'), 'ann')
  await tree.release(id('d'), 'ann')
  for (const title of ['f', 'g', 'h']) {
    await tree.claim(id(title), 'ann')
    await tree.complete(id(title), 'ann', { skip_review: true })
  }
  await treeOn(store, start + month).maintain()
  await tree.restore(id('f'))
}

const oneByOne = (store: Store): Store => limited(store, 1)
const plantedAtOnce = copiesOf(plant)
const plantedOneByOne = copiesOf((store) => plant(oneByOne(store)))

const prepare = async (isAtomic: boolean): Promise<Store> =>
  isAtomic ? plantedAtOnce() : oneByOne(await plantedOneByOne())

/** All that readers can see but times, by title. */
async function seen(store: Store): Promise<unknown> {
  const tree = treeOn(store)
  const { tasks } = await tree.list({ include_deleted: true })
  const titleOf = new Map(tasks.map(({ id, title }) => [id, title]))
  const shown = []
  for (const task of tasks) {
    const { title, status, tags, claimed_by, depth, grimoire, deleted_at, parent_id } = task
    const history = (await tree.history(task.id)).map(({ field, old_value }) =>
      field === 'deleted_at' || field === 'parent_id' ? field : `${field} ${old_value}`,
    )
    const parent = parent_id && titleOf.get(parent_id)
    const children = (await tree.children(task.id, { includeDeleted: true })).map((c) => c.title)
    const fields = { title, status, tags, claimed_by, depth, grimoire, parent, children, history }
    shown.push({ ...fields, isHidden: deleted_at !== null })
  }
  const ready = (await tree.ready()).tasks.map(({ title }) => title)
  return { shown, ready }
}

type Operate = (tree: TaskTree, id: (title: string) => string, store: Store) => Promise<unknown>
const operations: Readonly<Record<string, Operate>> = {
  create: (tree, id) => tree.create({ title: 'z', parent_id: id('c'), tags: ['t', 'u'] }),
  update: (tree, id) => tree.update(id('c'), { title: 'c', body: 'more', priority: 0 }),
  'claim with tags': (tree, id) => tree.claim(id('d'), 'bob', { tags: ['u', 'v'] }),
  'complete, after a claim': async (tree, id) => tree.setStatus(id('c'), 'in_progress', 'ann'),
  reparent: (tree, id) => tree.reparent(id('b'), id('e'), 'bob'),
  'reparent to the top': (tree, id) => tree.reparent(id('d'), null),
  'delete of a leaf': (tree, id) => tree.delete(id('d')),
  'delete of a tree': (tree, id) => tree.delete(id('a')),
  'hiding by retention': (_, __, store) => treeOn(store, start + 2).maintain(),
  repair: (tree) => tree.repair({ graceMs: 0 }),
}

const idsOn = async (store: Store) => {
  const { tasks } = await treeOn(store).list({ include_deleted: true })
  return (title: string) => tasks.find((task) => task.title === title)?.id as string
}

for (const [kind, isAtomic] of [
  ['that commits one write at a time', false],
  ['with transactions', true],
] as const)
  describe(`a crash at every write, on a store ${kind}`, () => {
    for (const [name, operate] of Object.entries(operations))
      test(`${name}: readers see all of it or nothing, and repair brings the exact truth`, async () => {
        await using whole = await prepare(isAtomic)
        const before = await seen(whole)
        await operate(treeOn(whole, start + 1), await idsOn(whole), whole)
        const after = await seen(whole)
        await atEveryCrash({
          prepare: () => prepare(isAtomic),
          operate: async (store) => operate(treeOn(store, start + 1), await idsOn(store), store),
          check: async (store, isAcknowledged) => {
            await assertNothingMissed(store)
            const now = await seen(store)
            if (isAcknowledged) assert.deepEqual(now, after)
            else
              assert.ok(
                [before, after].some((state) => isDeepStrictEqual(state, now)),
                JSON.stringify(now),
              )
            await treeOn(store).repair({ graceMs: 0 })
            // What was begun but never answered may be completed.
            const mended = await seen(store)
            assert.ok([now, after].some((state) => isDeepStrictEqual(state, mended)))
            await assertLayout(store)
          },
        })
      })

    test('restore: what a crash leaves hidden of a family, repeating it brings back, or else the next run', async () => {
      const late = start + 2 * month
      // By then the restoration is not taken to be alive any more.
      const later = late + 6 * 60_000
      const hiddenOf = async (store: Store) => {
        const { tasks } = await treeOn(store).list({ include_deleted: true })
        // The run hides what else is due by then.
        const hidden = tasks.filter(({ deleted_at, title }) => deleted_at !== null && title !== 'f')
        return hidden.map(({ title }) => title)
      }
      await atEveryCrash({
        prepare: () => prepare(isAtomic),
        operate: async (store) => treeOn(store, late).restore((await idsOn(store))('g')),
        check: async (store, isAcknowledged) => {
          await assertNothingMissed(store)
          const hidden = await hiddenOf(store)
          if (isAcknowledged) assert.deepEqual(hidden, [])
          await treeOn(store).repair({ graceMs: 0 })
          if (hidden.length === 1) await treeOn(store, later).maintain()
          else await treeOn(store, late).restore((await idsOn(store))('g'))
          assert.deepEqual(await hiddenOf(store), [])
          await assertLayout(store)
        },
      })
    })

    test('hard deletion: each tree goes whole or stays, and the next run does the rest', async () => {
      const late = start + 2 * month
      await atEveryCrash({
        prepare: () => prepare(isAtomic),
        operate: (store) => treeOn(store, late).maintain(),
        check: async (store) => {
          const titles = async () =>
            (await treeOn(store).list({ include_deleted: true })).tasks.map(({ title }) => title)
          assert.equal((await titles()).includes('h'), (await titles()).includes('g'))
          await treeOn(store, late).maintain()
          await treeOn(store).repair({ graceMs: 0 })
          assert.ok(!(await titles()).includes('g') && (await titles()).includes('a'))
          await assertLayout(store)
        },
      })
    })
  })

test('what a deletion left behind, the next one removes', async () => {
  await atEveryCrash({
    prepare: () => prepare(true),
    operate: async (store) => treeOn(store).delete((await idsOn(store))('a')),
    check: async (store) => {
      await treeOn(store).delete((await idsOn(store))('f'))
      await assertLayout(store)
    },
  })
})

test('a register that somebody spoiled holds up nobody', async () => {
  await using store = await prepare(true)
  await store.commit([create('coven/meta/structure', new TextEncoder().encode('{'))])
  const [tree, id] = [treeOn(store), await idsOn(store)]
  await tree.claim(id('d'), 'ann')
  await tree.reparent(id('b'), id('e'))
  await assertLayout(store)
})
