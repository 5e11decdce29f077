import assert from 'node:assert/strict'
import { test } from 'vitest'
import { Queue, Worker } from '../../src/queue/index.ts'
import { eventually } from '../eventually.ts'
import { onEveryStore } from '../models/stores.ts'
import { assertLayout } from './layout.ts'

const kinds = ['memory', 'sqlite', 'nats', 's3 (MinIO)']

onEveryStore('follow', { check: assertLayout, kinds }, (ground, kind) => {
  test('tells the states that tasks come to, from then on, until it is aborted', async () => {
    const queue = new Queue(ground.store)
    const { id: before } = await queue.submit({ type: 'before' })
    const stop = new AbortController()
    const told: string[] = []
    const following = (async () => {
      for await (const task of queue.follow({ signal: stop.signal })) {
        if (task === null) continue
        told.push(`${task.task_type} ${task.status}`)
        if (task.status === 'completed') stop.abort()
      }
    })()
    // It follows as soon as it tells of anything.
    await eventually(async () => {
      if (told.length === 0) await queue.submit({ type: 'first' })
      assert.ok(told.length > 0)
    })
    const { id } = await queue.submit({ type: 'x' })
    await eventually(() => assert.ok(told.includes('x pending')))
    const other = await ground.open()
    await using worker = new Worker(other, { handlers: { x: () => 1 }, idleMsMax: 100 })
    await worker.start()
    await following
    await worker.stop()
    assert.equal((await queue.get(before)).status, 'pending')
    assert.equal((await queue.get(id)).status, 'completed')
    const all = ['x pending', 'x running', 'x completed']
    // A store that keeps versions is only looked at now and then.
    const ours = told.filter((each) => each !== 'first pending')
    if (kind.startsWith('s3')) assert.deepEqual([ours[0], ours.at(-1)], [all[0], all[2]])
    else assert.deepEqual(ours, all)
    await queue.close()
  })
})
