import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import type { Serving } from '../../../src/http/index.ts'
import type { Operation } from '../../../src/http/openapi.ts'
import { openStore, type Store, StoreError } from '../../../src/store/index.ts'
import { eventually } from '../../eventually.ts'
import { askRaw, request } from '../raw.ts'
import { Caller, type Refused } from '../served.ts'
import { opened, servedAll } from './served.ts'

let store: Store
let serving: Serving
let api: Caller
const log: string[] = []

beforeAll(async () => {
  store = await openStore('memory:')
  ;({ api, serving } = await opened(store, { log: (line) => log.push(line) }))
})
afterAll(async () => {
  await serving[Symbol.asyncDispose]()
  await store[Symbol.asyncDispose]()
})

const hostileIds = [
  '%00',
  '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '__proto__',
  'constructor',
  'x'.repeat(4_000),
  '%F0%9F%A6%84',
  '%E2%80%AE',
  '%ff',
  '%',
  '%2F',
  "'%20or%201=1",
  '*',
  '%0d%0aX-Evil:1',
]

const bodies = [
  '{',
  '[]',
  'null',
  '7',
  '"x"',
  '{"__proto__":{"admin":true}}',
  '{"colour":"red"}',
  '{"text":{},"payload":1,"type":[]}',
  `{"payload":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
  `{"input":"${'x'.repeat(1_100_000)}"}`,
]

/** The routes that are new; those of the tree have tests of their own. */
const operations = () =>
  Object.entries(api.document.paths)
    .filter(([path]) => !/^\/api\/(tasks|events|changes)/.test(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    )

const isForeseen = (operation: Operation, status: number) =>
  status === 404 || status === 405 || Object.hasOwn(operation.responses, status)

describe('whatever is sent', () => {
  test('hostile ids, on every route that takes one', async () => {
    const taking = operations().filter(({ path }) => path.includes('{'))
    assert.ok(taking.length > 10)
    for (const { path, method, operation } of taking)
      for (const id of hostileIds) {
        const at = `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, id)}`
        const { status } = await askRaw(serving.url, request(at, ['Content-Length: 0']))
        assert.ok(status < 500 && isForeseen(operation, status), `${at.slice(0, 100)}: ${status}`)
      }
    assert.deepEqual(log, [])
  })

  test('bodies that are none, too deep or too large, on every route that takes one', async () => {
    const taking = operations().filter(({ method }) => method !== 'get')
    for (const { path, method } of taking)
      for (const body of bodies) {
        const response = await fetch(`${serving.url}${path.replaceAll(/\{\w+\}/g, 'abcdef')}`, {
          method: method.toUpperCase(),
          headers: { 'Content-Type': 'application/json' },
          body,
        })
        const { code } = (await response.json()) as Refused
        assert.match(
          code,
          /^(INVALID_BODY|BODY_TOO_LARGE)$/,
          `${method} ${path} ${body.slice(0, 40)}`,
        )
      }
    assert.equal(({} as Record<string, unknown>)['admin'], undefined)
    assert.deepEqual(log, [])
  })

  test('words of a query that nobody knows, or twice, on every route', async () => {
    for (const { path, method } of operations())
      for (const query of [
        'colour=red',
        '__proto__=1',
        'limit=1&limit=2',
        '%00=%00',
        'cursor=%00',
      ]) {
        const url = `${path.replaceAll(/\{\w+\}/g, 'abcdef')}?${query}`
        const { status, body } = await api.ask<Refused>(method.toUpperCase(), url)
        assert.deepEqual([status, body.code], [400, 'INVALID_QUERY'], `${method} ${url}`)
      }
    assert.deepEqual(log, [])
  })
})

describe('a store that fails', () => {
  test('is 503 on every route that reads it, and says what became of it', async () => {
    await using inner = await openStore('memory:')
    const state = { isAway: false }
    const away = new Proxy(inner, {
      get(target, name) {
        const value = Reflect.get(target, name, target)
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => {
          if (!state.isAway || !['get', 'list', 'scan', 'commit'].includes(String(name)))
            return value.apply(target, args)
          throw new StoreError('down', 'It is away.', 'Try again.')
        }
      },
    })
    await using there = await servedAll(away)
    await using watched = await servedAll(away, { token: 'sesame' })
    const caller = await Caller.to(there.url)
    state.isAway = true
    const reading = [
      '/api/list/tasks',
      '/api/list/tags',
      '/api/plans',
      '/api/jobs',
      '/api/queue/tasks',
    ]
    for (const path of [...reading, '/api/queue/stats', '/api/queue/workers', '/api/tasks'])
      await caller.refused(['GET', path], 'STORE_UNAVAILABLE')
    await caller.refused(['POST', '/api/queue/tasks'], 'STORE_UNAVAILABLE', { body: { type: 'x' } })
    await caller.refused(['POST', '/api/jobs'], 'STORE_UNAVAILABLE', { body: { payload: 1 } })
    await caller.refused(['POST', '/api/jobs/claim-next'], 'STORE_UNAVAILABLE', {
      body: { worker_id: 'w' },
    })
    await caller.refused(['POST', '/api/plans'], 'STORE_UNAVAILABLE', { body: { directory: '/x' } })
    await caller.refused(['POST', '/api/plans/0/goal'], 'STORE_UNAVAILABLE', {
      body: { title: 'x' },
    })
    // Without a token the store decides, half a second after its tokens were read; the server's own token needs no store.
    await eventually(async () => assert.equal((await fetch(`${there.url}/metrics`)).status, 503))
    const headers = { Authorization: 'Bearer sesame' }
    const metrics = await fetch(`${watched.url}/metrics`, { headers })
    assert.equal(metrics.status, 200)
    assert.match(await metrics.text(), /^holdfast_store_up 0$/m)
    state.isAway = false
    assert.deepEqual(await caller.done('GET', '/api/queue/tasks'), [])
  })
})
