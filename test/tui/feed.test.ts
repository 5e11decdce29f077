import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, test } from 'vitest'
import { Plans } from '../../src/plan/index.ts'
import { counted, update } from '../../src/store/index.ts'
import { onEveryStore } from '../models/stores.ts'
import { assertLayout } from '../plan/layout.ts'
import { command, numbers } from './states.ts'
import { until, Watched } from './watched.ts'

const folder = mkdtempSync(join(tmpdir(), 'holdfast-tui-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const told = { cmd: 'np test' }
const kinds = ['memory', 'limited(memory, 1)', 'sqlite', 'nats']

onEveryStore('The feed', { check: assertLayout, kinds }, (ground) => {
  /** Another process that works in a new session. */
  async function agent() {
    const plans = new Plans(await ground.open())
    const { sid } = (await plans.start(folder)).session
    const add = (...titles: string[]) =>
      plans.addTasks(
        sid,
        titles.map((title) => ({ title })),
        told,
      )
    return { plans, sid, add }
  }

  test('changes that another opener makes appear', async () => {
    const { plans, sid, add } = await agent()
    await add('One')
    using watched = new Watched(new Plans(ground.store), sid)
    await watched.loaded()
    assert.deepEqual(watched.titles, ['One'])
    await add('Two', 'Three')
    await until('Three', () => watched.titles.includes('Three'))
    assert.deepEqual(watched.titles, ['One', 'Two', 'Three'])
    await plans.setGoal(sid, { title: 'Ship' }, told)
    await until('goal', () => watched.state.session?.goal?.title === 'Ship')
    const { id } = watched.state.session!.tasks[1]!
    await plans.updateTasks(sid, [{ id, status: 'done' }], told)
    await until('task done', () => watched.state.session?.tasks[1]?.status === 'completed')
    // On some stores what was done is there before it is told of.
    await until('fifth event', () => watched.state.session?.events.get(5))
    assert.equal(watched.state.session?.total, 5)
    assert.deepEqual([...watched.state.session!.events.keys()], [1, 2, 3, 4, 5])
    const archived = (await plans.archive(sid)).session
    await until('end', () => watched.state.session?.session?.state === 'archived')
    assert.deepEqual(watched.state.session?.session, archived)
  })

  test('after a change only what has changed is read again', async () => {
    const { plans, sid } = await agent()
    for (const at of numbers(2))
      await plans.addTasks(
        sid,
        numbers(150, at * 1000).map((number) => ({ title: `Task ${number}` })),
        told,
      )
    const store = counted(ground.store)
    using watched = new Watched(new Plans(store), sid)
    await watched.loaded()
    const { id } = watched.state.session!.tasks[150]!
    store.reset()
    await plans.updateTasks(sid, [{ id, status: 'doing' }], told)
    await until('task in progress', () => watched.state.session?.tasks[150]?.status !== 'pending')
    const { get, scan, list, entries } = store.counts
    // Session, task, the event with the end of the log; again where news came in two parts, and a heartbeat.
    assert.ok(get <= 24, `${get} gets`)
    assert.deepEqual({ scan, list, entries }, { scan: 0, list: 0, entries: 0 })
  })

  test('older events are read when they come into view', async () => {
    const { sid, add } = await agent()
    for (const at of numbers(3)) await add(...numbers(150, at * 1000).map(String))
    using watched = new Watched(new Plans(ground.store), sid)
    await watched.loaded()
    assert.deepEqual([watched.state.session?.total, watched.state.session?.events.size], [450, 200])
    for (const each of ['other-pane', 'first'] as const) watched.controller.dispatch(command(each))
    await until('first event', () => watched.state.session?.events.get(1)?.event)
    assert.ok(watched.state.session!.events.size < 300)
  })

  test('a goal that can not be read is told of, and the rest is shown', async () => {
    const { plans, sid, add } = await agent()
    await plans.setGoal(sid, { title: 'Ship' }, told)
    await add('One')
    const entry = (await ground.store.get(`np/s/${sid}/goal`))!
    const broken = await ground.store.commit([update(entry, new TextEncoder().encode('{'))])
    using watched = new Watched(new Plans(ground.store), sid)
    await watched.loaded()
    assert.match(watched.state.session?.problem ?? '', /goal of session .* is corrupt/)
    assert.deepEqual(watched.titles, ['One'])
    const revision = broken.ok ? (broken.revisions[0] as string) : ''
    await ground.store.commit([update({ key: entry.key, revision }, entry.value)])
    await until('goal', () => watched.state.session?.goal && !watched.state.session.problem)
  })

  test('a session that is not there is told of', async () => {
    using watched = new Watched(new Plans(ground.store), '01M7G0S0X0WMWM2QNYQ8ZY3JSC')
    const problem = await until('problem', () => watched.state.session?.problem)
    assert.match(problem, /no session 01M7G0/)
  })

  test('an archived session tells of the new one of its directory, which opens', async () => {
    const { plans, sid, add } = await agent()
    await add('One')
    using watched = new Watched(new Plans(ground.store), sid)
    await watched.loaded()
    const { dir_path } = await plans.session(sid)
    await plans.archive(sid)
    await until('end', () => watched.state.session?.session?.state === 'archived')
    assert.equal(watched.state.session?.successor, null)
    const next = (await plans.start(dir_path)).session.sid
    await until('successor', () => watched.state.session?.successor === next)
    watched.controller.dispatch(command('successor'))
    await watched.loaded()
    assert.deepEqual([watched.state.session?.sid, watched.titles], [next, []])
  })

  test('the list of sessions is read page by page, and opens one', async () => {
    const { plans, sid, add } = await agent()
    await add('One')
    for (let at = 0; at < 8; at++) {
      const { session } = await plans.start(tmpdir())
      await plans.archive(session.sid)
    }
    using watched = new Watched(new Plans(ground.store), null, { columns: 80, rows: 7 })
    await until('first page', () => watched.state.picker.total === 9)
    assert.equal(watched.state.picker.rows.size, 4)
    assert.equal(watched.state.picker.rows.get(0)?.session.sid, sid)
    watched.controller.dispatch(command('last'))
    await until('last page', () => watched.state.picker.rows.get(8))
    watched.controller.dispatch(command('first'))
    watched.controller.dispatch(command('open'))
    await watched.loaded()
    assert.deepEqual(watched.titles, ['One'])
  })
})
