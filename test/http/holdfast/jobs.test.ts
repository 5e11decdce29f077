import assert from 'node:assert/strict'
import { describe, expect, test } from 'vitest'
import { TaskManager } from '../../../src/jobs/index.ts'
import { openStore } from '../../../src/store/index.ts'
import { onEveryStore } from '../../models/stores.ts'
import { assertAll } from './ground.ts'
import { bytes, plant } from './planted.ts'
import { assertAllTried, opened } from './served.ts'

interface Job {
  readonly id: string
  readonly status: string
  readonly payload: unknown
  readonly attempts: number
}

/** What is done to a job that is named, with a body that it takes. */
const verbs = {
  claim: { worker_id: 'w' },
  complete: { result: 1 },
  fail: { error: 'no' },
  retry: {},
}

/** Bodies that can never be right, by what follows the jobs in the path. */
const badBodies: Readonly<Record<string, readonly unknown[]>> = {
  'claim-next': [
    {},
    { worker_id: '' },
    { worker_id: 7 },
    { worker_id: null },
    { worker_id: 'x'.repeat(4_097) },
    { worker_id: 'w', limit: 2 },
    { workerId: 'w' },
  ],
  'x/claim': [{}, { worker_id: '' }, { worker_id: ['w'] }, { worker_id: 'w', attempt: 1 }],
  'x/complete': [
    { worker_id: '' },
    { attempt: -1 },
    { attempt: 1.5 },
    { attempt: '1' },
    { claim_token: 7 },
    { result: 'x'.repeat(262_144) },
    { error: 'no' },
  ],
  'x/fail': [{}, { error: 7 }, { error: null }, { error: 'no', worker_id: '' }, { reason: 'no' }],
  'x/retry': [{ attempts: -1 }, { attempts: 0.5 }, { attempt: 1 }],
}

onEveryStore('jobs of workers over HTTP', { check: assertAll }, (ground) => {
  test('the oldest is claimed, completed, and kept with its first result', async () => {
    const { api, serving } = await opened(ground.store)
    await using _ = serving
    for (const payload of [1, 2]) await api.done('POST', '/api/jobs', { body: { payload } })
    const next = (worker_id: string) =>
      api.ask<Job>('POST', '/api/jobs/claim-next', { body: { worker_id } })
    const { body: first } = await next('w1')
    expect(first).toMatchObject({ payload: 1, status: 'claimed', claimed_by: 'w1', attempts: 1 })
    expect((await next('w2')).body).toMatchObject({ payload: 2, claimed_by: 'w2' })
    const none = await next('w3')
    assert.deepEqual([none.status, none.body], [204, undefined])
    const at = `/api/jobs/${first.id}`
    const body = { worker_id: 'w1', attempt: first.attempts, result: { sent: true } }
    const done = await api.done<Job>('POST', `${at}/complete`, { body })
    expect(done).toMatchObject({ status: 'completed', result: { sent: true }, error: null })
    const again = await api.done<Job>('POST', `${at}/complete`, { body: { result: 'other' } })
    assert.deepEqual(again, done)
    assert.deepEqual(await api.done('GET', at), done)
    await using jobs = new TaskManager(ground.store)
    assert.deepEqual((await jobs.get(first.id)).result, bytes('{"sent":true}'))
  })

  test('an attempt that fails is had again, until the last one; who lost it is told', async () => {
    const { api, serving } = await opened(ground.store)
    await using _ = serving
    const given = { payload: null, max_attempts: 2 }
    const { id } = await api.done<Job>('POST', '/api/jobs', { body: given })
    const post = <T = Job>(verb: string, body: unknown) =>
      api.done<T>('POST', `/api/jobs/${id}/${verb}`, { body })
    const refused = async (verb: string, code: string, body: unknown) =>
      (await api.refused(['POST', `/api/jobs/${id}/${verb}`], code, { body }))['reason']
    assert.equal(await refused('complete', 'REFUSED', {}), 'TASK_NOT_CLAIMED')
    assert.equal(await refused('fail', 'REFUSED', { error: 'no' }), 'TASK_NOT_CLAIMED')
    const claimed = await post('claim', { worker_id: 'w' })
    assert.deepEqual(await post('claim', { worker_id: 'w' }), claimed)
    assert.equal(await refused('claim', 'CONFLICT', { worker_id: 'v' }), 'TASK_ALREADY_CLAIMED')
    expect(await post('fail', { error: 'no', worker_id: 'w', attempt: 1 })).toMatchObject({
      ...{ status: 'pending', error: 'no', claimed_by: null, attempts: 1 },
    })
    await post('claim', { worker_id: 'w' })
    const late = { worker_id: 'w', attempt: 1 }
    assert.equal(await refused('complete', 'CONFLICT', late), 'WRONG_WORKER')
    assert.equal(await refused('fail', 'CONFLICT', { ...late, error: 'x' }), 'WRONG_WORKER')
    assert.equal(await refused('complete', 'CONFLICT', { worker_id: 'v' }), 'WRONG_WORKER')
    const ended = await post('fail', { error: 'never' })
    expect(ended).toMatchObject({ status: 'failed', error: 'never', attempts: 2 })
    assert.equal(await refused('claim', 'REFUSED', { worker_id: 'w' }), 'TASK_FAILED')
    assert.equal(await refused('complete', 'REFUSED', { result: 1 }), 'TASK_FAILED')
    assert.deepEqual(await api.done('GET', `/api/jobs/${id}`), ended)
  })
})

describe('jobs that change under whoever looks at them', () => {
  /** How each route is asked for, and how a job becomes what the route changes. */
  const changing: Readonly<Record<string, { body?: unknown; ready: Ready }>> = {
    'POST /api/jobs/{id}/claim': { body: { worker_id: 'me' }, ready: async () => {} },
    'POST /api/jobs/{id}/complete': { body: { result: 1 }, ready: (jobs, id) => claimed(jobs, id) },
    'POST /api/jobs/{id}/fail': { body: { error: 'no' }, ready: (jobs, id) => claimed(jobs, id) },
    'POST /api/jobs/{id}/retry': { body: {}, ready: (jobs, id) => claimed(jobs, id) },
    'DELETE /api/jobs/{id}': { ready: (jobs, id) => completed(jobs, id) },
  }
  type Ready = (jobs: TaskManager, id: string) => Promise<unknown>

  test('every route that changes a job heeds If-Match', async () => {
    await using store = await openStore('memory:')
    const { api, serving } = await opened(store)
    await using _ = serving
    await using jobs = new TaskManager(store)
    const routes = Object.entries(api.document.paths).flatMap(([path, methods]) =>
      path.startsWith('/api/jobs/{id}')
        ? Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`)
        : [],
    )
    assert.deepEqual(
      routes.filter((route) => !route.startsWith('GET ')).sort(),
      Object.keys(changing).sort(),
    )
    for (const [route, { body, ready }] of Object.entries(changing)) {
      const id = await jobs.submit({ payload: bytes('1') })
      await ready(jobs, id)
      const [method, path] = route.replace('{id}', id).split(' ') as [string, string]
      const at = `/api/jobs/${id}`
      const seen = (await api.get<Job>(at)).headers.get('etag') as string
      assert.match(seen, /^"[0-9a-f]{16}"$/)
      for (const match of ['"0-0"', `W/${seen}`, `"${'0'.repeat(16)}"`])
        await api.refused([method, path], 'PRECONDITION_FAILED', {
          body,
          headers: { 'If-Match': match },
        })
      assert.equal((await api.get<Job>(at)).headers.get('etag'), seen)
      const done = await api.ask<Job>(method, path, { body, headers: { 'If-Match': seen } })
      assert.ok(done.status < 300, route)
      if (method === 'DELETE') continue
      assert.equal(done.headers.get('etag'), (await api.get<Job>(at)).headers.get('etag'))
      // It may hold already; whoever asks saw another state, and hears of it.
      expect(
        await api.refused([method, path], 'PRECONDITION_FAILED', {
          body,
          headers: { 'If-Match': seen },
        }),
      ).toMatchObject({ reason: 'CHANGED_MEANWHILE', status: done.body.status })
      const any = await api.ask<Job>(method, path, { body, headers: { 'If-Match': '*' } })
      assert.notEqual(any.status, 412)
    }
  })

  test('a job that is submitted, found, claimed or ended is answered with its ETag', async () => {
    await using store = await openStore('memory:')
    const { api, serving } = await opened(store)
    await using _ = serving
    const tags = new Set<string | null>()
    const asked = async (method: string, path: string, body?: unknown) => {
      const { body: job, headers } = await api.ask<Job>(method, path, { body })
      assert.equal(headers.get('etag'), (await api.get(`/api/jobs/${job.id}`)).headers.get('etag'))
      tags.add(headers.get('etag'))
      return job
    }
    const submission = { payload: 1, idempotency_key: 'k' }
    await asked('POST', '/api/jobs', submission)
    await asked('POST', '/api/jobs', submission)
    await asked('GET', '/api/jobs/by-key?key=k')
    const { id } = await asked('POST', '/api/jobs/claim-next', { worker_id: 'w' })
    await asked('POST', `/api/jobs/${id}/complete`)
    assert.equal(tags.size, 3)
  })
})

test('a key of 2,000 Japanese characters is one job', async () => {
  await using store = await openStore('memory:')
  const { api, serving } = await opened(store)
  await using _ = serving
  const body = { payload: 1, idempotency_key: '鍵'.repeat(2_000) }
  const [first, second] = [
    await api.ask<Job>('POST', '/api/jobs', { body }),
    await api.ask<Job>('POST', '/api/jobs', { body }),
  ]
  assert.deepEqual([first.status, second.status], [201, 200])
  assert.equal(first.body.id, second.body.id)
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
      { payload: 1, idempotency_key: 'x'.repeat(262_145) },
      { payload: 1, id: 'mine' },
      { payload: 1, idempotencyKey: 'k' },
      { payload: 1, maxAttempts: 1 },
      { payload: 'x'.repeat(300_000) },
    ])
      await api.refused(['POST', '/api/jobs'], 'INVALID_BODY', { body })
    const queries = ['status=done', 'limit=0', 'cursor=x', 'cursor=', 'offset=1']
    for (const query of queries) await api.refused(['GET', `/api/jobs?${query}`], 'INVALID_QUERY')
    for (const query of ['', '?key=', '?kay=1'])
      await api.refused(['GET', `/api/jobs/by-key${query}`], 'INVALID_QUERY')
    await api.refused(['GET', `/api/jobs/by-key?key=${'x'.repeat(5_000)}`], 'NOT_FOUND')
    for (const [path, bodies] of Object.entries(badBodies))
      for (const body of bodies)
        await api.refused(['POST', `/api/jobs/${path}`], 'INVALID_BODY', { body })
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
      for (const [verb, body] of Object.entries(verbs))
        await api.refused(['POST', `/api/jobs/${id}/${verb}`], 'NOT_FOUND', { body })
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
    const shown = [id, empty].map((each) => api.done<Job>('GET', `/api/jobs/${each}`))
    assert.deepEqual(
      (await Promise.all(shown)).map(({ payload }) => payload),
      [{ base64: Buffer.from(deep).toString('base64') }, { base64: '' }],
    )
    await plant(store, 'tasks/task/broken')
    await api.refused(['GET', '/api/jobs/broken'], 'CORRUPT')
    for (const [verb, body] of Object.entries(verbs))
      await api.refused(['POST', `/api/jobs/broken/${verb}`], 'CORRUPT', { body })
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

const claimed = (jobs: TaskManager, id: string): Promise<unknown> => jobs.claim(id, 'w')

async function completed(jobs: TaskManager, id: string): Promise<string> {
  await jobs.claim(id, 'w')
  await jobs.complete(id)
  return id
}

test('every code that these routes name was tried', () => assertAllTried(['/api/jobs']))
