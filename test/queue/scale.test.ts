import assert from 'node:assert/strict'
import { test } from 'vitest'
import { Queue, TaskExistsError } from '../../src/queue/index.ts'
import { openStore } from '../../src/store/index.ts'
import { measured, processorMs } from '../rounds.ts'

const idOf = (n: number): string =>
  `7${n.toString(16).padStart(7, '0')}-1111-4111-8111-111111111111`

test('submitting many tasks with ids of one’s own takes time in proportion to their number', async () => {
  await using store = await openStore('memory:')
  const queue = new Queue(store)
  // The last id is given twice, so that nothing is written: the time is that of the checks.
  const msOf = async (count: number): Promise<number> => {
    const tasks = Array.from({ length: count }, (_, n) => ({
      type: 't',
      id: idOf(Math.min(n, count - 2)),
    }))
    const start = processorMs()
    await assert.rejects(queue.submitMany(tasks), TaskExistsError)
    return processorMs() - start
  }
  await msOf(10_000)
  await measured(
    async () => ({ few: await msOf(10_000), many: await msOf(60_000) }),
    ({ few, many }) => many < 6 * 3 * few,
  )
})
