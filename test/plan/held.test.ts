import assert from 'node:assert/strict'
import { test } from 'vitest'
import { Plans } from '../../src/plan/index.ts'
import { openStore } from '../../src/store/index.ts'
import { leastHeldMs } from '../event-loop.ts'

/** No more than this in one turn of the event loop. */
const heldMsMax = 50
const tasks = 6_000
const batch = 300

test('a repair of a long plan gives the event loop back', async () => {
  await using store = await openStore('memory:')
  const plans = new Plans(store)
  const { session } = await plans.start('/a/folder')
  for (let from = 0; from < tasks; from += batch) {
    const words = Array.from({ length: batch }, (_, at) => ({ title: `Task ${from + at}` }))
    await plans.addTasks(session.sid, words, { cmd: 'test' })
  }
  const ms = await leastHeldMs(async () => {
    const { events, mended } = await plans.repair()
    assert.deepEqual([events, mended], [tasks, 0])
  })
  assert.ok(ms <= heldMsMax, `held the event loop for ${ms.toFixed(0)} ms`)
}, 60_000)
