import assert from 'node:assert/strict'
import { test } from 'vitest'
import { TaskGauges } from '../../src/queue/index.ts'
import { counted, openStore } from '../../src/store/index.ts'
import { onEveryStore } from '../models/stores.ts'
import { Bench } from './kit.ts'
import { assertLayout } from './layout.ts'

const told = (text: string): string[] =>
  text.split('\n').filter((line) => /^holdfast_queue_tasks\{.*[1-9]\d*$/.test(line))

const kinds = ['memory', 'sqlite', 'nats', 's3 (MinIO)']
onEveryStore('gauges', { check: assertLayout, kinds }, (ground) => {
  test('count the tasks of a store by type and status, and read again only what has changed', async () => {
    await using bench = new Bench(ground.store)
    const store = counted(ground.store)
    const gauges = new TaskGauges(store, { freshMs: 0 })
    assert.deepEqual(told(await gauges.render()), [])
    const { queue } = bench
    const types = ['a', 'a', 'a', 'b "quoted\\']
    const submitted = await queue.submitMany(types.map((type) => ({ type })))
    await queue.cancel((submitted[0] as { id: string }).id)
    const b = 'type="b \\"quoted\\\\"'
    assert.deepEqual(told(await gauges.render()), [
      'holdfast_queue_tasks{type="a",status="pending"} 2',
      'holdfast_queue_tasks{type="a",status="cancelled"} 1',
      `holdfast_queue_tasks{${b},status="pending"} 1`,
    ])
    await queue.cancel((submitted[3] as { id: string }).id)
    store.reset()
    const text = await gauges.render()
    assert.deepEqual(store.reset().get, 1)
    assert.ok(told(text).includes(`holdfast_queue_tasks{${b},status="cancelled"} 1`), text)
    assert.match(text, /^holdfast_queue_tasks\{.*status="running"\} 0$/m)
  })
})

test('gauges leave out what is corrupt, serve what is fresh, and say that the store is away', async () => {
  await using store = await openStore('memory:')
  await using bench = new Bench(store)
  const id = 'f47ac10b-58cc-4372-a567-0e02b2c3d479'
  await bench.put(`qo/tasks/f/${id}.json`, 'garbage')
  await bench.queue.submit({ type: 'a' })
  const watched = counted(store)
  const fresh = new TaskGauges(watched)
  const lines = ['holdfast_queue_tasks{type="a",status="pending"} 1']
  assert.deepEqual(told(await fresh.render()), lines)
  await bench.queue.submit({ type: 'a' })
  watched.reset()
  assert.deepEqual([told(await fresh.render()), watched.reset().list], [lines, 0])
  const gauges = new TaskGauges(store, { freshMs: 0 })
  assert.match(await gauges.render(), /^holdfast_store_up 1$/m)
  await bench.stop()
  await store[Symbol.asyncDispose]()
  const text = await gauges.render()
  assert.match(text, /^holdfast_store_up 0$/m)
  assert.match(text, /status="pending"\} 2$/m, 'what was counted last is still told')
})
