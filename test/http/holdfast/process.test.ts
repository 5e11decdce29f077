import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { holdfast } from '../../../src/cli/holdfast.ts'
import type { Task } from '../../../src/queue/index.ts'
import { openStore } from '../../../src/store/index.ts'
import { until } from '../../eventually.ts'
import { temporaryFolder } from '../../store/ground.ts'
import { type Place, Served } from '../process.ts'
import { RawConnection, request } from '../raw.ts'
import { serveRefusal } from '../refusal.ts'
import { Caller, type Refused } from '../served.ts'
import { plant } from './planted.ts'
import { opened } from './served.ts'
import { Stream } from './stream.ts'

const program = 'holdfast'

describe('holdfast serve', () => {
  test('makes the store, says where it is, finishes what is under way, and leaves no copy', async () => {
    await using folder = await temporaryFolder()
    const store = `sqlite:${folder.path('all.db')}`
    const place = { cwd: folder.path(''), program }
    await using server = await Served.start(['--store', store], place)
    assert.match(
      server.stdout,
      /^holdfast listens on http:\/\/127\.0\.0\.1:\d+\nThe store is sqlite:\S+all\.db\nThe API is shown at http:\S+\/docs\nEvery user of this machine has full access, .*\n$/,
    )
    const api = await Caller.to(server.url)
    const { store: kind } = await api.done<{ store: string }>('GET', '/api/models')
    assert.equal(kind, 'sqlite')
    await using stream = await Stream.open(server.url)
    assert.equal((await stream.next())?.event, 'resync')
    using slow = await RawConnection.to(server.url)
    const body = '{"text":"under way"}'
    const headers = ['Content-Type: application/json', `Content-Length: ${body.length}`]
    const asked = request('POST /api/list/tasks', headers, body)
    slow.write(asked.subarray(0, -5))
    // The server has read it by the time that it answers others.
    for (let nth = 0; nth < 2; nth++) await Caller.to(server.url)
    const ended = server.end('SIGTERM')
    await until(() => server.stderr.includes('Ending on SIGTERM'))
    assert.equal(await stream.next(), null)
    slow.write(asked.subarray(-5))
    assert.equal((await slow.answer()).status, 201)
    assert.equal(await ended, 0)
    assert.ok(existsSync(folder.path('all.db')))
    // That comfort is coven's.
    assert.ok(!existsSync(folder.path('all.db.bak')))
    await using again = await Served.start(['--store', store], place)
    const list = await (await Caller.to(again.url)).done<{ text: string }[]>(
      'GET',
      '/api/list/tasks',
    )
    assert.deepEqual(
      list.map(({ text }) => text),
      ['under way'],
    )
  })

  const refusals: Readonly<Record<string, readonly string[]>> = {
    'listening elsewhere without a token': ['--host', '0.0.0.0', '--port', '0'],
    'a port that is none': ['--port', '99999'],
    'an empty token': ['--token', '', '--port', '0'],
    'a token that no header can carry': ['--token', 'a b', '--port', '0'],
    'a store that is none': ['--store', 'nonsense:x', '--port', '0'],
    'an argument too many': ['now'],
  }
  for (const [name, args] of Object.entries(refusals))
    test(`${name}: exit 2`, async () => {
      assert.match(await serveRefusal(holdfast, args), /^holdfast: /)
    })

  test('HOLDFAST_TOKEN is a token, and is never told', async () => {
    await using folder = await temporaryFolder()
    const env = { HOLDFAST_TOKEN: 'sesame' }
    await using server = await Served.start(['--store', 'memory:'], {
      cwd: folder.path(''),
      program,
      env,
    })
    const { code } = (await (await fetch(`${server.url}/api/models`)).json()) as Refused
    assert.equal(code, 'UNAUTHORIZED')
    const headers = { Authorization: 'Bearer sesame' }
    assert.equal((await fetch(`${server.url}/api/models`, { headers })).status, 200)
    assert.equal(await server.end(), 0)
    assert.doesNotMatch(server.stdout + server.stderr, /sesame/)
  })
})

describe('holdfast serve, with nothing said', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let place: Place
  let server: Served & { readonly url: string }
  beforeAll(async () => {
    folder = await temporaryFolder()
    place = { cwd: folder.path(''), program, env: { HOLDFAST_AGENT: 'ann' } }
    server = await Served.start([], place)
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })

  test('a busy port: exit 2, and the one that has it goes on', async () => {
    const { port } = new URL(server.url)
    await using second = new Served(['--port', port, '--store', 'memory:'], place)
    assert.equal(await second.ended(), 2)
    assert.match(second.stderr, /another program has it\. It is Holdfast: open http:\S+ .*--port 0/)
    assert.equal((await fetch(`${server.url}/api/models`)).status, 200)
  })

  test('agents reach it at /mcp', async () => {
    const api = await Caller.to(server.url)
    const { id } = await api.create({ title: 'x' })
    const client = new Client({ name: 'test', version: '0.0.0' })
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', server.url)))
    await client.callTool({ name: 'tree_change', arguments: { action: 'claim' } })
    await client.close()
    assert.equal((await api.get(`/api/tasks/${id}`)).body.claimed_by, 'ann')
  })

  test('the default store is the user’s own file, which is made', async () => {
    assert.equal((await fetch(`${server.url}/api/tasks`)).status, 200)
    assert.ok(existsSync(folder.path('.local/share/holdfast/holdfast.db')))
  })
})

describe('the embedded monitor', () => {
  test('takes back what a dead worker left', async () => {
    await using store = await openStore('memory:')
    const { api, serving } = await opened(store, { monitor: { checkIntervalMs: 50 } })
    await using _ = serving
    const made = await api.done<Task>('POST', '/api/queue/tasks', {
      body: { type: 'x', max_retries: 0 },
    })
    const id = '7019a8c3-1f20-8b1e-9d3c-5a6f00112233'
    const at = new Date(Date.now() - 60_000)
    const claim = { status: 'running', attempt: 1, worker_id: 'dead', lease_id: id }
    const task = { ...made, ...claim, id, shard: '7', lease_expires_at: at.toISOString() }
    const minute = String(Math.floor(at.getTime() / 60_000)).padStart(10, '0')
    await plant(store, `qo/leases/7/${minute}/${id}`, 'x')
    await plant(store, `qo/tasks/7/${id}.json`, JSON.stringify(task))
    const path = `/api/queue/tasks/${id}`
    await until(async () => (await api.done<Task>('GET', path)).status === 'failed')
    const metrics = await (await fetch(`${serving.url}/metrics`)).text()
    assert.match(metrics, /^holdfast_queue_leases_expired_total\{type="x"\} 1$/m)
  })
})
