import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, test } from 'vitest'
import { type PlanChange, Plans } from '../../src/plan/internal.ts'
import { counted, update } from '../../src/store/index.ts'
import { nextMillisecond } from '../eventually.ts'
import { onEveryStore } from '../models/stores.ts'
import { assertLayout } from './layout.ts'

const folder = mkdtempSync(join(tmpdir(), 'holdfast-reader-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const told = { cmd: 'np test' }
const titled = (...titles: string[]) => titles.map((title) => ({ title }))

onEveryStore('SessionReader', { check: assertLayout }, (ground) => {
  test('reads a session piece by piece', async () => {
    const plans = new Plans(ground.store)
    const { session } = await plans.start(folder)
    const reader = plans.reader(session.sid)
    assert.deepEqual([await reader.session(), await reader.goal()], [session, null])
    await plans.setGoal(session.sid, { title: 'Ship' }, told)
    await plans.addTasks(session.sid, titled('One', 'Two', 'Three'), told)
    const { goal, tasks } = await plans.plan(session.sid)
    assert.deepEqual(await reader.goal(), goal)
    const ids = tasks.map(({ id }) => id)
    assert.deepEqual(await reader.tasks([ids[2]!, 'ffffff', ids[0]!]), [tasks[2], tasks[0]])
    const all = await reader.tasks('all')
    assert.deepEqual(all.map(({ id }) => id).sort(), ids.sort())
    assert.equal(await plans.reader('01M7G0S0X0WMWM2QNYQ8ZY3JSC').session(), null)
  })

  test('reads events by their numbers, without a list of all', async () => {
    const plans = new Plans(ground.store)
    const { sid } = (await plans.start(folder)).session
    await plans.addTasks(sid, titled('One', 'Two', 'Three', 'Four'), told)
    const store = counted(ground.store)
    const reader = new Plans(store).reader(sid)
    const ranges: readonly [number, number, number[]][] = [
      [2, 3, [2, 3]],
      [3, 99, [3, 4]],
      [-5, 1, [1]],
      [1, 0, []],
      [9, 12, []],
    ]
    for (const [first, last, expected] of ranges) {
      const { events, total } = await reader.events(first, last)
      assert.deepEqual([events.map(({ seq }) => seq), total], [expected, 4])
    }
    const { list, scan } = store.counts
    assert.deepEqual({ list, scan }, { list: 0, scan: 0 })
    const { events } = await plans.events(sid)
    assert.deepEqual((await reader.events(1, 4)).events, events)
    const key = `np/s/${sid}/evt/${'3'.padStart(16, '0')}`
    const entry = (await ground.store.get(key))!
    const cut = await ground.store.commit([update(entry, entry.value.subarray(0, 9))])
    const [, , third] = (await reader.events(1, 4)).events
    assert.ok(third?.event === null && third.problem.length > 0)
    const revision = cut.ok ? (cut.revisions[0] as string) : ''
    await ground.store.commit([update({ key, revision }, entry.value)])
  })

  test('hints at what has changed, and at nothing that only follows from it', async () => {
    const plans = new Plans(ground.store)
    const { sid } = (await plans.start(folder)).session
    const end = new AbortController()
    const changes = plans.reader(sid).changes(end.signal)
    assert.deepEqual((await changes.next()).value, { part: 'all' })
    // What happens in the millisecond of its beginning leaves a session as it is.
    await nextMillisecond()
    await plans.setGoal(sid, { title: 'Ship' }, told)
    await plans.addTasks(sid, titled('One'), told)
    const [task] = (await plans.plan(sid)).tasks
    const expected = new Set(['session', 'goal', 'events', `task ${task?.id}`])
    const seen = new Set<string>()
    while (seen.size < expected.size) seen.add(named((await changes.next()).value as PlanChange))
    assert.deepEqual(seen, expected)
    end.abort()
    await changes.return(undefined)
  })

  test('sessions are listed from an offset', async () => {
    const plans = new Plans(ground.store)
    const sids: string[] = []
    for (let at = 0; at < 4; at++) {
      const { sid } = (await plans.start(folder)).session
      sids.unshift(sid)
      if (at < 3) await plans.archive(sid)
    }
    const page = async (limit: number, offset: number) => {
      const { sessions, total } = await plans.list(limit, offset)
      return [sessions.map(({ session }) => session.sid), total]
    }
    assert.deepEqual(await page(2, 0), [sids.slice(0, 2), 4])
    assert.deepEqual(await page(2, 1), [sids.slice(1, 3), 4])
    assert.deepEqual(await page(9, 3), [sids.slice(3), 4])
    assert.deepEqual(await page(9, 4), [[], 4])
  })
})

const named = (change: PlanChange): string =>
  change.part === 'task' ? `task ${change.id}` : change.part
