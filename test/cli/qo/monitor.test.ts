import assert from 'node:assert/strict'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { remove } from '../../../src/store/index.ts'
import { until } from '../../eventually.ts'
import { cleanUp, Desk, memoryDesk, newDirectory } from './desk.ts'
import { Running } from './running.ts'

cleanUp()

function sqliteDesk(): Desk {
  const directory = newDirectory()
  return new Desk(`sqlite:${join(directory, 'queue.db')}`, directory)
}

/** A task that a worker had when it was killed. */
async function orphaned(desk: Desk, ...args: string[]): Promise<string> {
  const { id } = await desk.submit('-t', 'x', '--timeout', '1', ...args)
  const env = { HOLDFAST_STORE: desk.url }
  await using worker = await Running.start(['worker', '--exec', 'x=sleep 9', '--id', 'dead'], env)
  await until(async () => (await desk.status(id)).status === 'running')
  await worker.end('SIGKILL')
  // Until its lease is over.
  await sleep(
    Math.max(0, Date.parse((await desk.status(id)).lease_expires_at as string) - Date.now() + 10),
  )
  return id
}

describe('qo monitor', () => {
  test('takes tasks back from dead workers, and tells of both', async () => {
    const desk = sqliteDesk()
    const id = await orphaned(desk)
    await using monitor = await Running.start(['monitor', '--worker-health-threshold', '1'], {
      HOLDFAST_STORE: desk.url,
      QO_MONITOR_CHECK_INTERVAL: '0.2',
    })
    await monitor.line(({ message }) =>
      message.startsWith(`Task ${id} is pending: The lease of worker dead expired`),
    )
    await monitor.line(({ message }) => message.startsWith('Worker dead has been silent since '))
    const { status, retry_count } = await desk.status(id)
    assert.deepEqual([status, retry_count], ['pending', 1])
    assert.equal(await monitor.end('SIGINT'), 0)
  })

  test('--once looks once, and answers with what it found', async () => {
    const desk = sqliteDesk()
    const id = await orphaned(desk, '--retries', '0')
    const { exit, stdout, stderr } = await desk.run(['monitor', '--once', '--json'])
    assert.equal(exit, 0)
    assert.match(stderr, new RegExp(`^qo: warning: Task ${id} is failed: `))
    const { kind, data } = JSON.parse(stdout)
    assert.deepEqual([kind, data.expired], ['repair', [id]])
    assert.deepEqual(Object.keys(data), ['expired', 'stale_workers', 'missing', 'stale', 'purged'])
    assert.equal((await desk.status(id)).status, 'failed')
    assert.match(await desk.qo('monitor', '--once'), /^Expired leases: 0, silent workers: \d\n/)
  })

  test('puts back index entries that are missing, however many pages it takes', async () => {
    const desk = memoryDesk()
    for (let count = 0; count < 7; count++) await desk.submit('-t', 'x')
    await desk.withStore(async (store) => {
      for await (const head of store.list('qo/ready')) await store.commit([remove(head)])
    })
    // Lists find tasks without an entry as well; workers that go by the index alone do not.
    assert.equal((await desk.json('list', '--status', 'pending')).total, 7)
    const { data } = await desk.json('monitor', '--once', '--sweep-page-size', '2')
    assert.equal(data.missing, 7)
    assert.equal((await desk.json('list', '--status', 'pending')).total, 7)
  })

  test('--once and --metrics exclude each other', async () => {
    assert.equal((await memoryDesk().refusal('monitor', '--once', '--metrics', '0')).exit, 2)
  })
})
