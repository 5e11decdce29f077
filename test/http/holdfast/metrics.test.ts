import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { Queue, type Stats } from '../../../src/queue/index.ts'
import { counted, flaky, openStore } from '../../../src/store/index.ts'
import { opened, servedAll } from './served.ts'

const metricsOf = async (url: string): Promise<string> => {
  const response = await fetch(`${url}/metrics`)
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
  return response.text()
}

describe('metrics', () => {
  test('are what Prometheus reads: every line a comment or a sample, every family once', async () => {
    await using store = await openStore('memory:')
    const { api, serving } = await opened(store)
    await using _ = serving
    await api.done('GET', '/api/list/tasks')
    const text = await metricsOf(serving.url)
    const sample =
      /^[a-z_]+(\{[a-z_]+="(?:[^"\\\n]|\\.)*"(,[a-z_]+="(?:[^"\\\n]|\\.)*")*\})? -?[\d.e+-]+$/
    for (const line of text.trimEnd().split('\n'))
      assert.ok(line.startsWith('# ') || sample.test(line), line)
    const families = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)
    assert.equal(new Set(families).size, families.length)
    assert.match(text, /^holdfast_store_up 1$/m)
  })

  test('count requests by route and status, and how long they took', async () => {
    await using store = await openStore('memory:')
    const { api, serving } = await opened(store)
    await using _ = serving
    await api.refused(['GET', '/api/jobs/a'], 'NOT_FOUND')
    await api.refused(['GET', '/api/jobs/b'], 'NOT_FOUND')
    await fetch(`${serving.url}/nowhere/${'x'.repeat(100)}`)
    await fetch(serving.url, { headers: { Origin: 'http://evil.example' } })
    await fetch(`${serving.url}/mcp`, { method: 'POST', body: '{' })
    const text = await metricsOf(serving.url)
    const total = (labels: string) =>
      Number(
        text
          .split('\n')
          .find((line) => line.startsWith(`holdfast_http_requests_total{${labels}}`))
          ?.split(' ')
          .at(-1),
      )
    assert.equal(total('method="GET",route="/api/jobs/:id",status="404"'), 2)
    assert.equal(total('method="GET",route="",status="404"'), 1)
    assert.equal(total('method="POST",route="/mcp",status="400"'), 1)
    assert.equal(total('method="GET",route="",status="403"'), 1)
    assert.match(
      text,
      /^holdfast_http_request_seconds_count\{method="GET",route="\/api\/jobs\/:id"\} 2$/m,
    )
    assert.match(
      text,
      /^holdfast_http_request_seconds_bucket\{method="GET",route="\/api\/jobs\/:id",le="\+Inf"\} 2$/m,
    )
  })

  test('count the tasks of the queue by type and status, whatever the type is called', async () => {
    await using store = await openStore('memory:')
    await using serving = await servedAll(store)
    const queue = new Queue(store)
    await queue.submit({ type: 'say "hi" \\ bye' })
    const { id } = await queue.submit({ type: 'mail' })
    await queue.cancel(id)
    const text = await metricsOf(serving.url)
    assert.match(text, /^holdfast_queue_tasks\{type="mail",status="cancelled"\} 1$/m)
    assert.match(text, /^holdfast_queue_tasks\{type="mail",status="pending"\} 0$/m)
    assert.ok(
      text.includes('holdfast_queue_tasks{type="say \\"hi\\" \\\\ bye",status="pending"} 1'),
    )
    assert.match(text, /^# TYPE holdfast_queue_leases_expired_total counter$/m)
  })

  test('a scrape does not read the store each time', async () => {
    await using store = counted(await openStore('memory:'))
    await using serving = await servedAll(store)
    await new Queue(store).submit({ type: 'x' })
    await metricsOf(serving.url)
    const { scan } = store.counts
    for (let n = 0; n < 5; n++) await metricsOf(serving.url)
    assert.equal(store.counts.scan, scan)
  })

  test('nor do many who ask for the counts: those share one count, until one of them changes something', async () => {
    await using store = counted(flaky(await openStore('memory:'), { delayMsMax: 40, seed: 1 }))
    const { api, serving } = await opened(store)
    await using _ = serving
    const ask = () => api.done<Stats>('GET', '/api/queue/stats')
    await ask()
    store.reset()
    await Promise.all(Array.from({ length: 20 }, ask))
    assert.ok(store.counts.scan <= 4, `${store.counts.scan} scans`)
    for (let n = 1; n <= 3; n++) {
      await api.done('POST', '/api/queue/tasks', { body: { type: 'x' } })
      assert.equal((await ask()).total, n)
    }
  })
})
