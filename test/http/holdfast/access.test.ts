import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { ListenError } from '../../../src/http/index.ts'
import { openStore } from '../../../src/store/index.ts'
import { Caller, type Refused } from '../served.ts'
import { servedAll } from './served.ts'
import { Stream } from './stream.ts'

/** Every path of the API, with something in place of its parameters, and its methods. */
const operationsOf = ({ document }: Caller) =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(
      (method) => [method.toUpperCase(), path.replace(/\{\w+\}/g, 'abcd')] as const,
    ),
  )

describe('who may ask', () => {
  test('with a token: nobody without, on any route; the stream by a header', async () => {
    await using store = await openStore('memory:')
    await using serving = await servedAll(store, { token: 'sesame', trustsProxy: true })
    const api = await Caller.to(serving.url)
    const operations = operationsOf(api)
    assert.ok(operations.length > 50)
    for (const [nth, [method, path]] of operations.entries())
      for (const headers of [{}, { Authorization: 'Bearer wrong' }, { Authorization: 'sesame' }]) {
        const { status } = await fetch(`${serving.url}${path}`, {
          method,
          // From one address, so many wrong ones would be answered slowly.
          headers: { ...headers, 'X-Forwarded-For': `203.0.113.${nth}` },
        })
        assert.equal(status, 401, `${method} ${path}`)
      }
    // In an address it would end up in logs and histories.
    for (const query of ['token=sesame', 'access_token=sesame'])
      assert.equal((await fetch(`${serving.url}/api/models?${query}`)).status, 401)
    const headers = { Authorization: 'Bearer sesame' }
    assert.equal((await api.get('/api/models', { headers })).status, 200)
    await using stream = await Stream.open(serving.url, { headers })
    assert.equal((await stream.next())?.event, 'resync')
  })

  test('by the name of this machine and from its own pages, on any route', async () => {
    await using store = await openStore('memory:')
    await using serving = await servedAll(store)
    const api = await Caller.to(serving.url)
    const paths = [...operationsOf(api), ['GET', '/'], ['POST', '/mcp'], ['GET', '/docs']] as const
    for (const [method, path] of paths) {
      const response = await fetch(`${serving.url}${path}`, {
        method,
        headers: { Origin: 'http://evil.example' },
      })
      const { code } = (await response.json()) as Refused
      assert.equal(code, 'FORBIDDEN_ORIGIN', `${method} ${path}`)
    }
    const own = { Origin: new URL(serving.url).origin }
    assert.equal((await fetch(`${serving.url}/api/models`, { headers: own })).status, 200)
  })

  test('elsewhere than on this machine a token is needed', async () => {
    await using store = await openStore('memory:')
    await assert.rejects(servedAll(store, { host: '0.0.0.0' }), ListenError)
    const token = 'open sesame'.repeat(2).replaceAll(' ', '-')
    await using serving = await servedAll(store, { host: '0.0.0.0', token, insecure: true })
    const { port } = new URL(serving.url)
    const headers = { Authorization: `Bearer ${token}`, Host: 'elsewhere.example' }
    assert.equal((await fetch(`http://127.0.0.1:${port}/api/models`, { headers })).status, 200)
  })
})
