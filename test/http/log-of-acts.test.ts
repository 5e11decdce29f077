import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { Queue } from '../../src/queue/index.ts'
import { Repository } from '../../src/queue/repository.ts'
import { openStore, type Store } from '../../src/store/index.ts'
import { eventually } from '../eventually.ts'
import { json, logging } from './logging.ts'
import { bearer } from './named/bearers.ts'
import { nobody } from './served.ts'

/** A task of the queue whose worker has not been heard of since yesterday. */
async function claimedLongAgo(store: Store): Promise<string> {
  const nowMs = Date.now() - 24 * 3_600_000
  const { id } = await new Queue(store, { now: () => nowMs }).submit({ type: 'held' })
  await new Repository(store, () => {}).change(id, ['claim', { workerId: 'w', leaseId, nowMs }])
  return id
}

const leaseId = '11111111-1111-4111-8111-111111111111'

/** How to call tools and routes of a server, and what it has logged of that. */
function client(server: Awaited<ReturnType<typeof logging>>) {
  const headers = { ...json, Accept: 'application/json, text/event-stream', 'X-Agent-ID': 'ann' }
  const send = async (method: string, path: string, body: object) => {
    const { text } = await server.ask(path, { method, headers, body: JSON.stringify(body) })
    return text === '' ? null : JSON.parse(text.replace(/^[^{]*/, ''))
  }
  const post = (path: string, body: object) => send('POST', path, body)
  const call = async (name: string, args: object) => {
    const params = { name, arguments: args }
    const { result } = await post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    return JSON.parse(result.content[0].text)
  }
  const told = () =>
    server.logged().map(({ event, action, change, id, ids }) => [event, action, change, id, ids])
  return { send, post, call, told }
}

describe('--log json, where one request asks for several things', () => {
  test('tells of /mcp what each tool changed, and which were refused', async () => {
    await using store = await openStore('memory:')
    const [ci, ann] = [await bearer(store, 'ci', 'work'), await bearer(store, 'ann', 'read')]
    await using server = await logging({}, store)
    const call = (headers: object, ...calls: [name: string, args: object][]) => {
      const all = calls.map(([name, args], id) => ({
        ...{ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } },
      }))
      const body = JSON.stringify(all.length === 1 ? all[0] : all)
      const accept = { Accept: 'application/json, text/event-stream' }
      return server.ask('/mcp', {
        method: 'POST',
        headers: { ...json, ...accept, ...headers },
        body,
      })
    }
    const told = () =>
      server
        .logged()
        .map(({ event, code, status, route, action, who }) => [
          ...[event, code, status, route, action, who],
        ])
    await call(ci, ['tree_create', { title: 'private words' }])
    await call(ci, ['tree_change', { action: 'claim', agent: 'ci/7' }])
    await call(ci, ['tree_list', {}])
    await call(ann, ['list_add', { text: 'x' }])
    await call(ci, ['list_change', { id: 'abc', done: true }])
    await call(ci, ['tree_create', { title: 'x', agent: 'mallory' }])
    await call({ 'X-Agent-ID': 'bob' }, ['list_add', { text: 'y' }])
    assert.deepEqual(told(), [
      ['change', undefined, 200, '/mcp', 'tree_create', 'ci'],
      ['change', undefined, 200, '/mcp', 'tree_change', 'ci/7'],
      ['refusal', 'FORBIDDEN_ROLE', 200, '/mcp', 'list_add', 'ann'],
      ['refusal', 'not_found', 200, '/mcp', 'list_change', 'ci'],
      ['refusal', 'FORBIDDEN_AGENT', 200, '/mcp', 'tree_create', 'ci'],
      ['change', undefined, 200, '/mcp', 'list_add', 'bob'],
    ])
    await server.ask('/mcp', { method: 'DELETE', headers: ci })
    await call({ ...ci, 'X-Agent-ID': 'mallory' }, ['list_add', { text: 'z' }])
    assert.deepEqual(told(), [
      ['refusal', undefined, 405, '/mcp', undefined, 'ci'],
      ['refusal', 'FORBIDDEN_AGENT', 403, '/mcp', undefined, 'ci'],
    ])
  })

  test('says what tools changed of tree and list, and nothing where nothing was', async () => {
    await using server = await logging()
    const { call, told } = client(server)
    const { id } = await call('tree_create', { title: 'a' })
    assert.deepEqual(told(), [['change', 'tree_create', undefined, id, undefined]])
    await call('tree_create', { title: 'a' })
    assert.deepEqual(told(), [])
    for (const action of ['claim', 'release', 'claim', 'block', 'unblock', 'claim', 'complete']) {
      await call('tree_change', { action, id: id.slice(0, 30), note: 'x' })
      assert.deepEqual(told(), [['change', 'tree_change', action, id, undefined]])
    }
    await call('tree_change', { action: 'complete', id })
    await call('tree_change', { action: 'claim' })
    assert.deepEqual(told(), [])
    await call('tree_change', { action: 'release', id })
    assert.deepEqual(told(), [['refusal', 'tree_change', 'release', id, undefined]])

    const { id: shortId } = await call('list_add', { text: 'b' })
    const [[, , , longId] = []] = told()
    assert.match(String(longId), new RegExp(`^${shortId}[0-9a-f]{112}$`))
    await call('list_add', { text: 'b' })
    assert.deepEqual(told(), [])
    for (const isNew of [true, false]) {
      await call('list_change', { id: shortId, done: true })
      assert.deepEqual(
        told(),
        isNew ? [['change', 'list_change', undefined, longId, undefined]] : [],
      )
    }
  })

  test('says what was changed of a plan', async () => {
    await using server = await logging()
    const { send, post, call, told } = client(server)
    const directory = '/nowhere/at/all'
    const { session } = await call('plan_goal', { directory, title: 'c' })
    assert.deepEqual(told(), [
      ['change', 'plan_goal', 'start', session, undefined],
      ['change', 'plan_goal', 'goal', session, undefined],
    ])
    const titles = Array.from({ length: 25 }, (_, nth) => ({ title: `task ${nth}` }))
    await call('plan_tasks', { directory, add: titles })
    const [{ id: planId, ids, more } = {}] = server.logged()
    assert.deepEqual([planId, (ids as string[]).length, more], [session, 20, 5])
    const [first, second] = ids as string[]
    const update = [first, second].map((each) => ({ id: each, status: 'completed' }))
    await call('plan_tasks', { directory, update })
    assert.deepEqual(told(), [['change', 'plan_tasks', 'update-tasks', session, [first, second]]])
    await send('PATCH', `/api/plans/${session}/tasks`, { tasks: update })
    assert.deepEqual(told(), [])
    await send('PATCH', `/api/plans/${session}/tasks`, {
      tasks: [{ id: first, status: 'pending' }],
    })
    assert.deepEqual(told(), [['change', undefined, undefined, session, [first]]])
    await post('/api/plans', { directory })
    assert.deepEqual(told(), [])
  })

  test('says which job was claimed, and nothing of keys that were there', async () => {
    await using server = await logging()
    const { post, told } = client(server)
    const job = await post('/api/jobs', { payload: 1, idempotency_key: 'k' })
    assert.deepEqual(told(), [['change', undefined, undefined, job.id, undefined]])
    await post('/api/jobs', { payload: 1, idempotency_key: 'k' })
    assert.deepEqual(told(), [])
    await post('/api/jobs/claim-next', { worker_id: 'ann' })
    assert.deepEqual(told(), [['change', 'claim', undefined, job.id, undefined]])
    await post('/api/jobs/claim-next', { worker_id: 'ann' })
    assert.deepEqual(told(), [])

    const task = await post('/api/queue/tasks', { type: 't', idempotency_key: 'k' })
    assert.deepEqual(told(), [['change', undefined, undefined, task.id, undefined]])
    await post('/api/queue/tasks', { type: 't', idempotency_key: 'k' })
    assert.deepEqual(told(), [])
  })

  test('tells which claims the server took back', async () => {
    const lines: string[] = []
    const store = await openStore('memory:')
    const held = await claimedLongAgo(store)
    const options = {
      claimTimeoutMs: 1,
      maintenanceMs: 50,
      monitor: { checkIntervalMs: 50 },
      log: (line: string) => lines.push(line),
    }
    await using server = await logging(options, store)
    const headers = { ...json, 'X-Agent-ID': 'ann' }
    const post = async (path: string, body: object) =>
      JSON.parse(
        (await server.ask(path, { method: 'POST', headers, body: JSON.stringify(body) })).text,
      )
    const { id } = await post('/api/tasks', { title: 'a' })
    await post(`/api/tasks/${id}/claim`, {})
    await eventually(() =>
      assert.ok(lines.includes(`Maintenance: 1 stale claims released (${id}).`)),
    )
    await eventually(() => assert.ok(lines.includes(`Queue: 1 expired leases ended (${held}).`)))
  })

  test('tells of a bulk request what became of each task', async () => {
    await using server = await logging()
    const headers = { ...json, 'X-Agent-ID': 'ann' }
    const post = (path: string, body: object) =>
      server.ask(path, { method: 'POST', headers, body: JSON.stringify(body) })
    const [first, second] = await Promise.all(
      ['a', 'b'].map(async (title) => JSON.parse((await post('/api/tasks', { title })).text).id),
    )
    await post(`/api/tasks/${second}/claim`, {})
    server.logged()
    await post('/api/tasks/bulk', { action: 'delete', task_ids: [first, second, nobody] })
    assert.deepEqual(
      server
        .logged()
        .map(({ event, status, code, route, id, action, who }) => [
          ...[event, status, code, route, id, action, who],
        ]),
      [
        ['change', 200, undefined, '/api/tasks/bulk', first, 'delete', 'ann'],
        ['refusal', 200, 'TASK_ACTIVE', '/api/tasks/bulk', second, 'delete', 'ann'],
        ['refusal', 200, 'TASK_NOT_FOUND', '/api/tasks/bulk', nobody, 'delete', 'ann'],
      ],
    )
    await post('/api/tasks/bulk', { action: 'delete' })
    assert.deepEqual(
      server.logged().map(({ event, status, code }) => [event, status, code]),
      [['refusal', 400, 'INVALID_BODY']],
    )
  })
})
