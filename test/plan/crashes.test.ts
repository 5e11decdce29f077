import assert from 'node:assert/strict'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, test } from 'vitest'
import { directoryHash } from '../../src/plan/directory.ts'
import { Plans } from '../../src/plan/index.ts'
import { create, limited, openStore, remove, type Store } from '../../src/store/index.ts'
import { nextMillisecond } from '../eventually.ts'
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
  // What happens within the millisecond of the last change leaves one entry of the index as it is.
  await nextMillisecond()
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

describe('repair', () => {
  const damage = async (store: Store, key: string, content: string) => {
    const entry = await store.get(key)
    if (entry) await store.commit([remove(entry)])
    await store.commit([create(key, new TextEncoder().encode(content))])
  }

  test('a corrupt goal keeps nobody from the tasks; repair restores it, or names it', async () => {
    await using store = await prepared()
    const { plans, sid, ids } = await here(store)
    const goalKey = `np/s/${sid}/goal`
    await damage(store, goalKey, '{"ti')
    await plans.updateTasks(sid, [{ id: ids[0], status: 'done' }], told)
    assert.equal((await plans.plan(sid)).goal, null)
    await assert.rejects(plans.goal(sid), /corrupt/)
    assert.deepEqual((await plans.repair({ graceMs: 0 })).left, [])
    assert.equal((await plans.goal(sid))?.title, 'Goal')
    await damage(store, `np/s/${sid}/evt/0000000000000001`, '{')
    await damage(store, goalKey, '{"ti')
    const { left } = await plans.repair({ graceMs: 0 })
    assert.match(left.join(), /Event 1 .*goal of session/)
  })

  test('a corrupt task is not added a second time', async () => {
    await using store = await prepared()
    const { plans, sid, ids } = await here(store)
    await damage(store, `np/s/${sid}/task/${ids[0]}`, '{"id":')
    assert.deepEqual(await plans.addTasks(sid, [{ title: 'One' }], told), [])
    assert.deepEqual((await plans.repair({ graceMs: 0 })).left, [])
    await assertLayout(store)
  })

  test('a number of the last event that is wrong is put right, and counted', async () => {
    await using store = await prepared()
    const { plans, sid } = await here(store)
    await damage(store, `np/s/${sid}/meta/evt_seq`, '\0\0\0\0\0\0\0\x02')
    assert.equal((await plans.repair({ graceMs: 0 })).mended, 1)
    assert.equal((await plans.repair({ graceMs: 0 })).mended, 0)
  })

  test('of two sessions in one directory the one in use stays, and both are named', async () => {
    await using store = await prepared()
    const { plans, sid } = await here(store)
    const entry = await store.get(`np/dir/${directoryHash(folder)}/active`)
    assert.ok(entry)
    await store.commit([remove(entry)])
    const other = (await plans.start(folder)).session.sid
    for (let round = 0; round < 2; round++) {
      const { mended, left } = await plans.repair({ graceMs: 0 })
      assert.equal(mended, 0)
      assert.match(left.join(), new RegExp(`${other} and ${sid}`))
      assert.equal((await plans.find(folder))?.sid, other)
    }
    await plans.archive(sid)
    assert.deepEqual((await plans.repair({ graceMs: 0 })).left, [])
    await assertLayout(store)
  })

  test('it never takes back what others append meanwhile', async () => {
    await using store = await openStore('memory:')
    const plans = new Plans(store)
    const { sid } = (await plans.start(folder)).session
    const work = async () => {
      for (let round = 0; round < 40; round++) {
        const [added] = await plans.addTasks(sid, [{ title: `task ${round}` }], told)
        const id = added?.event.type === 'task_added' ? added.event.payload.task.id : ''
        await plans.updateTasks(sid, [{ id, status: 'done' }], told)
      }
    }
    let isDone = false
    const mend = async () => {
      while (!isDone) assert.equal((await new Plans(store).repair()).mended, 0)
    }
    await Promise.all([work().finally(() => (isDone = true)), mend()])
    await assertLayout(store)
  })
})
