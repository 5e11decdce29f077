import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { answerOf, ClientError, holdfastClient } from '../../src/client/index.ts'
import { Ground } from './ground.ts'

const refusal = (code: string, status: number | null) => (error: unknown) => {
  assert.ok(error instanceof ClientError)
  assert.equal(error.code, code, error.message)
  assert.equal(error.status, status)
  return true
}

describe('each model by its table', () => {
  test('jobs are submitted, claimed, completed and deleted', async () => {
    await using ground = await Ground.open()
    const { jobs } = ground.client
    const job = await jobs.submit({ payload: { to: 'ann' }, idempotency_key: 'k/1 ü' })
    assert.deepEqual(job.payload, { to: 'ann' })
    assert.equal(answerOf(job)?.status, 201)
    const again = await jobs.submit({ payload: null, idempotency_key: 'k/1 ü' })
    assert.equal(again.id, job.id)
    assert.equal(answerOf(again)?.status, 200)
    assert.equal((await jobs.byKey({ key: 'k/1 ü' })).id, job.id)
    const claimed = await jobs.claimNext({ worker_id: 'w' })
    assert.equal(claimed?.id, job.id)
    assert.equal(await jobs.claimNext({ worker_id: 'w' }), null)
    const { id, claim_token } = claimed
    const done = await jobs.complete({ id, claim_token, result: [1] })
    assert.equal(done.status, 'completed')
    await assert.rejects(jobs.delete({ id }, { ifMatch: job }), refusal('PRECONDITION_FAILED', 412))
    assert.equal(await jobs.delete({ id }, { ifMatch: done }), undefined)
    await assert.rejects(jobs.get({ id }), (error: ClientError) => {
      refusal('NOT_FOUND', 404)(error)
      assert.match(error.message, /\w/)
      return true
    })
  })

  test('the list takes tags, states and filters', async () => {
    await using ground = await Ground.open()
    const { list } = ground.client
    const task = await list.add({ text: 'Buy milk', tags: ['errand', 'shop'] })
    await list.add({ text: 'Sleep' })
    const { items, total } = await list.query({ any: ['errand', 'x'], done: false })
    assert.deepEqual([items.map(({ text }) => text), total], [['Buy milk'], 1])
    const done = await list.update({ id: task.id, done: true }, { ifMatch: task })
    await assert.rejects(
      list.update({ id: task.id, text: 'Buy beer' }, { ifMatch: task }),
      refusal('PRECONDITION_FAILED', 412),
    )
    const { etag } = answerOf(done) as { etag: string }
    await list.update({ id: task.id, text: 'Buy tea' }, { ifMatch: etag.slice(1, -1) })
    assert.deepEqual((await list.tags()).items, [
      { tag: 'errand', count: 1 },
      { tag: 'shop', count: 1 },
    ])
  })

  test('the queue submits, shows history and counts', async () => {
    await using ground = await Ground.open()
    const { queue } = ground.client
    const task = await queue.submit({ type: 'mail', input: { to: 'ann' }, delay_ms: 60_000 })
    const cancelled = await queue.cancel({ id: task.id }, { ifMatch: task })
    assert.equal(cancelled.status, 'cancelled')
    await assert.rejects(
      queue.archive({ id: task.id }, { ifMatch: task }),
      refusal('PRECONDITION_FAILED', 412),
    )
    assert.equal((await queue.history({ id: task.id })).items.length, 2)
    const stats = await queue.stats()
    assert.equal(stats.by_status.cancelled, 1)
    assert.ok(answerOf(stats)?.headers.has('Age'))
  })

  test('plans are started, changed and read', async () => {
    await using ground = await Ground.open()
    const { plan } = ground.client
    const { session } = await plan.start({ directory: '/home/ann/shop' })
    const { sid } = session
    await plan.setGoal({ sid, title: 'Ship 1.0' })
    const goal = await plan.goal({ sid })
    const after = await plan.addTasks({ sid, tasks: [{ title: 'Tag it' }] })
    assert.equal(after.tasks[0]?.status, 'pending')
    await plan.updateGoal({ sid, title: 'Ship 2', reason: 'later' }, { ifMatch: goal })
    await assert.rejects(
      plan.updateGoal({ sid, title: 'Ship 3', reason: 'later' }, { ifMatch: goal }),
      refusal('PRECONDITION_FAILED', 412),
    )
    const events = await plan.events({ sid, limit: 2 })
    assert.deepEqual([events.items.length, events.total], [2, 3])
    assert.equal((await plan.byDirectory({ directory: '/home/ann/shop/src' })).session.sid, sid)
  })
})

describe('the tree', () => {
  test('goes by the agent of the client, or by that of a call', async () => {
    await using ground = await Ground.open({ agent: 'ann' })
    const { tree } = ground.client
    const task = await tree.create({ title: 'Tag it', tags: ['docs'] })
    const claimed = await tree.claim({ id: task.id }, { ifMatch: task })
    assert.equal(claimed.claimed_by, 'ann')
    await assert.rejects(
      tree.complete({ id: task.id, agent: 'bob' }),
      refusal('NOT_CLAIM_OWNER', 403),
    )
    await assert.rejects(
      tree.release({ id: task.id }, { ifMatch: task }),
      refusal('PRECONDITION_FAILED', 412),
    )
    await tree.createSubtask({ id: task.id, title: 'Part' })
    const { items } = await tree.subtree({ id: task.id })
    assert.deepEqual(
      items.map(({ title }) => title),
      ['Tag it', 'Part'],
    )
    assert.deepEqual((await tree.setTags({ id: task.id, tags: [] })).tags, [])
    const { results } = await tree.bulk({ action: 'add_tags', task_ids: [task.id], tags: ['x'] })
    assert.deepEqual(results, [{ id: task.id, success: true }])
    assert.equal((await tree.list({ tag: ['x'] })).total, 1)
    await assert.rejects(
      tree.release({ id: task.id, agent: 'a\nb' }),
      refusal('invalid_request', null),
    )
    const nobody = holdfastClient({ url: ground.relay.url })
    await assert.rejects(nobody.tree.release({ id: task.id }), refusal('MISSING_AGENT', 400))
  })
})

describe('what is not sent', () => {
  test('inputs that are unknown, missing, or lead elsewhere', async () => {
    await using ground = await Ground.open()
    const { jobs, list } = ground.client
    const bad = [
      () => jobs.get({ id: '' }),
      () => jobs.get({ id: '..' }),
      () => jobs.get({} as never),
      () => jobs.submit({ payload: 1, key: 'x' } as never),
      () => jobs.get({ id: 'x' }, { ifMatch: '*' } as never),
    ]
    for (const ask of bad) await assert.rejects(ask, refusal('invalid_request', null))
    const { items } = await list.query()
    await assert.rejects(list.delete({ id: 'x' }, { ifMatch: items }), refusal('no_state', null))
    await assert.rejects(list.delete({ id: 'x' }, { ifMatch: {} }), refusal('no_state', null))
    assert.deepEqual(ground.relay.seen, ['GET /api/list/tasks'])
  })

  test('any text is part of a path', async () => {
    await using ground = await Ground.open()
    await assert.rejects(
      ground.client.jobs.get({ id: 'a/../b?c=1#d %2e' }),
      refusal('NOT_FOUND', 404),
    )
  })
})

describe('who asks', () => {
  const tokens = { token: 'sesame-sesame-sesame' }

  test('without a token, or with a wrong one, nothing is answered, and nothing retried', async () => {
    await using ground = await Ground.open({}, tokens)
    await assert.rejects(ground.client.jobs.list(), refusal('UNAUTHORIZED', 401))
    const wrong = holdfastClient({ url: ground.relay.url, token: 'x' })
    await assert.rejects(wrong.list.add({ text: 'x' }), refusal('UNAUTHORIZED', 401))
    await assert.rejects(wrong.changes().next(), refusal('UNAUTHORIZED', 401))
    assert.equal(ground.relay.seen.length, 3)
    const right = holdfastClient({ url: ground.relay.url, ...tokens })
    assert.equal((await right.jobs.list()).items.length, 0)
    assert.equal((await right.changes().next()).value?.type, 'resync')
  })

  test('a URL may end with a slash, and any route can be asked for', async () => {
    await using ground = await Ground.open()
    const client = holdfastClient({ url: `${ground.relay.url}/` })
    const about = await client.request<{ models: string[] }>('GET', '/api/models')
    assert.ok(about.models.includes('jobs'))
  })
})
