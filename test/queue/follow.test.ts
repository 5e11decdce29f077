import assert from 'node:assert/strict'
import { test } from 'vitest'
import { Queue, Worker } from '../../src/queue/index.ts'
import { onEveryStore } from '../models/stores.ts'
import { inSomeRound } from '../rounds.ts'
import { assertLayout } from './layout.ts'

const kinds = ['memory', 'sqlite', 'nats', 's3 (MinIO)']

onEveryStore('follow', { check: assertLayout, kinds }, (ground, kind) => {
  test(
    'tells the states that tasks come to, from then on, until it is aborted',
    inSomeRound,
    async () => {
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
      await new Promise((resolve) => setTimeout(resolve, 500))
      const { id } = await queue.submit({ type: 'x' })
      await new Promise((resolve) => setTimeout(resolve, 500))
      const other = await ground.open()
      await using worker = new Worker(other, { handlers: { x: () => 1 }, idleMsMax: 100 })
      await worker.start()
      await following
      await worker.stop()
      assert.equal((await queue.get(before)).status, 'pending')
      assert.equal((await queue.get(id)).status, 'completed')
      const all = ['x pending', 'x running', 'x completed']
      // A store that keeps versions is only looked at now and then.
      if (kind.startsWith('s3')) assert.deepEqual([told[0], told.at(-1)], [all[0], all[2]])
      else assert.deepEqual(told, all)
      await queue.close()
    },
  )
})
