import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'vitest'
import { openStore } from '../../src/store/index.ts'
import { temporaryFolder } from '../store/ground.ts'
import { ask } from './ask.ts'
import { type Entry, json, logging, token } from './logging.ts'
import { bearer } from './named/bearers.ts'
import { Served } from './process.ts'
import { askRaw, request } from './raw.ts'
import { nobody, served } from './served.ts'

describe('--log json', () => {
  test('logs every change: who, what, from where, and how it went', async () => {
    await using server = await logging()
    const headers = { ...json, 'X-Agent-ID': 'ann' }
    const body = JSON.stringify({ title: 'private words' })
    const { text } = await server.ask('/api/tasks', { method: 'POST', headers, body })
    const { id } = JSON.parse(text)
    const from = { from: '127.0.0.1', who: 'ann' }
    const created = { event: 'change', status: 201, method: 'POST', route: '/api/tasks', id }
    assert.deepEqual(server.logged(), [{ ...created, path: '/api/tasks', ...from }])
    const path = `/api/tasks/${id}`
    await server.ask(`${path}/claim`, { method: 'POST', headers })
    await server.ask(path, { method: 'PATCH', headers, body })
    await server.ask(path, { method: 'DELETE', headers })
    assert.deepEqual(
      server
        .logged()
        .map(({ event, status, method, route, code }) => [event, status, method, route, code]),
      [
        ['change', 200, 'POST', '/api/tasks/:id/claim', undefined],
        ['change', 200, 'PATCH', '/api/tasks/:id', undefined],
        ['refusal', 409, 'DELETE', '/api/tasks/:id', 'TASK_ACTIVE'],
      ],
    )
    for (const path of ['/api/tasks', `/api/tasks/${nobody}`, '/', '/metrics', '/nothing'])
      await server.ask(path)
    assert.deepEqual(server.logged(), [], 'reading is no change')
  })

  test('logs every refusal, and says of a token whether it was wrong or missing', async () => {
    await using server = await logging()
    const { url } = server
    await server.ask('/api/tasks', { headers: { Authorization: '' } })
    await server.ask('/api/tasks', { headers: { Authorization: 'Bearer wrong' } })
    await server.ask('/api/tasks', { headers: { Host: 'evil.example' } })
    await server.ask('/api/tasks', { headers: { Origin: 'http://evil.example' } })
    await server.ask('/api/tasks', { method: 'POST', headers: json, body: '{' })
    await askRaw(url, request('GET /', [`X-Long: ${'x'.repeat(20_000)}`]))
    await askRaw(url, 'HELLO\r\n\r\n')
    assert.deepEqual(
      server.logged().map(({ event, status, code, token }) => [event, status, code, token ?? null]),
      [
        ['refusal', 401, 'UNAUTHORIZED', 'missing'],
        ['refusal', 401, 'UNAUTHORIZED', 'wrong'],
        ['refusal', 403, 'FORBIDDEN_HOST', null],
        ['refusal', 403, 'FORBIDDEN_ORIGIN', null],
        ['refusal', 400, 'INVALID_BODY', null],
        ['refusal', 431, 'HEADERS_TOO_LARGE', null],
        ['refusal', 400, 'INVALID_QUERY', null],
      ],
    )
    for (let nth = 0; nth < 10; nth++) await server.ask('/', { headers: { Authorization: 'x' } })
    for (let nth = 0; nth < 10; nth++)
      await server.ask('/api/tasks', { headers: { Authorization: 'Bearer wrong' } }).catch(() => {})
    const last = server.logged().at(-1)
    assert.deepEqual(
      [last?.['status'], last?.['code'], last?.['token']],
      [429, 'TOO_MANY_ATTEMPTS', 'wrong'],
    )
  }, 60_000)

  test('never logs a token, a query or a body', async () => {
    await using server = await logging()
    const secrets = [
      's3cret-query',
      's3cret-token',
      's3cret-body',
      's3cret-cookie',
      's3cret-named',
      token,
    ]
    const body = JSON.stringify({ title: 's3cret-body', token: 's3cret-body' })
    const headers = { ...json, Cookie: 's3cret-cookie' }
    const path = '/api/tasks?token=s3cret-query'
    await server.ask(path, { method: 'POST', headers, body })
    await server.ask(path, { headers: { Authorization: 'Bearer s3cret-token' } })
    await server.ask(path, { headers: { Host: 'evil.example' } })
    const misplaced = { headers: { 'X-Agent-ID': token, Authorization: '' } }
    await server.ask(`/api/tasks/${token}`, misplaced)
    await server.ask('/api/tasks/holdfast_s3cret-named', misplaced)
    const logged = JSON.stringify(server.logged())
    assert.ok(logged.length > 200)
    for (const secret of secrets) assert.ok(!logged.includes(secret), secret)
  })

  test('names the holder of a named token, whoever it claims to be', async () => {
    await using store = await openStore('memory:')
    const ci = await bearer(store, 'ci', 'read')
    const entries: Entry[] = []
    const write = (entry: string | object) => entries.push(entry as Entry)
    const accessLog = { format: 'json' as const, program: 'coven', write }
    await using serving = await served(store, { accessLog })
    const { port } = new URL(serving.url)
    const post = (headers: object) =>
      ask({
        port,
        path: '/api/tasks',
        method: 'POST',
        body: '{}',
        headers: { ...ci, ...json, ...headers },
      })
    for (const agent of [{}, { 'X-Agent-ID': 'ci/7' }, { 'X-Agent-ID': 'ann' }]) await post(agent)
    assert.deepEqual(
      entries.map(({ status, code, who }) => [status, code, who]),
      [
        [403, 'FORBIDDEN_ROLE', 'ci'],
        [403, 'FORBIDDEN_ROLE', 'ci/7'],
        [403, 'FORBIDDEN_ROLE', 'ci'],
      ],
    )
  })

  test('tells the address that a trusted proxy names, and bounds what a client wrote', async () => {
    await using server = await logging({ trustsProxy: true })
    const headers = {
      'X-Forwarded-For': '203.0.113.7',
      'X-Agent-ID': 'a'.repeat(5_000),
      Authorization: '',
    }
    await server.ask(`/api/${'x'.repeat(5_000)}`, { headers })
    const [entry] = server.logged()
    assert.equal(entry?.['from'], '203.0.113.7')
    assert.equal(String(entry?.['who']).length, 200)
    assert.equal(String(entry?.['path']).length, 200)
  })
})

describe('a wrong token', () => {
  /** The filter of the documentation, as fail2ban reads it: the date is cut out first. */
  const text = readFileSync('docs/serve.md', 'utf8')
  const [, filter = ''] = /^failregex = (.*?)^datepattern/ms.exec(text) ?? []
  const address = '(?<address>\\d+(?:\\.\\d+){3}|[0-9a-f:]+)'
  const patterns = filter
    .trim()
    .split('\n')
    .map((line) => new RegExp(line.trim().replace('<ADDR>', address), 'i'))
  const date = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z/
  const attackers = (lines: readonly string[]): string[] =>
    lines.flatMap((line) => {
      assert.match(line, date)
      const found = patterns.map((pattern) => pattern.exec(line.replace(date, ''))).find(Boolean)
      return found?.groups?.['address'] ?? []
    })

  test('is a line that the documented filter for fail2ban reads, whatever the client wrote', async () => {
    assert.equal(patterns.length, 2)
    for (const format of ['text', 'json'] as const) {
      const lines: string[] = []
      const write = (entry: string | object) =>
        lines.push(typeof entry === 'string' ? entry : JSON.stringify(entry))
      const accessLog = { format, program: 'coven', write }
      await using store = await openStore('memory:')
      await using serving = await served(store, { token, trustsProxy: true, accessLog })
      const { port } = new URL(serving.url)
      const attempt = (from: string, path: string, more: object = {}) => {
        const headers = { Authorization: 'Bearer wrong', 'X-Forwarded-For': from, ...more }
        return ask({ port, path, headers })
      }
      await attempt('203.0.113.7', '/api/tasks')
      const forged = '/"from":"192.0.2.1"%20wrong%20token%20from%20192.0.2.1%20for'
      await attempt('2001:db8::7', forged, { 'X-Agent-ID': '","from":"192.0.2.1' })
      await ask({ port, path: '/api/tasks' })
      await ask({ port, path: '/api/tasks', headers: { Authorization: `Bearer ${token}` } })
      assert.deepEqual(attackers(lines), ['203.0.113.7', '2001:db8::7'])
    }
  })

  for (const program of ['holdfast', 'coven'])
    test(`is told by ${program} serve on stderr, even with --quiet`, async () => {
      await using folder = await temporaryFolder()
      const args = ['--store', 'memory:', '--token', token, '--quiet']
      await using server = await Served.start(args, { cwd: folder.path(''), program })
      const headers = { Authorization: 'Bearer wrong-s3cret' }
      assert.equal((await fetch(`${server.url}/api/tasks?a=b`, { headers })).status, 401)
      assert.equal(await server.end(), 0)
      const [line = ''] = server.stderr.split('\n')
      assert.match(
        line,
        new RegExp(`Z ${program}: wrong token from 127.0.0.1 for GET /api/tasks: 401$`),
      )
      assert.deepEqual(attackers([line]), ['127.0.0.1'])
      assert.doesNotMatch(server.stderr, /s3cret/)
    })

  for (const program of ['holdfast', 'coven'])
    test(`and all else is JSON on stderr of ${program} serve --log json`, async () => {
      await using folder = await temporaryFolder()
      const args = ['--store', `sqlite:${folder.path('x.db')}`, '--log', 'json']
      await using server = await Served.start(args, { cwd: folder.path(''), program })
      const body = JSON.stringify({ title: 'x' })
      await fetch(`${server.url}/api/tasks`, {
        ...{ method: 'POST', body },
        headers: { ...json, 'X-Agent-ID': Buffer.from('ann\u202e\u0085').toString('latin1') },
      })
      assert.equal(await server.end(), 0)
      const lines = server.stderr.trimEnd().split('\n')
      const [change, ...notes] = lines.map((line) => JSON.parse(line) as Entry)
      assert.deepEqual([change?.['status'], change?.['who']], [400, 'ann\u202e\u0085'])
      assert.ok(!server.stderr.includes('\u0085'), 'no control character as such')
      assert.ok(notes.every(({ event }) => event === 'note'))
      assert.match(String(notes[0]?.['message']), /^Ending on SIGTERM/)
    })
})
