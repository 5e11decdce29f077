import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as send } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'vitest'
import { openStore } from '../../src/store/index.ts'
import { ask, codeIn } from './ask.ts'
import { makeCertificate } from './certificate.ts'
import { servedAll } from './holdfast/served.ts'
import { served } from './served.ts'

const publicUrl = 'https://tasks.example.com'
const pair = makeCertificate()

/** A proxy as docs/serve.md sets one up: TLS in front, `Host` as it came or not, and the client's address. */
async function proxyTo(url: string, { keepsHost = true } = {}) {
  const { hostname, port, host } = new URL(url)
  const server = createTlsServer(pair, (incoming, outgoing) => {
    const { method, url: path, headers, socket } = incoming
    const forwarded = [headers['x-forwarded-for'], socket.remoteAddress].filter(Boolean).join(', ')
    const sent = { ...headers, 'x-forwarded-for': forwarded, ...(keepsHost ? {} : { host }) }
    const upstream = send({ hostname, port, method, path, headers: sent }, (answer) => {
      outgoing.writeHead(answer.statusCode as number, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(upstream)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address() as AddressInfo
  return {
    /** What a browser would send that has looked the public name up. */
    ask: (path: string, more: { method?: string; headers?: object; body?: string } = {}) => {
      const headers = { Host: 'tasks.example.com', ...more.headers }
      const rest = {
        ...more,
        servername: 'localhost',
        path,
        headers,
        port: address.port,
        ca: pair.cert,
      }
      return ask({ protocol: 'https:', ...rest })
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const posted = {
  method: 'POST',
  headers: { Origin: publicUrl, 'Content-Type': 'application/json' },
}

for (const keepsHost of [true, false])
  describe(`behind a proxy that ${keepsHost ? 'keeps' : 'replaces'} Host`, () => {
    test('the page, the API and their links work by the public URL', async () => {
      await using store = await openStore('memory:')
      await using serving = await servedAll(store, { publicUrl })
      await using proxy = await proxyTo(serving.url, { keepsHost })
      assert.equal((await proxy.ask('/', { headers: { Origin: publicUrl } })).status, 200)
      for (const title of ['one', 'two']) {
        const body = JSON.stringify({ title })
        const { status, headers } = await proxy.ask('/api/tasks', { ...posted, body })
        assert.equal(status, 201)
        const location = new URL(headers.location as string, publicUrl)
        assert.equal(location.origin, publicUrl)
        assert.equal((await proxy.ask(location.pathname)).status, 200)
      }
      const { headers } = await proxy.ask('/api/tasks?limit=1')
      const [, next = ''] = /<([^>]+)>; rel="next"/.exec(headers['link'] as string) ?? []
      const following = new URL(next, `${publicUrl}/api/tasks`)
      assert.equal(following.origin, publicUrl)
      assert.equal((await proxy.ask(following.pathname + following.search)).status, 200)
      const { servers } = JSON.parse((await proxy.ask('/openapi.json')).text)
      assert.deepEqual(servers, [{ url: publicUrl }])
      for (const origin of ['https://evil.example', 'http://tasks.example.com', 'null']) {
        const refused = await proxy.ask('/api/tasks', { headers: { Origin: origin } })
        assert.equal(codeIn(refused), 'FORBIDDEN_ORIGIN', origin)
      }
    })
  })

describe('a public URL', () => {
  const hostOf = async (url: string, host: string, origin?: string) => {
    const headers = { Host: host, ...(origin === undefined ? {} : { Origin: origin }) }
    return codeIn(await ask({ port: new URL(url).port, path: '/nothing', headers }))
  }

  test('was refused before; and makes its own name valid, beside those of this machine, but no other', async () => {
    await using store = await openStore('memory:')
    await using without = await served(store)
    assert.equal(await hostOf(without.url, 'tasks.example.com'), 'FORBIDDEN_HOST')
    await using serving = await served(store, { publicUrl })
    const fine = [
      ...['tasks.example.com', 'TASKS.example.com', 'tasks.example.com:443'],
      ...['localhost', '127.0.0.1:7700', '[::1]'],
    ]
    for (const host of fine) assert.equal(await hostOf(serving.url, host), 'ROUTE_NOT_FOUND', host)
    const foreign = [
      ...[
        'example.com',
        'x.tasks.example.com',
        'tasks.example.com.evil.example',
        'tasks.example.co',
      ],
      ...['tasks.example.com@evil.example', 'tasks.example.com,evil.example', 'tasks.example.com.'],
    ]
    for (const host of foreign)
      assert.equal(await hostOf(serving.url, host), 'FORBIDDEN_HOST', host)
  })

  test('makes pages of its origin valid, by whatever name, and no pages of others by its name', async () => {
    await using store = await openStore('memory:')
    await using serving = await served(store, { publicUrl: 'https://tasks.example.com:8443' })
    const { port } = new URL(serving.url)
    const origin = (host: string, from: string) => hostOf(serving.url, host, from)
    for (const host of ['tasks.example.com:8443', `127.0.0.1:${port}`])
      assert.equal(await origin(host, 'https://tasks.example.com:8443'), 'ROUTE_NOT_FOUND')
    assert.equal(await origin(`localhost:${port}`, `http://localhost:${port}`), 'ROUTE_NOT_FOUND')
    for (const from of ['https://tasks.example.com', 'http://tasks.example.com:8443', 'null'])
      assert.equal(await origin('tasks.example.com:8443', from), 'FORBIDDEN_ORIGIN', from)
    assert.equal(await origin('tasks.example.com', 'http://tasks.example.com'), 'FORBIDDEN_ORIGIN')
    assert.equal(await origin('localhost', 'https://tasks.example.com'), 'FORBIDDEN_ORIGIN')
  })

  test('says nothing of headers that a client may add', async () => {
    await using store = await openStore('memory:')
    await using serving = await served(store, { publicUrl })
    const headers = {
      Host: 'evil.example',
      'X-Forwarded-Host': 'tasks.example.com',
      Forwarded: 'host=tasks.example.com',
    }
    const { port } = new URL(serving.url)
    assert.equal(codeIn(await ask({ port, path: '/api/tasks', headers })), 'FORBIDDEN_HOST')
  })
})
