import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, test } from 'vitest'
import { Tokens } from '../../../src/access/index.ts'
import { openStore } from '../../../src/store/index.ts'
import { TaskTree } from '../../../src/tree/index.ts'
import { until } from '../../eventually.ts'
import { onEveryStore } from '../../models/stores.ts'
import { measured } from '../../rounds.ts'
import { servedAll } from '../holdfast/served.ts'
import { RawConnection, request } from '../raw.ts'
import { served } from '../served.ts'
import { bearer } from './bearers.ts'

const countsMsMax = 1_000
const streamMsMax = 2_000

/** Tells how long something took, and how long it may. */
type Note = (ms: number, msMax: number) => void

/** Does it again where something took too long; whatever else is wrong fails at once. */
const inRounds = (round: (note: Note) => Promise<void>) =>
  measured(
    async () => {
      const late: string[] = []
      await round((ms, msMax) => {
        if (ms > msMax) late.push(`${Math.round(ms)} of ${msMax} ms`)
      })
      return late
    },
    (late) => late.length === 0,
  )

/** How long it takes until a request gets this status. */
async function msUntil(
  status: number,
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  const start = performance.now()
  while ((await fetch(`${url}/api/tasks`, { headers })).status !== status) {
    assert.ok(performance.now() - start < 20_000, `never ${status}`)
    await sleep(20)
  }
  return performance.now() - start
}

/** Follows a stream to its end, which must be a clean one; answers with when that was. */
async function followed(url: string, path: string, headers: Readonly<Record<string, string>>) {
  const response = await fetch(`${url}${path}`, { headers })
  assert.equal(response.status, 200)
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  await reader.read()
  const end = (async () => {
    while (!(await reader.read()).done) {}
    return performance.now()
  })()
  return { end }
}

onEveryStore('two servers on one store', { check: async () => {} }, (ground) => {
  test(
    'hear of tokens within a second, and end streams within two, whoever adds and revokes',
    () =>
      inRounds(async (note) => {
        const [one, other, admin] = [await ground.open(), await ground.open(), await ground.open()]
        await using first = await servedAll(one)
        await using second = await served(other)
        const tokens = new Tokens(admin)
        const urls = [first.url, second.url]
        const noteAll = async (status: number, headers = {}) => {
          const all = await Promise.all(urls.map((url) => msUntil(status, url, headers)))
          for (const ms of all) note(ms, countsMsMax)
        }
        await noteAll(200)
        const anonymous = await Promise.all(urls.map((url) => followed(url, '/api/events', {})))
        await tokens.add('stays', 'read')
        const added = performance.now()
        await noteAll(401)
        for (const { end } of anonymous) note((await end) - added, streamMsMax)
        const ci = await bearer(admin, 'ci', 'read')
        await noteAll(200, ci)
        const streams = await Promise.all([
          followed(first.url, '/api/changes', ci),
          followed(first.url, '/api/events', ci),
          followed(second.url, '/api/events', ci),
        ])
        await tokens.revoke('ci')
        const revoked = performance.now()
        await noteAll(401, ci)
        for (const { end } of streams) note((await end) - revoked, streamMsMax)
        await tokens.revoke('stays')
        await sleep(countsMsMax)
        for (const url of urls) assert.equal((await fetch(`${url}/api/tasks`)).status, 401)
        await tokens.open()
        await noteAll(200)
      }),
    120_000,
  )
})

for (const [program, start] of Object.entries({ coven: served, holdfast: servedAll }))
  test(`${program} serve does nothing for a request whose token was revoked before all of it came`, async () => {
    await using store = await openStore('memory:')
    const ci = await bearer(store, 'ci', 'work')
    await using serving = await start(store)
    const sent = [
      ['/api/tasks', '{"title":"too late"}'],
      ...(program === 'coven'
        ? []
        : [
            [
              '/mcp',
              '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tree_create","arguments":{"title":"too late"}}}',
            ],
          ]),
    ] as [string, string][]
    const slow = await Promise.all(
      sent.map(async ([path, body]) => {
        const connection = await RawConnection.to(serving.url)
        const headers = [
          `Authorization: ${ci.Authorization}`,
          'Accept: application/json, text/event-stream',
          'Content-Type: application/json',
          `Content-Length: ${body.length}`,
        ]
        connection.write(request(`POST ${path}`, headers) + body.slice(0, 5))
        return { connection, rest: body.slice(5) }
      }),
    )
    // Their heads have come; the bodies have not, so there is no event.
    await sleep(100)
    await new Tokens(store).revoke('ci')
    await sleep(countsMsMax)
    for (const { connection, rest } of slow) {
      connection.write(rest)
      const { status, body } = await connection.answer()
      assert.equal(status, 401)
      assert.match(body, /UNAUTHORIZED/)
      connection[Symbol.dispose]()
    }
    assert.deepEqual((await new TaskTree(store).list()).tasks, [])
  }, 30_000)

describe('a stream', () => {
  test(
    'ends within two seconds after its token has expired',
    () =>
      inRounds(async (note) => {
        await using store = await openStore('memory:')
        const brief = await bearer(store, 'brief', 'read', { forMs: 1_500 })
        const expires = performance.now() + 1_500
        await using serving = await servedAll(store)
        await msUntil(200, serving.url, brief)
        const streams = await Promise.all(
          ['/api/changes', '/api/events'].map((path) => followed(serving.url, path, brief)),
        )
        for (const { end } of streams) {
          const ms = (await end) - expires
          assert.ok(ms > -100, `ended ${ms} ms too soon`)
          note(ms, streamMsMax)
        }
        const refusal = await fetch(`${serving.url}/api/tasks`, { headers: brief })
        const { error } = (await refusal.json()) as { error: string }
        assert.equal(error, 'The token has expired. Ask for a new one.')
      }),
    60_000,
  )

  test(
    'ends so, too, where nobody reads it, and sends nothing more',
    () =>
      inRounds(async (note) => {
        await using store = await openStore('memory:')
        const ci = await bearer(store, 'ci', 'work')
        await using serving = await servedAll(store)
        using idle = await RawConnection.to(serving.url)
        idle.write(request('GET /api/events', [`Authorization: ${ci.Authorization}`]))
        await until(() => idle.text.includes('\nid: '))
        const closed = new Promise<number>((resolve) => {
          idle.socket.once('close', () => resolve(performance.now()))
        })
        idle.socket.pause()
        const tree = new TaskTree(store)
        for (let n = 0; n < 200; n++) await tree.create({ title: 'x', body: 'y'.repeat(60_000) })
        await new Tokens(store).revoke('ci')
        const revoked = performance.now()
        await sleep(streamMsMax)
        await tree.create({ title: 'after the revocation' })
        idle.socket.resume()
        // What the system has taken may have been all of it; then the end is a clean one.
        const ended = async () => {
          while (!idle.socket.closed && !idle.text.endsWith('\r\n0\r\n\r\n')) await sleep(10)
          return performance.now()
        }
        note((await Promise.race([closed, ended()])) - revoked, streamMsMax + 500)
        assert.ok(!idle.text.includes('after the revocation'))
        assert.ok(idle.text.length < 8_000_000, `${idle.text.length} bytes`)
      }),
    60_000,
  )

  test(
    'of the Model Context Protocol ends so, too',
    () =>
      inRounds(async (note) => {
        await using store = await openStore('memory:')
        const headers = await bearer(store, 'ci', 'read')
        await using serving = await servedAll(store)
        const client = new Client(
          { name: 'test', version: '0.0.0' },
          { versionNegotiation: { mode: 'auto' } },
        )
        const requestInit = { headers }
        const place = new URL('/mcp', serving.url)
        await client.connect(new StreamableHTTPClientTransport(place, { requestInit }))
        const stream = await client.listen({ toolsListChanged: true })
        await new Tokens(store).revoke('ci')
        const revoked = performance.now()
        assert.equal(await stream.closed, 'remote')
        note(performance.now() - revoked, streamMsMax)
        await client.close()
      }),
    60_000,
  )
})
