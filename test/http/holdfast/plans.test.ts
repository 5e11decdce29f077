import assert from 'node:assert/strict'
import { describe, expect, test } from 'vitest'
import { type Plan, Plans } from '../../../src/plan/index.ts'
import { type Entry, openStore, remove } from '../../../src/store/index.ts'
import { onEveryStore } from '../../models/stores.ts'
import type { Caller } from '../served.ts'
import { assertAll, directories, withDirectories } from './ground.ts'
import { plant } from './planted.ts'
import { assertAllTried, opened } from './served.ts'

withDirectories()

const started = (api: Caller, directory: string) =>
  api.done<Plan>('POST', '/api/plans', { body: { directory } })

const removal = (entry: Entry | null) => remove(entry ?? assert.fail('it is not there'))

/** The routes that name a session, by what follows its id; those that change its plan have a body. */
const namingRoutes: readonly (readonly [method: string, rest: string, body?: object])[] = [
  ['GET', ''],
  ['GET', '/goal'],
  ['GET', '/tasks/abcdef'],
  ['GET', '/events'],
  ['POST', '/archive'],
  ['POST', '/goal', { title: 'G' }],
  ['PATCH', '/goal', { title: 'H', reason: 'because' }],
  ['POST', '/tasks', { tasks: [{ title: 'T' }] }],
  ['PATCH', '/tasks', { tasks: [{ id: 'abcdef', status: 'done' }] }],
  ['PATCH', '/tasks/abcdef', { status: 'done' }],
]

/** Bodies that can never be right. */
const badBodies: readonly (readonly [method: string, rest: string, ...bodies: unknown[]])[] = [
  ['POST', '/archive', { reason: 'x' }],
  ['POST', '/goal', {}, { title: '' }, { title: '  ' }, { title: 7 }, { title: 'a\nb' }],
  ['POST', '/goal', { title: 'x'.repeat(501) }, { title: 'x', description: null }],
  ['POST', '/goal', { title: 'x', description: 'd'.repeat(70_000) }, { title: 'x', reason: 'y' }],
  ['PATCH', '/goal', { title: '' }, { title: null }, { title: 'x', reason: '' }, { goal: 'x' }],
  ['POST', '/tasks', {}, { title: 'x' }, { tasks: {} }, { tasks: ['x'] }, { tasks: [{}] }],
  ['POST', '/tasks', { tasks: [{ title: 'x', status: 'done' }] }, { tasks: [], reason: 'x' }],
  ['POST', '/tasks', { tasks: [{ title: 'fine' }, { title: 'a\u0007b' }] }],
  ['POST', '/tasks', { tasks: Array.from({ length: 301 }, (_, n) => ({ title: `${n}` })) }],
  ['PATCH', '/tasks', {}, { tasks: [{ status: 'done' }] }, { tasks: [{ id: 'abc' }] }],
  ['PATCH', '/tasks', { tasks: [{ id: 'abcdef', done: true }] }],
  ['PATCH', '/tasks', { tasks: ['done', 'failed'].map((status) => ({ id: 'abcdef', status })) }],
  ['PATCH', '/tasks/abcdef', { status: 'new' }, { status: '' }, { status: 1 }, { id: 'abcdef' }],
  ['PATCH', '/tasks/abcdef', { title: '' }, { description: 7 }, { status: 'done', reason: ' ' }],
]

onEveryStore('a plan that is made over HTTP', { check: assertAll }, (ground) => {
  test('goal and tasks, each change with its event', async () => {
    const { api, serving } = await opened(ground.store)
    await using _ = serving
    const { session } = await started(api, directories.new)
    const at = `/api/plans/${session.sid}`
    const change = (method: string, rest: string, body: unknown) =>
      api.done<Plan>(method, `${at}${rest}`, { body })
    const set = await change('POST', '/goal', { title: ' Ship it ', description: 'All green.' })
    expect(set.goal).toMatchObject({ title: 'Ship it', description: 'All green.' })
    await api.refused(['POST', `${at}/goal`], 'CONFLICT', { body: { title: 'Another' } })
    const unexplained = await api.refused(['PATCH', `${at}/goal`], 'REFUSED', {
      body: { title: 'Ship it now' },
    })
    assert.equal(unexplained['reason'], 'REASON_MISSING')
    await change('PATCH', '/goal', { title: 'Ship it now', reason: 'the fair is near' })
    const { tasks } = await change('POST', '/tasks', {
      tasks: [{ title: 'Write' }, { title: 'Tag', description: 'v1' }, { title: 'Write' }],
    })
    assert.deepEqual(
      tasks.map(({ title, description, status }) => [title, description, status]),
      [
        ['Write', '', 'pending'],
        ['Tag', 'v1', 'pending'],
      ],
    )
    const [write, tag] = tasks.map(({ id }) => id) as [string, string]
    await change('PATCH', `/tasks/${write.toUpperCase()}`, { status: 'In-Progress' })
    await api.refused(['PATCH', `${at}/tasks/${tag}`], 'REFUSED', { body: { status: 'failed' } })
    const both = [
      { id: write, status: 'done' },
      { id: tag, status: 'cancelled', title: 'Tag it' },
    ]
    await api.refused(['PATCH', `${at}/tasks`], 'NOT_FOUND', {
      body: { tasks: [...both, { id: 'abcdef', status: 'done' }], reason: 'x' },
    })
    const ended = await change('PATCH', '/tasks', { tasks: both, reason: 'nobody waits' })
    assert.deepEqual(
      ended.tasks.map(({ title, status }) => [title, status]),
      [
        ['Write', 'completed'],
        ['Tag it', 'cancelled'],
      ],
    )
    const events = await api.done<{ cmd: string; type: string; reason: string | null }[]>(
      'GET',
      `${at}/events`,
    )
    assert.deepEqual(
      events.map(({ cmd, type, reason }) => [cmd.replace(at, ''), type, reason]),
      [
        ['POST /goal', 'goal_set', null],
        ['PATCH /goal', 'goal_updated', 'the fair is near'],
        ['POST /tasks', 'task_added', null],
        ['POST /tasks', 'task_added', null],
        [`PATCH /tasks/${write.toUpperCase()}`, 'task_status_changed', null],
        ['PATCH /tasks', 'task_status_changed', 'nobody waits'],
        ['PATCH /tasks', 'task_updated', 'nobody waits'],
        ['PATCH /tasks', 'task_status_changed', 'nobody waits'],
      ],
    )
  })

  test('a change of what was seen, or none: 412', async () => {
    const { api, serving } = await opened(ground.store)
    await using _ = serving
    const { session } = await started(api, directories.new)
    const at = `/api/plans/${session.sid}`
    await api.done('POST', `${at}/goal`, { body: { title: 'Goal' } })
    const body = { tasks: [{ title: 'Task' }] }
    const { tasks } = await api.done<Plan>('POST', `${at}/tasks`, { body })
    for (const path of [`${at}/goal`, `${at}/tasks/${tasks[0]?.id}`]) {
      const seen = (await api.ask('GET', path)).headers.get('etag') as string
      const edit = (title: string, match: string) => ({
        body: { title, reason: 'because' },
        headers: { 'If-Match': match },
      })
      await api.done('PATCH', path, edit('Mine', seen))
      for (const match of [seen, '"0"', 'W/"x"'])
        await api.refused(['PATCH', path], 'PRECONDITION_FAILED', edit('Late', match))
      expect(await api.done('GET', path)).toMatchObject({ title: 'Mine' })
      await api.done('PATCH', path, edit('Any', '*'))
    }
  })

  test('one session for a directory, and another after its end; found from below', async () => {
    const { api, serving } = await opened(ground.store)
    await using _ = serving
    // One of this machine, and one of another.
    for (const directory of [directories.new, '/nowhere/project']) {
      const made = await api.ask<Plan>('POST', '/api/plans', { body: { directory } })
      const at = `/api/plans/${made.body.session.sid}`
      assert.deepEqual([made.status, made.headers.get('location')], [201, at])
      expect(made.body).toMatchObject({ session: { dir_path: directory }, goal: null, tasks: [] })
      const body = { directory: `${directory}/here/../` }
      const again = await api.ask<Plan>('POST', '/api/plans', { body })
      assert.deepEqual([again.status, again.body], [200, made.body])
      const found = `/api/plans/by-directory?directory=${encodeURIComponent(`${directory}/a/b`)}`
      assert.deepEqual(await api.done('GET', found), made.body)
      const archived = await api.done<Plan>('POST', `${at}/archive`)
      assert.equal(archived.session.state, 'archived')
      assert.deepEqual(await api.done('POST', `${at}/archive`), archived)
      await api.refused(['GET', found], 'NOT_FOUND')
      const { session: next } = await started(api, directory)
      assert.notEqual(next.sid, made.body.session.sid)
    }
  })
})

describe('what plans refuse', () => {
  test('ids that are none, missing, ambiguous; broken events are named', async () => {
    await using store = await openStore('memory:')
    const { api, serving } = await opened(store)
    await using _ = serving
    const each = async (sid: string, code: string) => {
      for (const [method, rest, body] of namingRoutes)
        await api.refused([method, `/api/plans/${sid}${rest}`], code, body ? { body } : {})
    }
    for (const sid of ['u', '01-', '%00', '%20', '0'.repeat(27)]) await each(sid, 'INVALID_ID')
    await each('0', 'NOT_FOUND')
    for (const id of ['abcde', 'g'.repeat(6), 'a'.repeat(65), '%00'])
      for (const [method, asked] of Object.entries({ GET: {}, PATCH: { body: {} } }))
        await api.refused([method, `/api/plans/0/tasks/${id}`], 'INVALID_ID', asked)
    const plans = new Plans(store)
    const { session } = await plans.start(directories.new)
    await plans.setGoal(session.sid, { title: 'T', description: '' }, { cmd: 'test', reason: null })
    await plans.archive(session.sid)
    await plans.start(directories.new)
    const { count } = (await api.refused(['GET', '/api/plans/0'], 'AMBIGUOUS')) as { count: number }
    assert.equal(count, 2)
    await each('0', 'AMBIGUOUS')
    const broken = '7ZZZZZZZZZZZZZZZZZZZZZZZZZ'
    await plant(store, `np/s/${broken}/meta`)
    await each(broken, 'CORRUPT')
    await plant(store, `np/s/${session.sid}/evt/${'2'.padStart(16, '0')}`)
    const events = await api.done<{ seq: number; problem?: string }[]>(
      'GET',
      `/api/plans/${session.sid}/events`,
    )
    assert.deepEqual(
      events.map(({ seq, problem }) => [seq, problem === undefined]),
      [
        [1, true],
        [2, false],
      ],
    )
    for (const query of ['limit=0', 'offset=1', 'limit=1001'])
      await api.refused(['GET', `/api/plans/${session.sid}/events?${query}`], 'INVALID_QUERY')
    await api.refused(['GET', '/api/plans?limit=0'], 'INVALID_QUERY')
  })

  test('words, directories and batches that can never be right', async () => {
    await using store = await openStore('memory:')
    const { api, serving } = await opened(store)
    await using _ = serving
    const { session } = await started(api, directories.new)
    const seen = await api.done('GET', `/api/plans/${session.sid}`)
    for (const [method, rest, ...bodies] of badBodies)
      for (const body of bodies)
        await api.refused([method, `/api/plans/${session.sid}${rest}`], 'INVALID_BODY', { body })
    for (const directory of [
      '',
      'here',
      './x',
      '/a\0b',
      '/\ud800',
      `/${'x'.repeat(4_096)}`,
      7,
      null,
    ])
      await api.refused(['POST', '/api/plans'], 'INVALID_BODY', { body: { directory } })
    for (const body of [{}, { directory: directories.old, sid: 'x' }, [], 'x'])
      await api.refused(['POST', '/api/plans'], 'INVALID_BODY', { body })
    for (const query of ['', '?directory=', '?directory=x', '?directory=/%00', '?dir=/x'])
      await api.refused(['GET', `/api/plans/by-directory${query}`], 'INVALID_QUERY')
    await api.refused(['GET', '/api/plans/by-directory?directory=/nowhere'], 'NOT_FOUND')
    assert.deepEqual(await api.done('GET', `/api/plans/${session.sid}`), seen)
    assert.equal((await api.get('/api/plans')).headers.get('x-total-count'), '1')
  })

  test('what its state does not allow, and what of it is corrupt', async () => {
    await using store = await openStore('memory:')
    const { api, serving } = await opened(store)
    await using _ = serving
    const { session } = await started(api, directories.new)
    const at = `/api/plans/${session.sid}`
    const refused = async (method: string, rest: string, code: string, body: object) =>
      (await api.refused([method, `${at}${rest}`], code, { body }))['reason']
    assert.equal(await refused('PATCH', '/goal', 'REFUSED', { title: 'G' }), 'NO_GOAL')
    await plant(store, `np/s/${session.sid}/task/abcdef`)
    const broken = { id: 'abcdef', status: 'done' }
    await refused('PATCH', '/tasks', 'CORRUPT', { tasks: [broken] })
    await refused('PATCH', '/tasks/ABCDEF', 'CORRUPT', { status: 'done' })
    await api.refused(['GET', `${at}/goal`], 'NOT_FOUND')
    await api.refused(['GET', `${at}/tasks/abcdef`], 'CORRUPT')
    await api.refused(['GET', `${at}/tasks/abcdee`], 'NOT_FOUND')
    await plant(store, `np/s/${session.sid}/goal`)
    await refused('PATCH', '/goal', 'CORRUPT', { title: 'G', reason: 'x' })
    await api.refused(['GET', `${at}/goal`], 'CORRUPT')
    await api.done('POST', `${at}/archive`)
    for (const [method, rest, body] of namingRoutes.filter(([, , body]) => body))
      assert.equal(await refused(method, rest, 'REFUSED', body ?? {}), 'SESSION_ARCHIVED')
    const { session: next } = await started(api, directories.new)
    await store.commit([removal(await store.get(`np/s/${next.sid}/meta`))])
    await plant(store, `np/s/${next.sid}/meta`)
    const directory = directories.new
    await api.refused(['POST', '/api/plans'], 'CORRUPT', { body: { directory } })
    await api.refused(['GET', `/api/plans/by-directory?directory=${directory}`], 'CORRUPT')
  })
})

test('every code that these routes name was tried', () => assertAllTried(['/api/plans']))
