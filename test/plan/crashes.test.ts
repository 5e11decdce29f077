import assert from 'node:assert/strict'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, test } from 'vitest'
import { Plans } from '../../src/plan/index.ts'
import { create, limited, openStore, remove, type Store } from '../../src/store/index.ts'
import { atEveryCrash } from '../models/crashes.ts'
import { assertLayout, dump } from './layout.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-plan-')))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const told = { cmd: 'np test', reason: 'because' }

const empty = async (): Promise<Store> => limited(await openStore('memory:'), 1)
const prepared = async (): Promise<Store> => {
  const store = await empty()
  const plans = new Plans(store)
  const { session } = await plans.start(folder)
  await plans.setGoal(session.sid, { title: 'Goal' }, told)
  await plans.addTasks(session.sid, [{ title: 'One' }, { title: 'Two' }], told)
  return store
}

const here = async (store: Store) => {
  const plans = new Plans(store)
  const sid = (await plans.find(folder))?.sid as string
  return { plans, sid, ids: (await plans.plan(sid)).tasks.map(({ id }) => id) as [string, string] }
}

const operations: Readonly<
  Record<string, { prepare: () => Promise<Store>; operate(store: Store): Promise<unknown> }>
> = {
  's: start': { prepare: empty, operate: (store) => new Plans(store).start(folder) },
  'g u: update the goal': {
    prepare: prepared,
    operate: async (store) => {
      const { plans, sid } = await here(store)
      await plans.updateGoal(sid, { title: 'Other' }, told)
    },
  },
  't a: add three tasks': {
    prepare: prepared,
    operate: async (store) => {
      const { plans, sid } = await here(store)
      await plans.addTasks(sid, [{ title: 'Three' }, { title: 'Four' }, { title: 'One' }], told)
    },
  },
  't u: update two tasks': {
    prepare: prepared,
    operate: async (store) => {
      const { plans, sid, ids } = await here(store)
      const [one, two] = ids
      await plans.updateTasks(
        sid,
        [
          { id: one, title: 'Uno', status: 'failed' },
          { id: two, status: 'done' },
        ],
        told,
      )
    },
  },
  'a: archive': {
    prepare: prepared,
    operate: async (store) => {
      const { plans, sid } = await here(store)
      await plans.archive(sid)
    },
  },
}

describe('a crash at every write, on a store that commits one write at a time', () => {
  for (const [name, { prepare, operate }] of Object.entries(operations))
    test(`np ${name}: readers see whole documents, repeating does the rest, repair brings the truth`, async () => {
      const commits = await atEveryCrash({
        prepare,
        operate,
        check: async (store) => {
          const plans = new Plans(store)
          // Whatever was left, the next who comes finds a whole session, or none.
          const { session } = await plans.start(folder)
          await plans.plan(session.sid)
          await plans.list()
          await plans.repair({ graceMs: 0 })
          await assertLayout(store)
        },
      })
      assert.ok(commits >= 4, `only ${commits} commits`)
    })
})

describe('a truncated event', () => {
  const truncate = async (store: Store, seq: number) => {
    const { plans, sid, ids } = await here(store)
    const key = `np/s/${sid}/evt/${seq.toString(16).padStart(16, '0')}`
    const entry = await store.get(key)
    assert.ok(entry)
    await store.commit([remove(entry)])
    await store.commit([create(key, entry.value.slice(0, 40))])
    return { plans, sid, ids }
  }

  test('is named, disturbs nothing else, and is never deleted', async () => {
    await using store = await prepared()
    const { plans, sid, ids } = await truncate(store, 2)
    await plans.updateTasks(sid, [{ id: ids[0], status: 'done' }], told)
    const { events } = await plans.events(sid)
    assert.deepEqual(
      events.map(({ problem }) => problem === null),
      [true, false, true, true],
    )
    const before = await dump(store, `np/s/${sid}/task`)
    const { left, mended } = await plans.repair({ graceMs: 0 })
    assert.equal(mended, 0)
    assert.match(left.join(), /Event 2 of session/)
    assert.deepEqual(await dump(store, `np/s/${sid}/task`), before)
    // The present text stands in for the original one.
    assert.deepEqual(await plans.addTasks(sid, [{ title: 'One' }], told), [])
  })
})
