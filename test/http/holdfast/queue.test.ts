import assert from 'node:assert/strict'
import { describe, expect, test } from 'vitest'
import { Queue, type Task as QueueTask } from '../../../src/queue/index.ts'
import { openStore } from '../../../src/store/index.ts'
import { plant } from './planted.ts'
import { assertAllTried, opened } from './served.ts'

const uuid = '7019a8c3-1f20-8b1e-9d3c-5a6f00112233'

/** The routes that name a task, by what follows its id. */
const namingRoutes = [
  ...['', '/history'].map((rest) => ['GET', rest] as const),
  ...['replay', 'archive', 'unarchive', 'cancel'].map((verb) => ['POST', `/${verb}`] as const),
]

const ended = (task: QueueTask): string =>
  JSON.stringify({ ...task, id: `8${uuid.slice(1)}`, shard: '8', status: 'completed' })

describe('what the queue refuses', () => {
  test('ids, bodies and queries that can never be right', async () => {
    await using store = await openStore('memory:')
    const { api, serving } = await opened(store)
    await using _ = serving
    for (const [method, rest] of namingRoutes) {
      for (const id of ['abc', 'wxyz', `${uuid}0`, '%00', '-abcd', 'x'.repeat(5_000)])
        await api.refused([method, `/api/queue/tasks/${id}${rest}`], 'INVALID_ID')
      for (const id of [uuid, uuid.toUpperCase(), '7019a8c3', '7019a8c31f208b1e9d3c5a6f00112233'])
        await api.refused([method, `/api/queue/tasks/${id}${rest}`], 'NOT_FOUND')
    }
    for (const [method, rest] of namingRoutes.filter(([method]) => method === 'POST'))
      await api.refused([method, `/api/queue/tasks/${uuid}${rest}`], 'INVALID_BODY', {
        body: { why: 'x' },
      })
    for (const body of [
      {},
      { type: '' },
      { type: ' x' },
      { type: 'x'.repeat(201) },
      { type: 'a\nb' },
      { type: 'x', timeout_seconds: 0.5 },
      { type: 'x', timeout_seconds: 8 * 86_400 },
      { type: 'x', timeout_seconds: '5' },
      { type: 'x', max_retries: -1 },
      { type: 'x', max_retries: 1e9 },
      { type: 'x', available_at: 'tomorrow' },
      { type: 'x', available_at: '2027-02-30T00:00:00Z' },
      { type: 'x', available_at: '2027-01-01T00:00:00Z', delay_ms: 1 },
      { type: 'x', delay_ms: -1 },
      { type: 'x', delay_ms: 1e300 },
      { type: 'x', idempotency_key: '' },
      { type: 'x', id: 'mine' },
      { type: 'x', id: uuid.replaceAll('-', '') },
      { type: 'x', retry_policy: null },
      { type: 'x', retry_policy: [] },
      { type: 'x', retry_policy: { multiplier: 0.5 } },
      { type: 'x', retry_policy: { initial_interval_ms: -1 } },
      { type: 'x', retry_policy: { max_interval_ms: 1e300 } },
      { type: 'x', retry_policy: { jitter_percent: 25 } },
      { type: 'x', retry_policy: { jitter: 0.5 } },
      { type: 'x', input: 'x'.repeat(1_000_001) },
    ])
      await api.refused(['POST', '/api/queue/tasks'], 'INVALID_BODY', { body })
    for (const query of [
      'status=new',
      'shard=g',
      'shard=00',
      'limit=0',
      'cursor=x',
      'text=',
      'type=',
    ])
      await api.refused(['GET', `/api/queue/tasks?${query}`], 'INVALID_QUERY')
    await api.refused(['GET', '/api/queue/stats?x=1'], 'INVALID_QUERY')
    assert.deepEqual(await api.done('GET', '/api/queue/tasks'), [])
  })

  test('what its state does not allow, what is ambiguous, what is corrupt', async () => {
    await using store = await openStore('memory:')
    const { api, serving } = await opened(store)
    await using _ = serving
    const { id } = await api.done<QueueTask>('POST', '/api/queue/tasks', { body: { type: 'x' } })
    for (const verb of ['replay', 'archive', 'unarchive'])
      expect(
        await api.refused(['POST', `/api/queue/tasks/${id}/${verb}`], 'REFUSED'),
      ).toMatchObject({
        reason: 'INVALID_TRANSITION',
        status: 'pending',
      })
    const queue = new Queue(store)
    for (const last of ['1', '2']) await queue.submit({ type: 'x', id: uuid.slice(0, -1) + last })
    await plant(store, `qo/tasks/7/${uuid}.json`)
    for (const [method, rest] of namingRoutes) {
      const path = ['/api/queue/tasks/', rest] as const
      const { candidates } = await api.refused([method, path.join('7019-a8c3')], 'AMBIGUOUS')
      assert.equal((candidates as string[]).length, 3)
      await api.refused([method, path.join(uuid)], 'CORRUPT')
    }
    await plant(store, 'qo_own/idem/k', 'no id')
    await api.refused(['POST', '/api/queue/tasks'], 'CORRUPT', {
      body: { type: 'x', idempotency_key: 'k' },
    })
    await api.done('POST', `/api/queue/tasks/${id}/cancel`)
    // What is cancelled already is so; what has ended otherwise can't be.
    await api.done('POST', `/api/queue/tasks/${id}/cancel`)
    await plant(store, `qo/tasks/8/8${uuid.slice(1)}.json`, ended(await queue.get(id)))
    await api.refused(['POST', `/api/queue/tasks/8${uuid.slice(1)}/cancel`], 'REFUSED')
    assert.equal((await api.done<QueueTask[]>('GET', '/api/queue/tasks')).length, 4)
  })

  test('a cancelled task is archived, unarchived and replayed', async () => {
    await using store = await openStore('memory:')
    const { api, serving } = await opened(store)
    await using _ = serving
    const body = { type: 'x', idempotency_key: 'k' }
    const { id } = await api.done<QueueTask>('POST', '/api/queue/tasks', { body })
    for (const [verb, status, archived_from] of [
      ['cancel', 'cancelled', null],
      ['archive', 'archived', 'cancelled'],
      ['unarchive', 'cancelled', null],
      ['replay', 'pending', null],
    ] as const) {
      expect(await api.done('POST', `/api/queue/tasks/${id}/${verb}`)).toMatchObject({
        ...{ status, archived_from },
      })
      const again = await api.ask<QueueTask>('POST', '/api/queue/tasks', { body })
      assert.deepEqual([again.status, again.body.id, again.body.status], [200, id, status])
    }
  })

  test('an id of one’s own is the task’s, and one that is taken is a conflict, whoever has it', async () => {
    await using store = await openStore('memory:')
    const { api, serving } = await opened(store)
    await using _ = serving
    const submit = (body: object) =>
      api.ask<QueueTask>('POST', '/api/queue/tasks', { body: { type: 'x', ...body } })
    const retry_policy = { initial_interval_ms: 5, jitter_percent: 0 }
    const { status, body, headers } = await submit({ id: uuid.toUpperCase(), retry_policy })
    assert.deepEqual(
      [status, body.id, headers.get('location')],
      [201, uuid, `/api/queue/tasks/${uuid}`],
    )
    assert.deepEqual(body.retry_policy, {
      ...{ initial_interval_ms: 5, max_interval_ms: 60_000, multiplier: 2, jitter_percent: 0 },
    })
    for (const more of [{}, { idempotency_key: 'k' }])
      expect(
        await api.refused(['POST', '/api/queue/tasks'], 'CONFLICT', {
          body: { type: 'y', id: uuid, ...more },
        }),
      ).toMatchObject({ reason: 'TASK_EXISTS' })
    assert.deepEqual(await api.done('GET', `/api/queue/tasks/${uuid}`), body)
    // The key of what was refused is free.
    const keyed = await submit({ id: `8${uuid.slice(1)}`, idempotency_key: 'k' })
    assert.equal(keyed.status, 201)
    const same = await submit({ id: `9${uuid.slice(1)}`, idempotency_key: 'k' })
    assert.deepEqual([same.status, same.body.id], [200, keyed.body.id])
    const racers = await Promise.all(
      Array.from({ length: 6 }, (_, n) => submit({ id: `a${uuid.slice(1)}`, input: n })),
    )
    assert.deepEqual(racers.map((each) => each.status).sort(), [201, 409, 409, 409, 409, 409])
  })

  test('an action on a state that is no more: 412, and nothing is changed', async () => {
    await using store = await openStore('memory:')
    const { api, serving } = await opened(store)
    await using _ = serving
    const path = `/api/queue/tasks/${uuid}`
    await new Queue(store).submit({ type: 'x', id: uuid })
    const tag = async () => (await api.ask('GET', path)).headers.get('etag') as string
    const seen = await tag()
    assert.match(seen, /^"[0-9a-f]{16}-0"$/)
    for (const [verb, match] of [
      ['cancel', '"0-0"'],
      ['cancel', 'W/"x"'],
      ['cancel', `${seen}, "${'0'.repeat(16)}-0"`],
    ] as const)
      await api.refused(['POST', `${path}/${verb}`], 'PRECONDITION_FAILED', {
        headers: { 'If-Match': match },
      })
    const done = await api.ask('POST', `${path}/cancel`, { headers: { 'If-Match': seen } })
    assert.equal(done.status, 200)
    assert.equal(done.headers.get('etag'), await tag())
    // It holds already; yet whoever asks saw another state, and is told so.
    for (const verb of ['cancel', 'replay', 'archive', 'unarchive'])
      expect(
        await api.refused(['POST', `${path}/${verb}`], 'PRECONDITION_FAILED', {
          headers: { 'If-Match': seen },
        }),
      ).toMatchObject({ reason: 'CHANGED_MEANWHILE', status: 'cancelled' })
    await api.done('POST', `${path}/cancel`, { headers: { 'If-Match': '*' } })
  })

  test('large and deep contents: left out of lists, whole by themselves', async () => {
    await using store = await openStore('memory:')
    const { api, serving } = await opened(store)
    await using _ = serving
    const submit = (input: unknown) =>
      api.done<QueueTask>('POST', '/api/queue/tasks', { body: { type: 'x', input } })
    const [middle, large] = ['m'.repeat(10_000), 'l'.repeat(999_000)]
    const tasks = [await submit('small'), await submit(middle), await submit(large)]
    assert.deepEqual(
      tasks.map(({ input }) => input),
      ['small', middle, large],
    )
    const listed = await api.done<(QueueTask & { input_omitted?: true })[]>(
      'GET',
      '/api/queue/tasks',
    )
    assert.deepEqual(
      listed.reverse().map(({ input, input_omitted }) => [input, input_omitted]),
      [
        ['small', undefined],
        [null, true],
        [null, true],
      ],
    )
    for (const { id, input } of tasks)
      assert.equal((await api.done<QueueTask>('GET', `/api/queue/tasks/${id}`)).input, input)
    const [first] = await api.done<{ task: object }[]>(
      'GET',
      `/api/queue/tasks/${tasks[2]?.id}/history`,
    )
    expect(first?.task).toMatchObject({ input: null, input_omitted: true })
    // Another tool may have nested what a browser could not show, or what nobody could write again.
    const plantNested = (id: string, levels: number) => {
      const text = JSON.stringify({ ...tasks[0], id, shard: '7', input: 0 })
      const input = `"input":${'['.repeat(levels)}${']'.repeat(levels)}`
      return plant(store, `qo/tasks/7/${id}.json`, text.replace('"input":0', input))
    }
    await plantNested(uuid, 1_500)
    expect(await api.done('GET', `/api/queue/tasks/${uuid}`)).toMatchObject({
      input: null,
      input_omitted: true,
    })
    const other = uuid.replace(/.$/, '4')
    await plantNested(other, 50_000)
    await api.refused(['GET', `/api/queue/tasks/${other}`], 'CORRUPT')
    assert.equal((await api.done<QueueTask[]>('GET', '/api/queue/tasks?text=small')).length, 1)
  })

  test('pages lead on by a cursor, newest first', async () => {
    await using store = await openStore('memory:')
    const { api, serving } = await opened(store)
    await using _ = serving
    const queue = new Queue(store)
    for (let n = 0; n < 25; n++) await queue.submit({ type: n % 2 ? 'odd' : 'even', input: n })
    const seen: unknown[] = []
    let next = '/api/queue/tasks?limit=4&type=even'
    for (;;) {
      const page = await api.get<QueueTask[]>(next)
      seen.push(...page.body.map(({ input }) => input))
      const cursor = page.headers.get('x-next-cursor')
      if (cursor === null) break
      next = `/api/queue/tasks?limit=4&type=even&cursor=${cursor}`
    }
    assert.deepEqual(
      [...seen].sort((a, b) => Number(a) - Number(b)),
      [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24],
    )
    const all = await queue.list({ limit: 5, type: 'none', readMax: 10 })
    assert.equal(all.tasks.length, 0)
    assert.notEqual(all.cursor, null)
  })
})

test('every code that these routes name was tried', () => assertAllTried(['/api/queue']))
