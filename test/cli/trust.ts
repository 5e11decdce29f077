import assert from 'node:assert/strict'
import { dirname } from 'node:path'
import { holdfast } from '../../src/cli/holdfast.ts'
import { run } from './terminal.ts'

/** Trusts a file as the user whose home it is. */
export async function trust(path: string, home: string): Promise<void> {
  const { exit, stderr } = await run(holdfast, ['trust', path], {
    cwd: dirname(path),
    env: { HOME: home },
  })
  assert.equal(exit, 0, stderr)
}
