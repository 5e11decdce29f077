import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { ask, codeIn } from '../../http/ask.ts'
import { cleanUp, Desk, newDirectory } from './desk.ts'
import { Running } from './running.ts'

cleanUp()

const bin = join(process.cwd(), 'bin/qo')

function sqliteDesk(): Desk {
  const directory = newDirectory()
  return new Desk(`sqlite:${join(directory, 'queue.db')}`, directory)
}

describe('--metrics', () => {
  test('serves Prometheus text on this machine; a port that is taken is 2', async () => {
    const desk = sqliteDesk()
    const { id } = await desk.submit('-t', 'x')
    const env = { HOLDFAST_STORE: desk.url }
    await using worker = await Running.start(['worker', '--exec', 'x=cat', '--metrics', '0'], env)
    await worker.event('completed', id)
    const { message } = await worker.line((line) => /^Metrics are at /.test(line.message))
    const url = message.slice('Metrics are at '.length)
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/metrics$/)
    const response = await fetch(url)
    assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
    const text = await response.text()
    assert.match(text, /^holdfast_queue_tasks_completed_total\{type="x"\} 1$/m)
    assert.match(text, /^holdfast_queue_run_seconds_count 1$/m)
    assert.match(text, /^holdfast_queue_claim_seconds_count 1$/m)
    assert.match(text, /^holdfast_queue_tasks\{type="x",status="completed"\} 1$/m)
    assert.match(text, /^holdfast_queue_tasks\{type="x",status="pending"\} 0$/m)
    assert.match(text, /^holdfast_queue_store_requests_total\{kind="commit"\} [1-9]\d*$/m)
    assert.match(text, /^holdfast_store_up 1$/m)
    assert.equal((await fetch(new URL('/other', url))).status, 404)
    assert.equal((await fetch(url, { method: 'POST' })).status, 405)
    const { status, stderr } = spawnSync(bin, ['monitor', '--metrics', new URL(url).port], {
      env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...env },
      encoding: 'utf8',
    })
    assert.deepEqual([status, /can't be used for metrics/.test(stderr)], [2, true])
    assert.equal(await worker.end('SIGTERM'), 0)
    await assert.rejects(fetch(url))
  })

  for (const program of ['worker', 'monitor'])
    test(`of a ${program} are for the names and pages of this machine alone, as of serve`, async () => {
      const desk = sqliteDesk()
      await desk.submit('-t', 'y')
      const env = { HOLDFAST_STORE: desk.url }
      const handlers = program === 'worker' ? ['--exec', 'x=cat'] : []
      await using running = await Running.start([program, ...handlers, '--metrics', '0'], env)
      const { message } = await running.line((line) => /^Metrics are at /.test(line.message))
      const { port } = new URL(message.slice('Metrics are at '.length))
      const asked = (headers: Record<string, string>) => ask({ port, path: '/metrics', headers })
      assert.equal((await asked({ Host: `localhost:${port}` })).status, 200)
      for (const host of ['evil.example', '127.0.0.1.nip.io', `evil.example:${port}`]) {
        const answer = await asked({ Host: host })
        assert.deepEqual([answer.status, codeIn(answer)], [403, 'FORBIDDEN_HOST'])
      }
      const foreign = await asked({ Host: 'localhost', Origin: 'http://evil.example' })
      assert.equal(codeIn(foreign), 'FORBIDDEN_ORIGIN')
      const long = await asked({ Host: 'localhost', 'X-Long': 'x'.repeat(20_000) })
      assert.deepEqual([long.status, codeIn(long)], [431, 'HEADERS_TOO_LARGE'])
      assert.equal(await running.end('SIGTERM'), 0)
    })

  test('a monitor serves its own, and the tasks of the whole queue by type and status', async () => {
    const desk = sqliteDesk()
    await desk.ended('failed', 'broken')
    await desk.submit('-t', 'new')
    const env = { HOLDFAST_STORE: desk.url }
    await using monitor = await Running.start(['monitor', '--metrics', '0'], env)
    const { message } = await monitor.line((line) => /^Metrics are at /.test(line.message))
    const text = await (await fetch(message.slice('Metrics are at '.length))).text()
    assert.match(text, /^holdfast_queue_leases_expired_total 0$/m)
    assert.match(text, /^holdfast_queue_tasks\{type="broken",status="failed"\} 1$/m)
    assert.match(text, /^holdfast_queue_tasks\{type="new",status="pending"\} 1$/m)
    assert.match(text, /^holdfast_queue_store_requests_total\{kind="list"\} [1-9]\d*$/m)
  })

  test('a busy port keeps a worker from starting, and leaves nothing registered', async () => {
    const desk = sqliteDesk()
    await desk.submit('-t', 'x')
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const { exit } = await desk.refusal('worker', '--exec', 'x=cat', '--metrics', String(port))
    assert.equal(exit, 2)
    server.close()
    assert.equal((await desk.json('workers')).total, 0)
  })
})
