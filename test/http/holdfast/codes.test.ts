import assert from 'node:assert/strict'
import { describe, expect, test } from 'vitest'
import { TaskManager } from '../../../src/jobs/index.ts'
import { Plans } from '../../../src/plan/index.ts'
import { openStore } from '../../../src/store/index.ts'
import { directories } from './ground.ts'
import { bytes, plant } from './planted.ts'
import { assertAllTried, opened } from './served.ts'

const listId = 'ab'.repeat(64)

describe('what the list refuses', () => {
  test('ids, bodies and queries that can never be right', async () => {
    await using store = await openStore('memory:')
    const { api, serving } = await opened(store)
    await using _ = serving
    for (const id of ['xyz', '%20', `${listId}0`, '%F0%9F%A6%84', '..%2f..'])
      for (const method of ['GET', 'PATCH', 'DELETE'])
        await api.refused([method, `/api/list/tasks/${id}`], 'INVALID_ID', {
          ...(method === 'PATCH' ? { body: {} } : {}),
        })
    const post = ['POST', '/api/list/tasks'] as const
    for (const body of [
      {},
      { text: '' },
      { text: '  ' },
      { text: 3 },
      { text: 'x', tags: 'a' },
      { text: 'x', tags: ['a b'] },
      { text: 'x', tags: ['+a'] },
      { text: 'x', other: 1 },
      { text: 'a\u0007b' },
      { text: 'x'.repeat(70_000) },
      [],
      'x',
      null,
    ])
      await api.refused(post, 'INVALID_BODY', { body })
    for (const method of ['PATCH', 'DELETE'])
      await api.refused([method, `/api/list/tasks/${listId}`], 'INVALID_BODY', {
        body: { done: 'yes' },
      })
    for (const query of ['limit=0', 'limit=1001', 'limit=x', 'offset=-1', 'done=maybe', 'x=1'])
      await api.refused(['GET', `/api/list/tasks?${query}`], 'INVALID_QUERY')
    await api.refused(['GET', '/api/list/tasks?any=a%20b'], 'INVALID_QUERY')
    assert.deepEqual(await api.done('GET', '/api/list/tasks'), [])
  })

  test('a change to a state that is no more: 412, and nothing is changed', async () => {
    await using store = await openStore('memory:')
    const { api, serving } = await opened(store)
    await using _ = serving
    const { id } = await api.done<{ id: string }>('POST', '/api/list/tasks', {
      body: { text: 'x' },
    })
    const path = `/api/list/tasks/${id}`
    const seen = (await api.ask('GET', path)).headers.get('etag') as string
    await api.done('PATCH', path, { body: { text: 'y' }, headers: { 'If-Match': seen } })
    for (const match of [seen, '"0"'])
      for (const [method, body] of [['PATCH', { done: true }], ['DELETE']] as const)
        await api.refused([method, path], 'PRECONDITION_FAILED', {
          headers: { 'If-Match': match },
          ...(body ? { body } : {}),
        })
    expect(await api.done('GET', path)).toMatchObject({ text: 'y', done: false })
  })

  test('what is missing, ambiguous or corrupt', async () => {
    await using store = await openStore('memory:')
    const { api, serving } = await opened(store)
    await using _ = serving
    const asked = { GET: {}, PATCH: { body: { done: true } }, DELETE: {} }
    const each = async (start: string, code: string) => {
      for (const [method, given] of Object.entries(asked))
        await api.refused([method, `/api/list/tasks/${start}`], code, given)
    }
    await each(listId, 'NOT_FOUND')
    await plant(store, `utask_tasks/${listId}`)
    await each(listId.slice(0, 127), 'CORRUPT')
    await plant(store, `utask_tasks/${listId.slice(0, 127)}c`)
    const ambiguous = await api.refused(['GET', '/api/list/tasks/abab'], 'AMBIGUOUS')
    assert.deepEqual(ambiguous, {
      candidates: [listId, `${listId.slice(0, 127)}c`].sort(),
      count: 2,
    })
    await each('ab', 'AMBIGUOUS')
    assert.deepEqual(await api.done('GET', '/api/list/tasks'), [])
    assert.equal((await api.ask('DELETE', `/api/list/tasks/${listId}`)).status, 204)
  })
})

describe('what plans refuse', () => {
  test('ids that are none, missing, ambiguous; broken events are named', async () => {
    await using store = await openStore('memory:')
    const { api, serving } = await opened(store)
    await using _ = serving
    for (const path of ['/api/plans/u', '/api/plans/01-', '/api/plans/u/events'])
      await api.refused(['GET', path], 'INVALID_ID')
    for (const path of ['/api/plans/0', '/api/plans/0/events'])
      await api.refused(['GET', path], 'NOT_FOUND')
    const plans = new Plans(store)
    const { session } = await plans.start(directories.new)
    await plans.setGoal(session.sid, { title: 'T', description: '' }, { cmd: 'test', reason: null })
    await plans.archive(session.sid)
    await plans.start(directories.new)
    const { count } = (await api.refused(['GET', '/api/plans/0'], 'AMBIGUOUS')) as { count: number }
    assert.equal(count, 2)
    await api.refused(['GET', '/api/plans/0/events'], 'AMBIGUOUS')
    const broken = '7ZZZZZZZZZZZZZZZZZZZZZZZZZ'
    await plant(store, `np/s/${broken}/meta`)
    for (const path of [`/api/plans/${broken}`, `/api/plans/${broken}/events`])
      await api.refused(['GET', path], 'CORRUPT')
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
})

describe('what jobs refuse', () => {
  test('bodies and queries that can never be right', async () => {
    await using store = await openStore('memory:')
    const { api, serving } = await opened(store)
    await using _ = serving
    for (const body of [
      {},
      { payload: 1, max_attempts: -1 },
      { payload: 1, max_attempts: 1.5 },
      { payload: 1, idempotency_key: '' },
      { payload: 1, idempotency_key: 7 },
      { payload: 1, idempotency_key: 'x'.repeat(5_000) },
      { payload: 1, id: 'mine' },
      { payload: 'x'.repeat(300_000) },
    ])
      await api.refused(['POST', '/api/jobs'], 'INVALID_BODY', { body })
    const queries = ['status=done', 'limit=0', 'cursor=x', 'cursor=', 'offset=1']
    for (const query of queries) await api.refused(['GET', `/api/jobs?${query}`], 'INVALID_QUERY')
    for (const query of ['', '?key=', `?key=${'x'.repeat(5_000)}`, '?kay=1'])
      await api.refused(['GET', `/api/jobs/by-key${query}`], 'INVALID_QUERY')
    await api.refused(['POST', '/api/jobs/x/retry'], 'INVALID_BODY', { body: { attempts: -1 } })
    await api.refused(['DELETE', '/api/jobs/x'], 'INVALID_BODY', { body: { attempts: 1 } })
    assert.deepEqual(await api.done('GET', '/api/jobs'), [])
  })

  test('ids that nobody has, however hostile', async () => {
    await using store = await openStore('memory:')
    const { api, serving } = await opened(store)
    await using _ = serving
    const hostile = [
      'x',
      '%2e%2e%2fx',
      '%00',
      'x'.repeat(300),
      '%F0%9F%A6%84',
      'a%2Fb',
      '%ff',
      '__proto__',
    ]
    for (const id of hostile) {
      await api.refused(['GET', `/api/jobs/${id}`], 'NOT_FOUND')
      await api.refused(['DELETE', `/api/jobs/${id}`], 'NOT_FOUND')
      await api.refused(['POST', `/api/jobs/${id}/retry`], 'NOT_FOUND')
    }
    await using jobs = new TaskManager(store)
    await jobs.submit({ payload: bytes('{"a":'), id: 'a/b ü%' })
    const job = await api.done<{ id: string; payload: unknown }>(
      'GET',
      `/api/jobs/${encodeURIComponent('a/b ü%')}`,
    )
    assert.deepEqual([job.id, job.payload], ['a/b ü%', { base64: 'eyJhIjo=' }])
  })

  test('contents that nobody could show are base64; what is corrupt says so', async () => {
    await using store = await openStore('memory:')
    const { api, serving } = await opened(store)
    await using _ = serving
    await using jobs = new TaskManager(store)
    const deep = bytes(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
    const id = await jobs.submit({ payload: deep })
    const empty = await jobs.submit({ payload: new Uint8Array() })
    const listed = await api.done<{ payload: { base64: string } }[]>('GET', '/api/jobs')
    assert.deepEqual(
      listed.map(({ payload }) => payload.base64.length),
      [Buffer.from(deep).toString('base64').length, 0],
    )
    await api.done('GET', `/api/jobs/${empty}`)
    await plant(store, 'tasks/task/broken')
    await api.refused(['GET', '/api/jobs/broken'], 'CORRUPT')
    await api.refused(['POST', '/api/jobs/broken/retry'], 'CORRUPT')
    await plant(store, 'tasks/idem/k', 'broken')
    await api.refused(['GET', '/api/jobs/by-key?key=k'], 'CORRUPT')
    await api.refused(['GET', '/api/jobs/by-key?key=j'], 'NOT_FOUND')
    await api.refused(['POST', '/api/jobs'], 'CORRUPT', {
      body: { payload: 1, idempotency_key: 'k' },
    })
    await api.refused(['DELETE', `/api/jobs/${empty}`], 'REFUSED')
    assert.equal((await api.ask('DELETE', '/api/jobs/broken')).status, 204)
    const done = await api.refused(
      ['POST', `/api/jobs/${await completed(jobs, id)}/retry`],
      'REFUSED',
    )
    assert.equal(done['reason'], 'TASK_COMPLETED')
  })
})

async function completed(jobs: TaskManager, id: string): Promise<string> {
  await jobs.claim(id, 'w')
  await jobs.complete(id)
  return id
}

test('every code that these routes name was tried', () =>
  assertAllTried(['/api/list', '/api/plans', '/api/jobs']))
