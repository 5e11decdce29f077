import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, test } from 'vitest'
import { kinds } from './kinds.ts'
import { budgets } from './models/budgets.ts'

const run = promisify(execFile)
const program = new URL('../../.tools/test/sim/main.js', import.meta.url).pathname

describe('next to 100,000 other tasks every operation stays within its budget, on each kind of store', () => {
  for (const { name } of budgets)
    test(name, async () => {
      const { stdout } = await run(process.execPath, [program, '--budgets', '--model', name])
      const [, checked, over] =
        /^(\d+) operations next to 100000 other tasks, (\d+) over/.exec(stdout) ?? []
      assert.equal(over, '0', stdout)
      assert.ok(Number(checked) >= 7 * kinds.size)
      // It works all the time, and has a share of the processor alone on a busy machine.
    }, 1_200_000)
})
