import assert from 'node:assert/strict'
import { expect, test } from 'vitest'
import { TaskManager } from '../../../src/jobs/index.ts'
import type { Task as ListTask } from '../../../src/list/index.ts'
import { Plans } from '../../../src/plan/index.ts'
import { onEveryStore } from '../../models/stores.ts'
import { assertAll, directories, withDirectories } from './ground.ts'
import { opened } from './served.ts'

withDirectories()

interface Job {
  readonly id: string
  readonly status: string
  readonly payload: unknown
  readonly result: unknown
  readonly attempts: number
}

const told = { cmd: 'test', reason: null }

onEveryStore('all models over HTTP', { check: assertAll }, (ground) => {
  test('what is served', async () => {
    const { api, serving } = await opened(ground.store, { storeKind: 'here', version: '1.2.3' })
    await using _ = serving
    const { now, ...rest } = await api.done<Record<string, unknown>>('GET', '/api/models')
    assert.deepEqual(rest, {
      store: 'here',
      durability: ground.store.limits.durability,
      version: '1.2.3',
      models: ['list', 'plan', 'jobs', 'tree', 'queue'],
    })
    assert.ok(Math.abs(Date.parse(now as string) - Date.now()) < 60_000)
  })

  test('list: add, find, change, delete, tags', async () => {
    const { api, serving } = await opened(ground.store)
    await using _ = serving
    const made = await api.ask<ListTask>('POST', '/api/list/tasks', {
      body: { text: ' Buy milk ', tags: ['Errand', 'shop'] },
    })
    assert.equal(made.status, 201)
    expect(made.body).toMatchObject({ text: 'Buy milk', done: false, tags: ['errand', 'shop'] })
    const path = `/api/list/tasks/${made.body.id}`
    assert.equal(made.headers.get('location'), path)
    for (const text of ['Two', 'Three'])
      await api.done('POST', '/api/list/tasks', { body: { text, tags: ['errand'] } })
    const texts = async (query: string) =>
      (await api.done<ListTask[]>('GET', `/api/list/tasks${query}`)).map(({ text }) => text)
    assert.deepEqual(await texts(''), ['Buy milk', 'Two', 'Three'])
    assert.deepEqual(await texts('?all=errand,shop'), ['Buy milk'])
    assert.deepEqual(await texts('?any=shop,nothing'), ['Buy milk'])
    const page = await api.get<ListTask[]>('/api/list/tasks?limit=1&offset=1&any=errand')
    assert.deepEqual([page.body[0]?.text, page.headers.get('x-total-count')], ['Two', '3'])
    assert.match(page.headers.get('link') as string, /offset=2&any=errand>; rel="next"/)
    const short = `/api/list/tasks/${made.body.id.slice(0, 40)}`
    const done = await api.done<ListTask>('PATCH', short, { body: { done: true, tags: [] } })
    expect(done).toMatchObject({ text: 'Buy milk', done: true, tags: [] })
    assert.deepEqual(await api.done('GET', path), done)
    assert.deepEqual(await texts('?done=false'), ['Two', 'Three'])
    assert.deepEqual(await api.done('GET', '/api/list/tags'), [{ tag: 'errand', count: 2 }])
    assert.equal((await api.ask('DELETE', path)).status, 204)
    await api.refused(['GET', path], 'NOT_FOUND')
    await api.refused(['DELETE', path], 'NOT_FOUND')
  })

  test('plans: sessions, a plan, its events', async () => {
    const { api, serving } = await opened(ground.store)
    await using _ = serving
    const plans = new Plans(ground.store)
    const { session: old } = await plans.start(directories.old)
    await plans.archive(old.sid)
    const { session } = await plans.start(directories.new)
    await plans.setGoal(session.sid, { title: 'Ship it', description: 'All green.' }, told)
    await plans.addTasks(session.sid, [{ title: 'One' }, { title: 'Two' }] as never, told)
    const listed = await api.get<{ session: { sid: string }; goal: unknown }[]>('/api/plans')
    assert.deepEqual(
      listed.body.map(({ session: { sid } }) => sid),
      [session.sid, old.sid],
    )
    assert.equal(listed.headers.get('x-total-count'), '2')
    expect(listed.body[0]?.goal).toMatchObject({ title: 'Ship it' })
    assert.equal(listed.body[1]?.goal, null)
    const second = await api.get<typeof listed.body>('/api/plans?limit=1&offset=1')
    assert.deepEqual(second.body, listed.body.slice(1))
    const path = `/api/plans/${session.sid}`
    const plan = await api.done<{ tasks: { title: string }[] }>('GET', path)
    assert.deepEqual(
      plan.tasks.map(({ title }) => title),
      ['One', 'Two'],
    )
    assert.deepEqual(await api.done('GET', `/api/plans/${session.sid.toLowerCase()}`), plan)
    const events = await api.get<{ seq: number; type: string }[]>(`${path}/events?limit=2`)
    assert.deepEqual(
      events.body.map(({ seq, type }) => [seq, type]),
      [
        [2, 'task_added'],
        [3, 'task_added'],
      ],
    )
    assert.equal(events.headers.get('x-total-count'), '3')
    await api.refused(['GET', '/api/plans/01ZZZZZZZZZZZZZZZZZZZZZZZZ'], 'NOT_FOUND')
    await api.refused(['GET', '/api/plans/01ZZZZZZZZZZZZZZZZZZZZZZZZ/events'], 'NOT_FOUND')
  })

  test('jobs: submit, once for a key, work, retry, delete', async () => {
    const { api, serving } = await opened(ground.store)
    await using _ = serving
    await using jobs = new TaskManager(ground.store)
    const given = { payload: { to: 'ann' }, idempotency_key: 'mail/ann ü', max_attempts: 1 }
    const made = await api.ask<Job>('POST', '/api/jobs', { body: given })
    assert.equal(made.status, 201)
    expect(made.body).toMatchObject({
      payload: { to: 'ann' },
      status: 'pending',
      idempotency_key: 'mail/ann ü',
      max_attempts: 1,
    })
    const path = made.headers.get('location') as string
    const again = await api.ask<Job>('POST', '/api/jobs', { body: { ...given, payload: 2 } })
    assert.deepEqual([again.status, again.body], [200, made.body])
    const byKey = `/api/jobs/by-key?key=${encodeURIComponent('mail/ann ü')}`
    assert.deepEqual(await api.done('GET', byKey), made.body)
    await api.refused(['GET', '/api/jobs/by-key?key=other'], 'NOT_FOUND')
    await jobs.claim(made.body.id, 'w')
    const active = await api.refused(['DELETE', path], 'REFUSED')
    assert.equal(active['reason'], 'TASK_NOT_TERMINAL')
    await jobs.fail(made.body.id, new Error('no'))
    assert.equal((await api.done<Job>('GET', path)).status, 'failed')
    const spent = await api.refused(['POST', `${path}/retry`], 'REFUSED')
    assert.equal(spent['reason'], 'MAX_ATTEMPTS_REACHED')
    const more = await api.done<Job>('POST', `${path}/retry`, { body: { attempts: 2 } })
    expect(more).toMatchObject({ status: 'pending', max_attempts: 3 })
    await jobs.claim(made.body.id, 'w')
    await jobs.complete(made.body.id, new Uint8Array([255, 0]))
    assert.deepEqual((await api.done<Job>('GET', path)).result, { base64: '/wA=' })
    assert.equal((await api.ask('DELETE', path)).status, 204)
    await api.refused(['GET', path], 'NOT_FOUND')
    await api.refused(['GET', byKey], 'NOT_FOUND')
  })

  test('jobs: lists by status, page by page', async () => {
    const { api, serving } = await opened(ground.store)
    await using _ = serving
    await using jobs = new TaskManager(ground.store)
    for (let n = 0; n < 5; n++) await api.done('POST', '/api/jobs', { body: { payload: n } })
    const first = await api.get<Job[]>('/api/jobs?limit=3')
    assert.deepEqual(
      first.body.map(({ payload }) => payload),
      [0, 1, 2],
    )
    const cursor = first.headers.get('x-next-cursor') as string
    const rest = await api.get<Job[]>(`/api/jobs?limit=3&cursor=${encodeURIComponent(cursor)}`)
    assert.deepEqual(
      rest.body.map(({ payload }) => payload),
      [3, 4],
    )
    assert.equal(rest.headers.get('x-next-cursor'), null)
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') as string)?.[1] as string
    assert.deepEqual(await api.done('GET', next), rest.body)
    await jobs.claimNext('w')
    const claimed = await api.done<Job[]>('GET', '/api/jobs?status=claimed')
    assert.deepEqual(
      claimed.map(({ payload }) => payload),
      [0],
    )
  })
})
