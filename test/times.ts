// Vitest loads this before each file of tests, and the first to be loaded ends last: it notes how long the file took, and how
// long of that it had the processor, for the order of the next run (`test/order.ts`).
import { appendFileSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { afterAll, expect } from 'vitest'
import { childrenOf } from './orphan.ts'
import { processorMs as ownMs } from './rounds.ts'

const ticksPerSecond = 100

const path = process.env['HOLDFAST_TEST_TIMES']
if (path !== undefined) {
  const file = relative('.', expect.getState().testPath as string)
  const [from, usedBefore] = [performance.now(), usedMs()]
  afterAll(() => {
    // What a child had is forgotten where nobody waits for it.
    const processorMs = Math.max(0, usedMs() - usedBefore)
    const line = { file, ms: performance.now() - from, processorMs }
    appendFileSync(path, `${JSON.stringify(line)}\n`)
  })
}

/** What this process and those it started have had of the processor; where the system does not say the latter, this one alone. */
function usedMs(): number {
  return (ticksOf(process.pid) * 1_000) / ticksPerSecond || ownMs()
}

function ticksOf(id: number): number {
  try {
    // After the name, which may have spaces and brackets: the 12th to 15th of the fields. The last two are of those that have ended.
    const fields = readFileSync(`/proc/${id}/stat`, 'utf8').replace(/.*\) /s, '').split(' ')
    const own = fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0)
    return childrenOf(id).reduce((sum, child) => sum + ticksOf(child), own)
  } catch {
    return 0
  }
}
