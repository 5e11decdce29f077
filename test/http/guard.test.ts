import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { ListenError } from '../../src/http/index.ts'
import { openStore } from '../../src/store/index.ts'
import { askRaw, request } from './raw.ts'
import { Caller, served } from './served.ts'

const line = 'GET /api/tasks'
const plain = (headers: readonly string[]) =>
  Buffer.from(`${[`${line} HTTP/1.1`, ...headers].join('\r\n')}\r\n\r\n`)

describe('who may ask, on loopback', () => {
  test('only by the names of this machine: FORBIDDEN_HOST', async () => {
    await using store = await openStore('memory:')
    await using serving = await served(store)
    const { port } = new URL(serving.url)
    const codeFor = async (host: string) =>
      (await askRaw(serving.url, plain([`Host: ${host}`]))).code ?? 'fine'
    for (const host of ['localhost', 'LOCALHOST', '127.0.0.1', '[::1]', `localhost:${port}`])
      assert.notEqual(await codeFor(host), 'FORBIDDEN_HOST', host)
    const foreign = [
      'evil.example',
      'localhost.evil.example',
      '127.0.0.1.nip.io',
      '10.0.0.1',
      'x y',
      '',
    ]
    for (const host of foreign) assert.equal(await codeFor(host), 'FORBIDDEN_HOST', host)
    assert.equal((await askRaw(serving.url, plain([]))).code, 'FORBIDDEN_HOST')
    // Before anything else: what there is, is nobody's business.
    const missing = Buffer.from('GET /nothing HTTP/1.1\r\nHost: evil.example\r\n\r\n')
    assert.equal((await askRaw(serving.url, missing)).code, 'FORBIDDEN_HOST')
  })

  test('and not from a page of another site: FORBIDDEN_ORIGIN', async () => {
    await using store = await openStore('memory:')
    await using serving = await served(store)
    const { host } = new URL(serving.url)
    const codeFor = async (origin: string) =>
      (await askRaw(serving.url, plain([`Host: ${host}`, `Origin: ${origin}`]))).code ?? 'fine'
    assert.notEqual(await codeFor(`http://${host}`), 'FORBIDDEN_ORIGIN')
    for (const origin of [
      'http://evil.example',
      'null',
      'http://localhost:1',
      'https://127.0.0.1',
      '',
    ])
      if (origin !== '') assert.equal(await codeFor(origin), 'FORBIDDEN_ORIGIN', origin)
    const preflight = request('OPTIONS /api/tasks', [
      'Origin: http://evil.example',
      'Access-Control-Request-Method: POST',
    ])
    assert.equal((await askRaw(serving.url, preflight)).status, 403)
  })
})

describe('a token', () => {
  test('that was given is asked for, on loopback too: UNAUTHORIZED', async () => {
    await using store = await openStore('memory:')
    await using serving = await served(store, { token: 's3cret' })
    const bearer = (token: string) => ({ Authorization: token })
    const api = await Caller.to(serving.url)
    await api.refused(['GET', '/api/tasks'], 'UNAUTHORIZED')
    for (const wrong of ['Bearer wrong', 'Bearer', 's3cret', 'Basic s3cret', 'Bearer s3cret2'])
      await api.refused(['GET', '/api/tasks'], 'UNAUTHORIZED', { headers: bearer(wrong) })
    await api.refused(['POST', '/api/tasks'], 'UNAUTHORIZED', { body: { title: 'x' } })
    await api.refused(['GET', '/api/events'], 'UNAUTHORIZED')
    for (const right of ['Bearer s3cret', 'bearer s3cret'])
      assert.equal((await api.get('/api/tasks', { headers: bearer(right) })).status, 200)
    const { headers } = await api.get('/api/tasks')
    assert.equal(headers.get('www-authenticate'), 'Bearer')
    // How to call it is no secret.
    for (const path of ['/docs', '/docs.css', '/openapi.json'])
      assert.equal((await fetch(`${serving.url}${path}`)).status, 200)
  })

  test('is needed to listen elsewhere; there any name will do', async () => {
    await using store = await openStore('memory:')
    const elsewhere = { host: '0.0.0.0', insecure: true }
    await assert.rejects(served(store, elsewhere), ListenError)
    const token = 'twenty-characters-or-more'
    await using serving = await served(store, { ...elsewhere, token })
    const url = serving.url.replace('0.0.0.0', '127.0.0.1')
    const ask = (headers: readonly string[]) => askRaw(url, plain(headers))
    assert.equal((await ask(['Host: build.example', `Authorization: Bearer ${token}`])).status, 200)
    assert.equal((await ask(['Host: build.example'])).code, 'UNAUTHORIZED')
    assert.equal(
      (await ask(['Host: a', 'Origin: http://b', `Authorization: Bearer ${token}`])).code,
      'FORBIDDEN_ORIGIN',
    )
  })

  test('a port that is taken is told so, and nothing was done', async () => {
    await using store = await openStore('memory:')
    await using serving = await served(store)
    const port = Number(new URL(serving.url).port)
    await assert.rejects(served(store, { port }), /another program has it/)
  })
})
