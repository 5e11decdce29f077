import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { openStore } from '../../../src/store/index.ts'
import { askRaw, request } from '../raw.ts'
import { Caller } from '../served.ts'
import { servedAll } from './served.ts'

const id = '01a1e099-0000-7000-8000-000000000000'
const stamps = /"(at|id|now|started_at|uptime_seconds)":("[^"]*"|[\d.]+)/g

/** What is answered, without what differs from one request to the next; of a stream only how it begins. */
async function answerTo(method: string, url: string, token: string | null) {
  const leaving = new AbortController()
  const { signal } = leaving
  const bearer = token === null ? {} : { Authorization: `Bearer ${token}` }
  const headers = { ...bearer, 'X-Agent-ID': 'ann' } as Record<string, string>
  const response = await fetch(url, { method, headers, signal, redirect: 'manual' })
  const type = response.headers.get('content-type')
  const isEndless = type === 'text/event-stream' || url.includes('/metrics')
  const body = isEndless ? '' : (await response.text()).replaceAll(stamps, '')
  leaving.abort()
  return { status: response.status, type, body }
}

describe('a trailing slash', () => {
  test('changes nothing, on any route, page or mount', async () => {
    await using store = await openStore('memory:')
    await using serving = await servedAll(store, { token: 'sesame' })
    const { document } = await Caller.to(serving.url)
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      ['options', ...Object.keys(methods)].map((method) => [method.toUpperCase(), path] as const),
    )
    const others = ['/docs', '/openapi.json', '/mcp'].map((path) => ['GET', path] as const)
    assert.ok(operations.length > 60)
    for (const [method, template] of [...operations, ...others])
      for (const parameter of [id, 'x']) {
        const url = `${serving.url}${template.replace(/\{\w+\}/g, parameter)}`
        const plain = await answerTo(method, url, 'sesame')
        assert.deepEqual(await answerTo(method, `${url}/`, 'sesame'), plain, `${method} ${url}`)
        const [refused, refusedToo] = [
          await answerTo(method, url, null),
          await answerTo(method, `${url}/`, null),
        ]
        assert.deepEqual(refusedToo, refused, `${method} ${url} without the token`)
      }
  })

  test('stands before a query, and pages go on from there', async () => {
    await using store = await openStore('memory:')
    await using serving = await servedAll(store)
    const api = await Caller.to(serving.url)
    for (const title of ['a', 'b', 'c']) await api.create({ title })
    const { body, headers } = await api.get<unknown[]>('/api/tasks/?limit=2')
    assert.equal(body.length, 2)
    const next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] as string
    assert.equal((await api.get<unknown[]>(next)).body.length, 1)
  })

  test('is one slash, and nothing that leads elsewhere', async () => {
    await using store = await openStore('memory:')
    await using serving = await servedAll(store)
    const paths = ['//', '/.', '/./', '/x/..', '/x/../', '/x/%2e%2e/', '/%2e/', '\\', '%2F']
    for (const path of paths) {
      const { status } = await askRaw(serving.url, request(`GET /api/tasks${path}`))
      assert.ok(status === 404 || status === 400, `${path}: ${status}`)
    }
  })
})
