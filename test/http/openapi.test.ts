import assert from 'node:assert/strict'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, test } from 'vitest'
import { offsetHeaders } from '../../src/http/paging.ts'
import { nodeJson } from '../../src/http/tree/node-json.ts'
import { openStore } from '../../src/store/index.ts'
import type { TaskNode } from '../../src/tree/index.ts'
import { Caller, served } from './served.ts'

describe('the OpenAPI document', () => {
  test('is valid, and tells of every route', async () => {
    await using store = await openStore('memory:')
    await using serving = await served(store, { version: '1.2.3' })
    const { document } = await Caller.to(serving.url)
    const { valid, errors } = await new Validator().validate({ ...document })
    assert.ok(valid, JSON.stringify(errors))
    assert.deepEqual([document.openapi, document.info.version], ['3.1.0', '1.2.3'])
    const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    assert.deepEqual(routes.sort(), wanted.map((route) => route.replace(':id', '{id}')).sort())
    assert.ok(!JSON.stringify(document).includes('errorCode'))
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    )
    assert.equal(new Set(ids).size, ids.length)
  })
})

const verbs = ['claim', 'reclaim', 'release', 'complete', 'block', 'unblock', 'approve', 'reject']
const wanted = [
  ...['POST /api/tasks', 'GET /api/tasks', 'GET /api/tasks/ready', 'POST /api/tasks/bulk'],
  ...['GET', 'PATCH', 'DELETE'].map((method) => `${method} /api/tasks/:id`),
  ...['PATCH /api/tasks/:id/status', 'POST /api/tasks/:id/subtasks'],
  ...[...verbs, 'restore', 'reparent'].map((verb) => `POST /api/tasks/:id/${verb}`),
  ...['subtree', 'ancestors', 'children', 'history', 'grimoire-match'].map(
    (view) => `GET /api/tasks/:id/${view}`,
  ),
  ...['POST', 'PUT', 'DELETE'].map((method) => `${method} /api/tasks/:id/tags`),
  'GET /api/events',
]

describe('the page at /docs', () => {
  test('shows every route and code, runs nothing, and asks nobody else', async () => {
    await using store = await openStore('memory:')
    await using serving = await served(store)
    const { document } = await Caller.to(serving.url)
    const response = await fetch(`${serving.url}/docs`)
    assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8')
    const policy = response.headers.get('content-security-policy') as string
    assert.match(policy, /^default-src 'none'; style-src 'self';/)
    assert.ok(!policy.includes('unsafe'))
    const page = await response.text()
    for (const [path, methods] of Object.entries(document.paths))
      for (const { operationId, summary } of Object.values(methods)) {
        assert.ok(page.includes(`<code>${path}</code>`), path)
        assert.ok(page.includes(`id="${operationId}"`), operationId)
        assert.ok(page.includes(summary.replaceAll("'", '&#39;')), summary)
      }
    for (const code of ['ALREADY_CLAIMED', 'WOULD_CREATE_CYCLE', 'STORE_UNAVAILABLE'])
      assert.ok(page.includes(`<code>${code}</code>`))
    assert.doesNotMatch(page, /<script|\son\w+=|style=|https?:\/\//)
    const css = await (await fetch(`${serving.url}/docs.css`)).text()
    assert.match(css, /prefers-color-scheme: dark/)
    assert.doesNotMatch(css, /url\(|@import/)
    const anchors = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id as string)
    for (const id of anchors) assert.ok(page.includes(`id="${id}"`), id)
  })
})

describe('a subtree as JSON', () => {
  const node = (title: string, children: readonly TaskNode[]) => ({ title, children }) as TaskNode

  test('is what JSON.stringify writes', async () => {
    const tree = node('"a"', [node('b', [node('c', [])]), node('d', [])])
    assert.equal(await nodeJson(tree), JSON.stringify(tree))
  })

  test('may be deeper than the stack', async () => {
    let deep = node('leaf', [])
    for (let depth = 0; depth < 20_000; depth++) deep = node('x', [deep])
    assert.throws(() => JSON.stringify(deep), RangeError)
    assert.equal((await nodeJson(deep)).match(/"title"/g)?.length, 20_001)
  })
})

describe('the headers of a page', () => {
  const links = (limit: number, offset: number, total: number | null, hasMore: boolean) => {
    const { Link } = offsetHeaders('/l?tag=a%2Cb', { items: [], limit, offset, total, hasMore }, 0)
    const found = [...(Link ?? '').matchAll(/offset=(\d+)>; rel="(\w+)"/g)]
    return Object.fromEntries(found.map(([, at, rel]) => [rel as string, Number(at)]))
  }
  test('lead to the first, the last, and those around', () => {
    assert.deepEqual(links(10, 0, 25, true), { first: 0, next: 10, last: 20 })
    assert.deepEqual(links(10, 10, 25, true), { first: 0, prev: 0, next: 20, last: 20 })
    assert.deepEqual(links(10, 20, 25, false), { first: 0, prev: 10, last: 20 })
    assert.deepEqual(links(10, 0, 0, false), { first: 0, last: 0 })
    assert.deepEqual(links(10, 50, 25, false), { first: 0, prev: 40, last: 20 })
    assert.deepEqual(links(10, 0, null, true), { first: 0, next: 10 })
    const page = { items: [1], limit: 1, offset: 0, total: 1, hasMore: false }
    const { Link } = offsetHeaders('/l?tag=a%2Cb', page, 1)
    assert.match(Link as string, /^<\/l\?tag=a%2Cb&limit=1&offset=0>; rel="first"/)
  })
})
