import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, test } from 'vitest'
import { directoryHash } from '../../src/plan/directory.ts'
import {
  AmbiguousSessionError,
  ChangedMeanwhileError,
  GoalAlreadySetError,
  InvalidPlanError,
  NoGoalError,
  Plans,
  ReasonMissingError,
  SessionArchivedError,
  SessionNotFoundError,
  stateOf,
  TaskNotFoundError,
} from '../../src/plan/index.ts'
import { create } from '../../src/store/index.ts'
import { onEveryStore } from '../models/stores.ts'
import { assertLayout, dump } from './layout.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-plan-')))
afterAll(() => rmSync(root, { recursive: true, force: true }))
let folders = 0
let folder: string
beforeEach(() => {
  folder = join(root, `folder-${++folders}`)
  mkdirSync(folder)
})

const told = { cmd: 'np test' }

onEveryStore('Plans', { check: assertLayout }, (ground, kind) => {
  const plans = () => new Plans(ground.store)
  const started = async () => (await plans().start(folder)).session.sid

  test('start makes one session for a directory, and says so the second time', async () => {
    const { session, isNew } = await plans().start(folder)
    assert.equal(isNew, true)
    assert.match(session.sid, /^[0-9A-HJKMNP-TV-Z]{26}$/)
    assert.deepEqual(session, {
      sid: session.sid,
      dir_path: folder,
      dir_hash: directoryHash(folder),
      state: 'active',
      created_at: session.created_at,
      archived_at: null,
      last_updated_at: session.created_at,
    })
    assert.deepEqual(await plans().start(folder), { session, isNew: false })
    const keys = [...(await dump(ground.store)).keys()]
    assert.deepEqual(keys.sort(), [
      `np/dir/${session.dir_hash}/active`,
      `np/idx/active/${session.sid}`,
      'np/meta/schema_version',
      `np/s/${session.sid}/meta`,
      `np/s/${session.sid}/meta/evt_seq`,
    ])
  })

  test('of many who start at once in one directory all get the same session', async () => {
    const all = [plans(), new Plans(await ground.open()), new Plans(await ground.open())]
    const results = await Promise.all([...all, ...all].map((each) => each.start(folder)))
    assert.equal(new Set(results.map(({ session }) => session.sid)).size, 1)
    assert.equal(results.filter(({ isNew }) => isNew).length, 1)
  })

  test('a session is found from a child, through a symbolic link, and nearest first', async () => {
    const child = join(folder, 'a/b/c')
    mkdirSync(child, { recursive: true })
    const outer = await started()
    assert.equal((await plans().find(child))?.sid, outer)
    symlinkSync(child, join(folder, 'link'))
    assert.equal((await plans().find(join(folder, 'link')))?.sid, outer)
    const inner = (await plans().start(join(folder, 'a'))).session.sid
    assert.equal((await plans().find(child))?.sid, inner)
    assert.equal((await plans().find(folder))?.sid, outer)
    assert.equal(await plans().find(root), null)
  })

  test('a directory that is not here is taken as it is named; what is no path is refused', async () => {
    const elsewhere = join(folder, 'gone', '..', 'elsewhere')
    const { session } = await plans().start(elsewhere)
    assert.equal(session.dir_path, join(folder, 'elsewhere'))
    assert.deepEqual(await plans().find(join(elsewhere, 'deep')), session)
    for (const directory of ['/a\0b', '/\ud800', `/${'x'.repeat(4096)}`])
      for (const name of ['start', 'find', 'lastArchived'] as const)
        await assert.rejects(plans()[name](directory), InvalidPlanError)
  })

  test('a goal is set once, and updated with a reason', async () => {
    const sid = await started()
    await assert.rejects(
      plans().updateGoal(sid, { title: 'x' }, { ...told, reason: 'y' }),
      NoGoalError,
    )
    await plans().setGoal(sid, { title: ' Ship ', description: 'v1' }, { cmd: 'np g s' })
    await assert.rejects(
      plans().setGoal(sid, { title: 'Ship', description: 'v1' }, told),
      GoalAlreadySetError,
    )
    await assert.rejects(plans().updateGoal(sid, { title: 'Sail' }, told), ReasonMissingError)
    await plans().updateGoal(sid, { title: 'Sail' }, { cmd: 'np g u', reason: 'scope' })
    assert.deepEqual(await plans().updateGoal(sid, { title: 'Sail' }, told), [])
    const goal = await plans().goal(sid)
    assert.deepEqual([goal?.title, goal?.description], ['Sail', 'v1'])
    const { events } = await plans().events(sid)
    const [set, updated] = events.map(({ event }) => event)
    assert.deepEqual(Object.keys(set ?? {}), ['seq', 'at', 'type', 'reason', 'cmd', 'payload'])
    assert.deepEqual([set?.type, set?.reason, set?.cmd], ['goal_set', null, 'np g s'])
    assert.deepEqual([updated?.type, updated?.reason], ['goal_updated', 'scope'])
  })

  test('tasks are added in order, each once, whatever the case of the words', async () => {
    const sid = await started()
    const added = await plans().addTasks(
      sid,
      [
        { title: 'One' },
        { title: 'Two', description: 'second' },
        { title: ' one ' },
        { title: 'Three' },
      ],
      told,
    )
    assert.deepEqual(
      added.map(({ seq }) => seq),
      [1, 2, 3],
    )
    assert.deepEqual(
      await plans().addTasks(sid, [{ title: 'TWO', description: 'Second' }], told),
      [],
    )
    const { tasks } = await plans().plan(sid)
    assert.deepEqual(
      tasks.map(({ title, status, created_seq }) => [title, status, created_seq]),
      [
        ['One', 'pending', 1],
        ['Two', 'pending', 2],
        ['Three', 'pending', 3],
      ],
    )
    assert.ok(tasks.every(({ id }) => /^[0-9a-f]{6}$/.test(id)))
  })

  test('status, title and description change, with a reason where one is due', async () => {
    const sid = await started()
    await plans().addTasks(sid, [{ title: 'One' }, { title: 'Two' }], told)
    const [one, two] = (await plans().plan(sid)).tasks.map(({ id }) => id) as [string, string]
    await plans().updateTasks(sid, [{ id: one, status: 'doing' }], told)
    for (const status of ['failed', 'cancel'])
      await assert.rejects(
        plans().updateTasks(sid, [{ id: one, status }], told),
        ReasonMissingError,
      )
    await assert.rejects(
      plans().updateTasks(sid, [{ id: one, title: 'Uno' }], told),
      ReasonMissingError,
    )
    const both = await plans().updateTasks(sid, [{ id: one, title: 'Uno', status: 'failed' }], {
      ...told,
      reason: 'why',
    })
    assert.deepEqual(
      both.map(({ event }) => event.type),
      ['task_updated', 'task_status_changed'],
    )
    await plans().updateTasks(
      sid,
      [
        { id: one, status: 'pending' },
        { id: two, status: 'completed' },
      ],
      told,
    )
    assert.deepEqual(await plans().updateTasks(sid, [{ id: two, status: 'done' }], told), [])
    assert.deepEqual(
      (await plans().tasks(sid, 'pending')).map(({ title }) => title),
      ['Uno'],
    )
    // The original words are still the same task.
    assert.deepEqual(await plans().addTasks(sid, [{ title: 'One' }], told), [])
  })

  test('a change that is for one state only is refused in any other, and changes nothing', async () => {
    const sid = await started()
    const because = { ...told, reason: 'because' }
    await plans().setGoal(sid, { title: 'Goal' }, told)
    const [added] = await plans().addTasks(sid, [{ title: 'Task' }], told)
    assert.ok(added?.event.type === 'task_added')
    const { id } = added.event.payload.task
    const task = await plans().task(sid, id.toUpperCase())
    assert.deepEqual(task, added.event.payload.task)
    const goal = (await plans().goal(sid)) ?? assert.fail('it was set')
    const [onGoal, onTask] = [{ state: stateOf(goal) }, { id, state: stateOf(task) }]
    // Two events, of which the first makes another state.
    const both = { ...onTask, title: 'Other task', status: 'done' }
    assert.equal((await plans().updateTasks(sid, [both], because)).length, 2)
    assert.equal((await plans().updateGoal(sid, { ...onGoal, title: 'Other' }, because)).length, 1)
    for (const change of [
      () => plans().updateTasks(sid, [both], because),
      () => plans().updateTasks(sid, [{ ...onTask, status: 'done' }], because),
      () => plans().updateGoal(sid, { ...onGoal, title: 'Third' }, because),
    ])
      await assert.rejects(change, ChangedMeanwhileError)
    assert.equal((await plans().events(sid)).total, 5)
    await assert.rejects(plans().task(sid, 'abcdef'), TaskNotFoundError)
    await assert.rejects(plans().task(sid, 'abc'), InvalidPlanError)
  })

  test('a batch with one task that is not there changes nothing', async () => {
    const sid = await started()
    await plans().addTasks(sid, [{ title: 'One' }], told)
    const [{ id }] = (await plans().plan(sid)).tasks as unknown as [{ id: string }]
    const batch = [
      { id, status: 'done' },
      { id: 'ffffff', status: 'done' },
    ]
    await assert.rejects(plans().updateTasks(sid, batch, told), TaskNotFoundError)
    assert.equal((await plans().events(sid)).total, 1)
  })

  test('an archived session is read, not changed; its directory is free again', async () => {
    const sid = await started()
    await plans().addTasks(sid, [{ title: 'One' }], told)
    const { session, changed } = await plans().archive(sid)
    assert.deepEqual(
      [session.state, changed, session.archived_at],
      ['archived', true, session.last_updated_at],
    )
    assert.equal((await plans().archive(sid)).changed, false)
    await assert.rejects(plans().addTasks(sid, [{ title: 'Two' }], told), SessionArchivedError)
    assert.equal(await plans().find(folder), null)
    assert.equal((await plans().plan(sid)).tasks.length, 1)
    const next = await plans().start(folder)
    assert.deepEqual([next.isNew, next.session.sid !== sid], [true, true])
    const { sessions, total } = await plans().list()
    assert.deepEqual([sessions.map((one) => one.session.sid), total], [[next.session.sid, sid], 2])
  })

  test('a session is found by the start of its id', async () => {
    const sid = await started()
    assert.equal((await plans().session(sid.toLowerCase())).sid, sid)
    const other = (await plans().start(root)).session.sid
    await assert.rejects(plans().session(sid.slice(0, 5)), (error) => {
      assert.ok(error instanceof AmbiguousSessionError)
      assert.deepEqual([...error.candidates].sort(), [sid, other].sort())
      return true
    })
    await assert.rejects(plans().session('00'), SessionNotFoundError)
    await assert.rejects(plans().session('not an id'), InvalidPlanError)
    await plans().archive(other)
  })

  test('writers at once never lose an event, leave a gap or repeat a number', async () => {
    const sid = await started()
    const clients = [plans(), new Plans(await ground.open()), new Plans(await ground.open())]
    const rounds = kind.startsWith('s3') ? 2 : 6
    await Promise.all(
      clients.map(async (client, at) => {
        for (let round = 0; round < rounds; round++) {
          const [added] = await client.addTasks(sid, [{ title: `task ${at} ${round}` }], told)
          const id = added?.event.type === 'task_added' ? added.event.payload.task.id : ''
          await client.updateTasks(sid, [{ id, status: round % 2 ? 'done' : 'doing' }], told)
        }
      }),
    )
    const { total } = await plans().events(sid)
    assert.equal(total, clients.length * rounds * 2)
  })

  test('repair finds nothing wrong where nothing is, and mends what is', async () => {
    const sid = await started()
    await plans().addTasks(sid, [{ title: 'One' }, { title: 'Two' }], told)
    const [{ id }] = (await plans().plan(sid)).tasks as unknown as [{ id: string }]
    assert.deepEqual(await plans().repair(), { sessions: 1, events: 2, mended: 0, left: [] })
    for (const key of [
      `np/s/${sid}/idx/status/pending/${id}`,
      `np/s/${sid}/task/${id}`,
      `np/idx/active/${sid}`,
    ]) {
      const entry = await ground.store.get(key)
      if (entry) await ground.store.commit([{ type: 'remove', ...entry }])
    }
    await ground.store.commit([create(`np/s/${sid}/idx/status/failed/${id}`, new Uint8Array())])
    const { mended, left } = await plans().repair({ graceMs: 0 })
    assert.deepEqual([mended >= 4, left], [true, []])
  })
})
