import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { test } from 'vitest'
import { Child } from './child.ts'
import { eventually } from './eventually.ts'

/** Whether a process is there, and more than a name that nobody has taken away yet. */
function isRunning(processId: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${processId}/stat`, 'utf8'))
  } catch {
    return false
  }
}

test('a worker whose test run is gone ends, and so does what it has started', async () => {
  await using worker = new Child('orphan', [])
  const started = await worker.message<number>()
  assert.ok(isRunning(started))
  const gone = once(worker.process, 'exit')
  worker.process.disconnect()
  assert.deepEqual(await gone, [null, 'SIGKILL'])
  await eventually(() => assert.ok(!isRunning(started)))
})
