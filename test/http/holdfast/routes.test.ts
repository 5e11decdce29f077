import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { TaskManager } from '../../../src/jobs/index.ts'
import { type Task as ListTask, TaskList } from '../../../src/list/index.ts'
import { Plans } from '../../../src/plan/index.ts'
import { Queue, type Task as QueueTask, type Stats, Worker } from '../../../src/queue/index.ts'
import type { Store } from '../../../src/store/index.ts'
import { TaskTree } from '../../../src/tree/index.ts'
import { assertLayout as assertJobs } from '../../jobs/layout.ts'
import { assertTagLists } from '../../list/layout.ts'
import { onEveryStore } from '../../models/stores.ts'
import { assertLayout as assertPlans } from '../../plan/layout.ts'
import { assertLayout as assertTree } from '../../tree/layout.ts'
import { opened } from './served.ts'
import { Stream } from './stream.ts'

const assertAll = async (store: Store) => {
  await assertTagLists(store)
  await assertPlans(store)
  await assertJobs(store)
  await assertTree(store)
}

interface Job {
  readonly id: string
  readonly status: string
  readonly payload: unknown
  readonly result: unknown
  readonly attempts: number
}

const told = { cmd: 'test', reason: null }

const directory = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-http-')))
const [oldDirectory, newDirectory] = [join(directory, 'old'), join(directory, 'new')]
for (const each of [oldDirectory, newDirectory]) mkdirSync(each)
afterAll(() => rmSync(directory, { recursive: true }))

/** Something in every model. */
async function seed(store: Store): Promise<void> {
  await new TaskList(store).add('seed')
  await new Plans(store).start(oldDirectory)
  await using jobs = new TaskManager(store)
  await jobs.submit({ payload: new Uint8Array() })
  await new TaskTree(store).create({ title: 'seed' }, 'ann')
  await new Queue(store).submit({ type: 'seed' })
}

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
    const { session: old } = await plans.start(oldDirectory)
    await plans.archive(old.sid)
    const { session } = await plans.start(newDirectory)
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
      idempotencyKey: 'mail/ann ü',
      maxAttempts: 1,
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
    expect(more).toMatchObject({ status: 'pending', maxAttempts: 3 })
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

  test('queue: submit, run, look back, archive, replay, cancel', async () => {
    const { api, serving } = await opened(ground.store)
    await using _ = serving
    const submit = (body: object) =>
      api.ask<QueueTask>('POST', '/api/queue/tasks', { body: { type: 'greet', ...body } })
    const good = await submit({ input: { name: 'ann' }, idempotency_key: 'k', timeout_seconds: 60 })
    assert.equal(good.status, 201)
    expect(good.body).toMatchObject({ task_type: 'greet', status: 'pending', timeout_seconds: 60 })
    const path = `/api/queue/tasks/${good.body.id}`
    assert.equal(good.headers.get('location'), path)
    const again = await submit({ input: 'other', idempotency_key: 'k' })
    assert.deepEqual([again.status, again.body.id], [200, good.body.id])
    const bad = await submit({ input: 'bad', max_retries: 0 })
    const later = await submit({ input: 'later', delay_ms: 3_600_000 })
    const worker = new Worker(ground.store, {
      handlers: {
        greet: async (input: unknown) => {
          if (input === 'bad') throw new Error('not today')
          return { hello: input }
        },
      },
    } as never)
    await worker.start()
    const queue = new Queue(ground.store)
    for (const { id } of [good.body, bad.body]) await queue.wait(id)
    const [worked] = await api.done<{ worker_id: string; status: string }[]>(
      'GET',
      '/api/queue/workers',
    )
    assert.equal(worked?.status, 'active')
    await worker.stop()
    const done = await api.done<QueueTask>('GET', path)
    expect(done).toMatchObject({ status: 'completed', output: { hello: { name: 'ann' } } })
    const history = await api.done<{ version: number; task: QueueTask }[]>('GET', `${path}/history`)
    assert.deepEqual(
      history.map(({ version, task }) => [version, task.status]),
      [
        [1, 'pending'],
        [2, 'running'],
        [3, 'completed'],
      ],
    )
    const ids = async (query: string) =>
      (await api.done<QueueTask[]>('GET', `/api/queue/tasks${query}`)).map(({ id }) => id)
    assert.deepEqual(await ids('?status=failed'), [bad.body.id])
    assert.deepEqual(await ids('?text=NOT%20today'), [bad.body.id])
    assert.deepEqual(await ids(`?type=greet&shard=${later.body.shard}&status=pending`), [
      later.body.id,
    ])
    const stats = await api.done<Stats>('GET', '/api/queue/stats')
    expect(stats).toMatchObject({ total: 3, by_type: { greet: { pending: 1, failed: 1 } } })
    const status = async (id: string, verb: string) =>
      (await api.done<QueueTask>('POST', `/api/queue/tasks/${id}/${verb}`)).status
    assert.equal(await status(bad.body.id, 'replay'), 'pending')
    assert.equal((await api.done<Stats>('GET', '/api/queue/stats')).by_status.failed, 0)
    assert.equal(await status(bad.body.id, 'cancel'), 'cancelled')
    assert.equal(await status(good.body.id, 'archive'), 'archived')
    assert.deepEqual(await ids('?status=archived'), [good.body.id])
    assert.equal((await ids('')).includes(good.body.id), false)
    assert.equal(await status(good.body.id, 'unarchive'), 'completed')
    const no = await api.refused(['POST', `${path}/replay`], 'REFUSED')
    expect(no).toMatchObject({ reason: 'INVALID_TRANSITION', status: 'completed' })
  })

  test('changes of every model are told, and only of those that are asked for', async () => {
    const { api, serving } = await opened(ground.store)
    await using _ = serving
    // A model that has nothing yet may be told of by a resync; later on by name.
    await seed(ground.store)
    await using all = await Stream.open(`${serving.url}/api/changes`)
    await using plansOnly = await Stream.open(`${serving.url}/api/changes?models=plan`)
    for (const stream of [all, plansOnly])
      assert.deepEqual(await stream.next(), { event: 'resync', data: {} })
    const hears = async (model: string, id: string) => {
      const isMeant = ({ event, data }: { event: string; data: { model?: string; id?: string } }) =>
        event === 'change' && data.model === model && data.id === id
      await all.until(isMeant)
    }
    const item = await api.done<ListTask>('POST', '/api/list/tasks', { body: { text: 'x' } })
    await hears('list', item.id)
    const job = await api.done<Job>('POST', '/api/jobs', { body: { payload: 1 } })
    await hears('jobs', job.id)
    const leaf = await api.create({ title: 'x' })
    await hears('tree', leaf.id)
    const task = await api.done<QueueTask>('POST', '/api/queue/tasks', { body: { type: 'x' } })
    await hears('queue', task.id)
    const { session } = await new Plans(ground.store).start(newDirectory)
    await hears('plan', session.sid)
    const { event, data } = await plansOnly.until(({ event }) => event !== 'resync')
    assert.deepEqual([event, data], ['change', { model: 'plan', id: session.sid }])
  })

  test('two servers on one store: what one does the other tells and shows', async () => {
    const here = await opened(ground.store)
    await using _ = here.serving
    const there = await opened(await ground.open())
    await using __ = there.serving
    await seed(ground.store)
    await using stream = await Stream.open(`${there.serving.url}/api/changes?models=queue,list`)
    assert.equal((await stream.next())?.event, 'resync')
    const task = await here.api.done<QueueTask>('POST', '/api/queue/tasks', { body: { type: 'x' } })
    await stream.until(({ data }) => data.id === task.id)
    assert.deepEqual(await there.api.done('GET', `/api/queue/tasks/${task.id}`), task)
    const cancelled = await Promise.all(
      [here, there].map(({ api }) =>
        api.ask<QueueTask>('POST', `/api/queue/tasks/${task.id}/cancel`),
      ),
    )
    // Whoever comes second finds it so already.
    assert.deepEqual(
      cancelled.map(({ status, body }) => [status, body.status]),
      [
        [200, 'cancelled'],
        [200, 'cancelled'],
      ],
    )
    const item = await there.api.done<ListTask>('POST', '/api/list/tasks', { body: { text: 'y' } })
    await stream.until(({ data }) => data.id === item.id)
    assert.deepEqual(await here.api.done('GET', `/api/list/tasks/${item.id}`), item)
  })
})
