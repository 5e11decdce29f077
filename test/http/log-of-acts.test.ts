import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { openStore } from '../../src/store/index.ts'
import { json, logging } from './logging.ts'
import { bearer } from './named/bearers.ts'
import { nobody } from './served.ts'

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
