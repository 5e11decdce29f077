// Vitest loads this before each file of tests, and the first to be loaded ends last: it notes how long the file took, and how
// long of that it had the processor, for the order of the next run (`test/order.ts`).
import { appendFileSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { afterAll, expect } from 'vitest'
import { processorMs } from './rounds.ts'

const ticksPerSecond = 100

const path = process.env['HOLDFAST_TEST_TIMES']
if (path !== undefined) {
  const file = relative('.', expect.getState().testPath as string)
  const [from, usedBefore] = [performance.now(), usedMs()]
  afterAll(() => {
    const line = { file, ms: performance.now() - from, processorMs: usedMs() - usedBefore }
    appendFileSync(path, `${JSON.stringify(line)}\n`)
  })
}

/** What this process and those it started have had of the processor; where the system does not say the latter, this one alone. */
function usedMs(): number {
  try {
    // After the name, which may have spaces and brackets: the 12th to 15th of the fields.
    const fields = readFileSync('/proc/self/stat', 'utf8').replace(/.*\) /s, '').split(' ')
    const ticks = fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0)
    return (ticks * 1_000) / ticksPerSecond
  } catch {
    return processorMs()
  }
}
