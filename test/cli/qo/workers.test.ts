import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { Worker } from '../../../src/queue/index.ts'
import { create, escapeSegment } from '../../../src/store/index.ts'
import { eventually, until } from '../../eventually.ts'
import { cleanUp, memoryDesk } from './desk.ts'

cleanUp()

describe('qo workers', () => {
  test('lists those that are registered, active or stale, with what they do', async () => {
    const desk = memoryDesk()
    const { id } = await desk.submit('-t', 'x')
    await desk.withStore(async (store) => {
      let finish = () => {}
      const handlers = { x: () => new Promise<void>((resolve) => (finish = resolve)) }
      await using worker = new Worker(store, {
        handlers,
        id: 'worker-1',
        shards: ['0', id.charAt(0)],
      })
      await worker.start()
      await until(() => worker.runningCount > 0)
      const { kind, data, total } = await desk.json('workers')
      assert.deepEqual([kind, total], ['worker.list', 1])
      const { worker_id, shards, tasks_completed, tasks_failed, status, task_types } = data[0]
      assert.deepEqual(
        { worker_id, shards, tasks_completed, tasks_failed, status, task_types },
        {
          worker_id: 'worker-1',
          shards: [...new Set(['0', id.charAt(0)])].sort(),
          tasks_completed: 0,
          tasks_failed: 0,
          status: 'active',
          task_types: ['x'],
        },
      )
      assert.match(
        await desk.qo('workers'),
        /^worker-1 {2}active {2}0 running {2}0 completed {2}0 failed {2}heard of \S+Z {2}x\n$/,
      )
      await eventually(async () => {
        const stale = await desk.json('workers', '--worker-health-threshold', '10ms')
        assert.equal(stale.data[0].status, 'stale')
      })
      finish()
    })
    assert.equal((await desk.json('workers')).total, 0)
  })

  test('rm removes those that are named, all or none, and says which are not there', async () => {
    const desk = memoryDesk()
    const now = Date.now()
    const register = (worker_id: string, agoMs: number) => ({
      worker_id,
      last_heartbeat: new Date(now - agoMs).toISOString(),
    })
    await desk.withStore(async (store) => {
      for (const info of [register('dead 1', 3_600_000), register('just', 1_000)])
        await store.commit([
          create(
            `qo/workers/${escapeSegment(info.worker_id)}.json`,
            Buffer.from(JSON.stringify(info)),
          ),
        ])
      await store.commit([create('qo/workers/broken.json', Buffer.from('no JSON'))])
    })
    const missing = await desk.refusal('workers', 'rm', 'dead 1', 'nobody')
    assert.deepEqual([missing.exit, missing.code], [3, 'not_found'])
    assert.equal((await desk.refusal('workers', 'rm')).exit, 2)
    assert.equal((await desk.refusal('workers', 'rm', '')).exit, 2)
    assert.equal(JSON.parse((await desk.run(['workers', '--json'])).stdout).total, 2)
    assert.equal(
      await desk.qo('workers', 'rm', 'dead 1', 'broken', 'dead 1'),
      'Worker removed: dead 1\nWorker removed: broken\n',
    )
    const { exit, stdout, stderr } = await desk.run(['workers', 'rm', 'just', '--json'])
    const { kind, data, total } = JSON.parse(stdout)
    assert.deepEqual([exit, kind, total, data[0].worker_id], [0, 'worker.list', 1, 'just'])
    assert.match(stderr, /will register again/)
    assert.equal((await desk.json('workers')).total, 0)
    assert.equal((await desk.refusal('workers', 'rm', 'just')).exit, 3)
  })
})
