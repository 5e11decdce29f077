import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { Tokens } from '../../../src/access/index.ts'
import { ListenError } from '../../../src/http/index.ts'
import { create, openStore, StoreError } from '../../../src/store/index.ts'
import { eventually } from '../../eventually.ts'
import { altered } from '../../store/altered.ts'
import { servedAll } from '../holdfast/served.ts'
import { Caller, type Refused, served } from '../served.ts'
import { type Bearer, bearer } from './bearers.ts'

const statusOf = async (url: string, headers: Readonly<Record<string, string>> = {}) =>
  (await fetch(url, { headers })).status

describe('a store that has had a named token', () => {
  test('stays closed after the last one, until it is opened; but for the pages that show nothing', async () => {
    await using store = await openStore('memory:')
    const tokens = new Tokens(store)
    await tokens.add('ci', 'work')
    await tokens.revoke('ci')
    await using all = await servedAll(store)
    await using coven = await served(store)
    for (const { url } of [all, coven]) {
      assert.equal(await statusOf(`${url}/api/tasks`), 401)
      for (const page of ['/docs', '/openapi.json']) assert.equal(await statusOf(url + page), 200)
    }
    assert.equal(await statusOf(`${all.url}/metrics`), 401)
    await tokens.open()
    for (const { url } of [all, coven])
      await eventually(async () => assert.equal(await statusOf(`${url}/api/tasks`), 200))
  })

  test('may be served to other machines without a token of the server, and is never open to them', async () => {
    await using store = await openStore('memory:')
    await assert.rejects(servedAll(store, { host: '0.0.0.0', insecure: true }), ListenError)
    const tokens = new Tokens(store)
    const ci = await bearer(store, 'ci', 'work')
    await using serving = await servedAll(store, { host: '0.0.0.0', insecure: true })
    assert.equal(serving.needsToken, true)
    const url = `http://127.0.0.1:${new URL(serving.url).port}/api/tasks`
    assert.equal(await statusOf(url, ci), 200)
    await tokens.revoke('ci')
    await tokens.open()
    await eventually(async () => assert.equal(await statusOf(url, ci), 401))
    assert.equal(await statusOf(url), 401)
  })

  test('asks nobody who brings the server’s own token', async () => {
    await using store = await openStore('memory:')
    const named = await bearer(store, 'ci', 'work')
    await using serving = await servedAll(store, { token: 'sesame' })
    const url = `${serving.url}/api/tasks`
    assert.equal(await statusOf(url, { Authorization: 'Bearer sesame' }), 200)
    assert.equal(await statusOf(url, { Authorization: 'bearer  sesame' }), 200)
    assert.equal(await statusOf(url, named), 200)
    for (const Authorization of ['Bearer', 'Bearer ', 'Bearer sesam', 'Bearer sesame ', 'sesame'])
      if (Authorization.trim() !== 'Bearer sesame')
        assert.equal(await statusOf(url, { Authorization }), 401, Authorization)
  })
})

describe('where the tokens can’t be read', () => {
  /** A store whose tokens are out of reach, while all else is there. */
  async function away() {
    const inner = await openStore('memory:')
    const state = { isAway: false }
    const store = altered(inner, {
      get: async (key) => {
        if (state.isAway && key.startsWith('holdfast_access/'))
          throw new StoreError('down', 'It is away.', 'Try again.')
        return inner.get(key)
      },
    })
    return { inner, state, store }
  }

  test('nobody is let in but with the server’s own, and everybody is told to come back', async () => {
    const { inner, state, store } = await away()
    const ci = await bearer(inner, 'ci', 'work')
    await using serving = await servedAll(store, { token: 'sesame' })
    await using other = await servedAll(store)
    state.isAway = true
    const api = await Caller.to(other.url)
    // Until what was read of the tokens is too old to count.
    await new Promise((resolve) => setTimeout(resolve, 600))
    for (const headers of [ci, undefined]) {
      const asked: { headers?: Bearer } = headers ? { headers } : {}
      const details = await api.refused(['GET', '/api/list/tasks'], 'STORE_UNAVAILABLE', asked)
      assert.equal(details['outcome'], 'unavailable')
    }
    assert.equal(await statusOf(`${serving.url}/api/tasks`), 401, 'nothing was brought')
    assert.equal(await statusOf(`${serving.url}/api/tasks`, ci), 503)
    assert.equal(
      await statusOf(`${serving.url}/api/tasks`, { Authorization: 'Bearer sesame' }),
      200,
    )
    assert.equal(await statusOf(`${other.url}/docs`), 200)
    state.isAway = false
    assert.equal(await statusOf(`${other.url}/api/tasks`, ci), 200)
    await inner[Symbol.asyncDispose]()
  })

  test('because somebody has broken them, a person must look', async () => {
    await using store = await openStore('memory:')
    await store.commit([create('holdfast_access/tokens', Buffer.from('{"v":2}'))])
    const log: string[] = []
    await using serving = await servedAll(store, { log: (line) => log.push(line) })
    const response = await fetch(`${serving.url}/api/tasks`)
    assert.equal(response.status, 500)
    assert.equal(((await response.json()) as Refused).code, 'INTERNAL_ERROR')
    assert.match(log.join('\n'), /register of tokens/)
  })
})

test('a refusal, a log and an answer say nothing of a token but its name', async () => {
  await using store = await openStore('memory:')
  const { secret } = await new Tokens(store).add('ci', 'read')
  const { sha256 } = JSON.parse(
    Buffer.from((await store.get('holdfast_access/tokens'))?.value ?? []).toString(),
  ).tokens[0]
  const log: string[] = []
  await using serving = await servedAll(store, { log: (line) => log.push(line) })
  let said = ''
  for (const [method, path] of [
    ['GET', '/api/models'],
    ['DELETE', '/api/jobs/x'],
    ['GET', '/metrics'],
    ['GET', '/api/nothing'],
    ['POST', '/api/tasks'],
  ] as const)
    for (const token of [secret, `${secret}x`]) {
      const headers = { Authorization: `Bearer ${token}`, 'X-Agent-ID': 'ci' }
      const response = await fetch(serving.url + path, { method, headers })
      said += (await response.text()) + JSON.stringify([...response.headers])
    }
  for (const hidden of [secret, secret.slice(9), sha256])
    assert.ok(!said.includes(hidden) && !log.join('\n').includes(hidden))
})
