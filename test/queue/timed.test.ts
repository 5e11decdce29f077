import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { Queue, Worker } from '../../src/queue/index.ts'
import { openStore } from '../../src/store/index.ts'
import { measured } from '../rounds.ts'
import { type MinioServer, startMinio } from '../servers/s3.ts'
import { s3Bucket } from '../store/s3/ground.ts'

/** What a worker does of so many tasks, on one store. */
async function measure(url: string, concurrency: number, tasks: number) {
  await using store = await openStore(url)
  const queue = new Queue(store)
  const submitted = await queue.submitMany(Array.from({ length: tasks }, () => ({ type: 't' })))
  const worker = new Worker(store, { concurrency, monitor: false, handlers: { t: () => null } })
  const startedAt = performance.now()
  await worker.start()
  while (worker.metrics.total('tasks_completed') < tasks) await sleep(5)
  const perSecond = (tasks / (performance.now() - startedAt)) * 1000
  const text = worker.renderMetrics()
  const countOf = (line: string) =>
    Number(new RegExp(`^holdfast_queue_claim_seconds_${line} (\\d+)$`, 'm').exec(text)?.[1])
  const withinShare = countOf('bucket\\{le="0.05"\\}') / countOf('count')
  await worker.stop()
  assert.equal((await queue.get(submitted[0]?.id as string)).status, 'completed')
  return { perSecond, withinShare }
}

describe('performance of the specification', () => {
  let server: MinioServer
  beforeAll(async () => {
    server = await startMinio()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  test('claim latency: less than 50 ms, 99 of 100, on a local S3 server', async () => {
    const { url } = await s3Bucket(Promise.resolve(server.account))
    await measured(
      (round) => measure(url(`latency-${round}`), 4, 200),
      ({ withinShare }) => withinShare >= 0.99,
    )
  })

  test('a worker can process 10+ simple tasks a second: with concurrency 32 it does 100 and more on S3', async () => {
    const { url } = await s3Bucket(Promise.resolve(server.account))
    await measured(
      (round) => measure(url(`speed-${round}`), 32, 300),
      ({ perSecond }) => perSecond >= 100,
    )
  })
})
