import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, test } from 'vitest'
import type { Serving } from '../../src/http/index.ts'
import { openStore, type Store } from '../../src/store/index.ts'
import { type Task, TaskTree } from '../../src/tree/index.ts'
import { askRaw, posted, RawConnection, request } from './raw.ts'
import { Caller, served } from './served.ts'

let store: Store
let serving: Serving
let api: Caller
let task: Task
let contents: string[]
const log: string[] = []

async function everything(): Promise<string[]> {
  const found: string[] = []
  for await (const { key, value } of store.scan('')) found.push(`${key} ${Buffer.from(value)}`)
  return found
}

beforeAll(async () => {
  store = await openStore('memory:')
  serving = await served(store, { bodyMsMax: 300, log: (line) => log.push(line) })
  api = await Caller.to(serving.url)
  task = await new TaskTree(store).create({ title: 'x', tags: ['a'] })
  contents = await everything()
})
afterAll(async () => {
  await serving[Symbol.asyncDispose]()
  await store[Symbol.asyncDispose]()
})
afterEach(async () => {
  // Whatever was asked: nothing has changed, and nothing has failed.
  assert.deepEqual(await everything(), contents)
  assert.deepEqual(log, [])
})

describe('a body that is none', () => {
  const bodies: Readonly<Record<string, string | Buffer>> = {
    'bad JSON': '{"title":',
    'not UTF-8': Buffer.from('{"title":"\xff\xfe"}', 'latin1'),
    'two values': '{} {}',
    'no object': '["title"]',
    'a number': '7',
    null: 'null',
    'no title': '{}',
    'an unknown field': '{"title":"x","colour":"red"}',
    'a title of another type': '{"title":7}',
    'an empty title': '{"title":"  "}',
    'a title of two lines': '{"title":"a\\nb"}',
    'a title that is too long': JSON.stringify({ title: 'x'.repeat(501) }),
    'a control character': '{"title":"a\\u0007b"}',
    'half a surrogate pair': '{"title":"\\ud800"}',
    'a body that is too long': JSON.stringify({ title: 'x', body: 'x'.repeat(65_537) }),
    __proto__: '{"title":"x","__proto__":{"admin":true}}',
    constructor: '{"title":"x","constructor":{"prototype":{"admin":true}}}',
    'very deep': `{"title":"x","body":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
  }
  for (const [name, body] of Object.entries(bodies))
    test(`${name}: INVALID_BODY`, async () => {
      assert.deepEqual(await codeOf(posted(body)), [400, 'INVALID_BODY'])
      assert.equal(({} as Record<string, unknown>)['admin'], undefined)
    })

  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=utf-16',
    '',
  ])
    test(`content type ${JSON.stringify(type)}: INVALID_BODY`, async () => {
      assert.deepEqual(await codeOf(posted('{"title":"x"}', type)), [400, 'INVALID_BODY'])
    })

  test('a result that is too deep to be written again: INVALID_BODY', async () => {
    const body = `{"result":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`
    const headers = [
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'X-Agent-ID: a',
    ]
    const asked = request(`POST /api/tasks/${task.id}/complete`, headers, body)
    assert.deepEqual(await codeOf(asked), [400, 'INVALID_BODY'])
  })

  test('sent where none is wanted: INVALID_BODY', async () => {
    await api.refused(['POST', `/api/tasks/${task.id}/release`], 'INVALID_BODY', {
      agent: 'ann',
      body: { force: true },
    })
  })
})

const codeOf = async (text: Buffer) => {
  const { status, code } = await askRaw(serving.url, text)
  return [status, code]
}

describe('fields that are wrong', () => {
  const fields: readonly [string, unknown, string][] = [
    ['priority 7', { priority: 7 }, 'INVALID_PRIORITY'],
    ['priority -1', { priority: -1 }, 'INVALID_PRIORITY'],
    ['priority 1.5', { priority: 1.5 }, 'INVALID_PRIORITY'],
    ['priority "1"', { priority: '1' }, 'INVALID_PRIORITY'],
    ['priority null', { priority: null }, 'INVALID_PRIORITY'],
    ['type story', { type: 'story' }, 'INVALID_TYPE'],
    ['type null', { type: null }, 'INVALID_TYPE'],
    [
      'an unknown parent',
      { parent_id: '01a1e099-0000-7000-8000-000000000000' },
      'PARENT_NOT_FOUND',
    ],
    ['a malformed parent', { parent_id: '../x' }, 'PARENT_NOT_FOUND'],
    ['a parent that is a number', { parent_id: 7 }, 'PARENT_NOT_FOUND'],
    ['an empty tag', { tags: ['a', ' '] }, 'INVALID_TAG'],
    ['a tag with a comma', { tags: ['a,b'] }, 'INVALID_TAG'],
    ['a tag with a control character', { tags: ['a\tb'] }, 'INVALID_TAG'],
    ['a tag of 65 characters', { tags: ['x'.repeat(65)] }, 'INVALID_TAG'],
    ['a tag of over 200 bytes', { tags: ['\u{1f600}'.repeat(51)] }, 'INVALID_TAG'],
    ['201 tags', { tags: Array.from({ length: 201 }, (_, n) => `t${n}`) }, 'INVALID_TAG'],
    ['tags that are no list', { tags: 'a' }, 'INVALID_TAG'],
    ['tags that are no strings', { tags: [7] }, 'INVALID_TAG'],
    ['tags null', { tags: null }, 'INVALID_TAG'],
    ['a hint of two lines', { grimoire_hint: 'a\nb' }, 'INVALID_BODY'],
    ['a body that is a number', { body: 7 }, 'INVALID_BODY'],
  ]
  for (const [name, given, code] of fields)
    test(`${name}: ${code}`, async () => {
      const body = { title: 'x', ...(given as object) }
      await api.refused(['POST', '/api/tasks'], code, { body })
    })

  for (const field of ['id', 'created_at', 'depth', 'status', 'claimed_by', 'parent_id', 'tags'])
    test(`PATCH of ${field}: INVALID_BODY`, async () => {
      const path = `/api/tasks/${task.id}`
      await api.refused(['PATCH', path], 'INVALID_BODY', { body: { title: 'y', [field]: 'x' } })
    })
})

describe('a query that is wrong: INVALID_QUERY', () => {
  const queries = [
    ...[
      '?colour=red',
      '?__proto__=1',
      '?constructor=1',
      '?status=',
      '?status=done',
      '?status=open,,closed',
    ],
    ...['?priority=7', '?priority=1.5', '?priority=0x1', '?type=story', '?tag=', '?parent_id=x'],
    ...[
      '?limit=0',
      '?limit=1001',
      '?limit=-1',
      '?limit=1e2',
      '?limit=ten',
      '?limit=',
      '?offset=-1',
    ],
    ...['?include_deleted=yes', '?status=open&status=closed', '?tag_pattern=', '?tag_pattern=[a'],
    `?tag_pattern=${'{a,b}'.repeat(1000)}`,
    `?tag_pattern=${'{'.repeat(1000)}${'}'.repeat(1000)}`,
  ]
  for (const query of queries)
    test(query.slice(0, 60), async () => {
      await api.refused(['GET', `/api/tasks${query}`], 'INVALID_QUERY')
      await api.refused(['GET', `/api/tasks/ready${query}`], 'INVALID_QUERY')
    })

  test('of the history, and of a release', async () => {
    const path = `/api/tasks/${task.id}`
    await api.refused(['GET', `${path}/history?since=yesterday`], 'INVALID_QUERY')
    await api.refused(['POST', `${path}/release?force=1`], 'INVALID_QUERY', { agent: 'ann' })
  })
})

describe('paths with slashes, dots and worse: INVALID_ID or ROUTE_NOT_FOUND', () => {
  const paths = [
    ...['..', '.', '%2e%2e', '%2e', '../../etc/passwd', '%2e%2e%2f%2e%2e%2fetc', 'a%2Fb', 'a/b/c'],
    ...['%00', '%', '%zz', '%ff', '\\', '//', '/', ';', '*', 'x'.repeat(8_000), '%E2%82'],
    ...['01A1E099', 'constructor', '__proto__', 'ready//', 'bulk/x'],
  ]
  for (const path of paths)
    test(path.slice(0, 40), async () => {
      const { status, code } = await askRaw(serving.url, request(`GET /api/tasks/${path}`))
      assert.ok(code === 'INVALID_ID' || code === 'ROUTE_NOT_FOUND', `${status} ${code}`)
    })

  test('an id in capitals is the same id', async () => {
    assert.equal((await api.get(`/api/tasks/${task.id.toUpperCase()}`)).body.id, task.id)
  })
})

describe('too much, and too slow', () => {
  test('10 MB are refused at once, and the connection goes on', async () => {
    using connection = await RawConnection.to(serving.url)
    const before = process.memoryUsage().rss
    const size = 10_000_000
    connection.write(
      request('POST /api/tasks', ['Content-Type: application/json', `Content-Length: ${size}`]),
    )
    const { status, body } = await connection.answer()
    assert.deepEqual([status, JSON.parse(body).code], [413, 'BODY_TOO_LARGE'])
    connection.write(Buffer.alloc(size, 'x'))
    connection.write(request(`GET /api/tasks/${task.id}`))
    assert.equal((await connection.answer()).status, 200)
    assert.ok(process.memoryUsage().rss - before < 100_000_000)
  })

  test('10 MB in chunks of unknown number: refused after the first', async () => {
    using connection = await RawConnection.to(serving.url)
    connection.write(
      request('POST /api/tasks', ['Content-Type: application/json', 'Transfer-Encoding: chunked']),
    )
    const chunk = `${(100_000).toString(16)}\r\n${'x'.repeat(100_000)}\r\n`
    for (let n = 0; n < 100; n++) connection.write(chunk)
    const { status, body } = await connection.answer()
    assert.deepEqual([status, JSON.parse(body).code], [413, 'BODY_TOO_LARGE'])
  })

  test('a million bytes and no more are read', async () => {
    const long = { title: 'x', tags: ['z'.repeat(990_000)] }
    await api.refused(['POST', '/api/tasks'], 'INVALID_TAG', { body: long })
  })

  test('a body that does not come: 408 REQUEST_TIMEOUT, and the connection ends', async () => {
    using connection = await RawConnection.to(serving.url)
    connection.write(
      request('POST /api/tasks', ['Content-Type: application/json', 'Content-Length: 20'], '{"ti'),
    )
    const { status, head, body } = await connection.answer()
    assert.deepEqual([status, JSON.parse(body).code], [408, 'REQUEST_TIMEOUT'])
    assert.match(head, /connection: close/i)
  })

  test('a client that leaves in the middle changes nothing', async () => {
    using connection = await RawConnection.to(serving.url)
    connection.write(posted('{"title":"half"}').subarray(0, -4))
    await sleep(20)
    connection.socket.destroy()
    // No event tells that nothing comes of it.
    await sleep(50)
  })

  test('what is no HTTP at all is told so', async () => {
    assert.equal((await askRaw(serving.url, 'HELLO\r\n\r\n')).status, 400)
  })

  test('headers that are too long: 431 HEADERS_TOO_LARGE, in one piece, in many, or in the path', async () => {
    const long = [
      request('GET /', [`X-Long: ${'x'.repeat(20_000)}`]),
      request('GET /', [`Authorization: Bearer ${'x'.repeat(1_000_000)}`]),
      request(
        'GET /',
        Array.from({ length: 3_000 }, (_, nth) => `X-${nth}: y`),
      ),
      request(`GET /api/tasks?tag=${'x'.repeat(20_000)}`),
    ]
    for (const each of long) {
      const { status, code, head } = await askRaw(serving.url, each)
      assert.deepEqual([status, code], [431, 'HEADERS_TOO_LARGE'])
      assert.match(head, /^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/)
      assert.match(head, /content-type: application\/json/i)
    }
    const { status } = await fetch(serving.url, { headers: { 'X-Long': 'x'.repeat(100_000) } })
    assert.equal(status, 431)
  })
})

describe('methods', () => {
  test('405 with Allow', async () => {
    const { status, head, code } = await askRaw(serving.url, request('PUT /api/tasks'))
    assert.deepEqual([status, code], [405, 'METHOD_NOT_ALLOWED'])
    assert.match(head, /^Allow: POST, GET, HEAD, OPTIONS\r?$/m)
    for (const line of [
      'TRACE /api/tasks',
      'PROPFIND /api/tasks',
      'GET /api/tasks/bulk',
      'POST /docs',
    ])
      assert.equal((await askRaw(serving.url, request(line))).code, 'METHOD_NOT_ALLOWED', line)
  })

  test('HEAD is GET without its body; OPTIONS says what there is, and allows no other site', async () => {
    const head = await fetch(`${serving.url}/api/tasks/${task.id}`, { method: 'HEAD' })
    assert.deepEqual([head.status, await head.text()], [200, ''])
    assert.equal(head.headers.get('etag'), '"0-0"')
    const options = await fetch(`${serving.url}/api/tasks/${task.id}`, { method: 'OPTIONS' })
    assert.equal(options.status, 204)
    assert.equal(options.headers.get('allow'), 'GET, PATCH, DELETE, HEAD, OPTIONS')
    assert.equal(options.headers.get('access-control-allow-origin'), null)
    const stream = await fetch(`${serving.url}/api/events`, { method: 'HEAD' })
    assert.equal(stream.headers.get('content-type'), 'text/event-stream')
  })
})
