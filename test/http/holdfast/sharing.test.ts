import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Task as ListTask } from '../../../src/list/index.ts'
import { Plans } from '../../../src/plan/index.ts'
import { Queue, type Task as QueueTask, type Stats, Worker } from '../../../src/queue/index.ts'
import type { S3Requests } from '../../../src/store/drivers/s3/requests.ts'
import { s3Requests } from '../../../src/store/internal.ts'
import { onEveryStore } from '../../models/stores.ts'
import { measured } from '../../rounds.ts'
import { assertAll, directories, seed, withDirectories } from './ground.ts'
import { opened } from './served.ts'
import { Stream } from './stream.ts'

withDirectories()

onEveryStore('work that is shared over HTTP', { check: assertAll }, (ground) => {
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
    await using all = await Stream.open(serving.url)
    await using plansOnly = await Stream.open(serving.url, { models: 'plan' })
    for (const stream of [all, plansOnly])
      assert.deepEqual(await stream.next(), { event: 'resync', data: {} })
    const hears = async (model: string, id: string) => {
      const isMeant = ({ event, data }: { event: string; data: { model?: string; id?: string } }) =>
        event === 'change' && data.model === model && data.id === id
      await all.until(isMeant)
    }
    const item = await api.done<ListTask>('POST', '/api/list/tasks', { body: { text: 'x' } })
    await hears('list', item.id)
    const job = await api.done<{ id: string }>('POST', '/api/jobs', { body: { payload: 1 } })
    await hears('jobs', job.id)
    const leaf = await api.create({ title: 'x' })
    await hears('tree', leaf.id)
    const task = await api.done<QueueTask>('POST', '/api/queue/tasks', { body: { type: 'x' } })
    await hears('queue', task.id)
    const { session } = await new Plans(ground.store).start(directories.new)
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
    await using stream = await Stream.open(there.serving.url, { models: 'queue,list' })
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

onEveryStore('on S3', { check: assertAll, kinds: ['s3 (MinIO)'] }, (ground) => {
  test('twenty who follow the changes cost no more requests than one', async () => {
    const { serving } = await opened(ground.store)
    await using _ = serving
    const listed = () => (s3Requests(ground.store) as S3Requests).LIST
    const costOf = async (clients: number): Promise<number> => {
      const streams = await Promise.all(
        Array.from({ length: clients }, () => Stream.open(serving.url)),
      )
      for (const stream of streams) assert.equal((await stream.next())?.event, 'resync')
      const before = listed()
      // What they cost in this time is what is measured.
      await sleep(2_000)
      const cost = listed() - before
      for (const stream of streams) await stream[Symbol.asyncDispose]()
      return cost
    }
    await measured(
      async () => ({ one: await costOf(1), twenty: await costOf(20) }),
      ({ one, twenty }) => one > 10 && twenty < one * 1.5 + 10,
    )
  })
})
