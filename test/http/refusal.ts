import assert from 'node:assert/strict'
import { run } from '../cli/terminal.ts'
import { temporaryFolder } from '../store/ground.ts'

/** What a program says that will not serve: it ends with 2, and has said nothing else. Within this process. */
export async function serveRefusal(
  program: Parameters<typeof run>[0],
  args: readonly string[],
): Promise<string> {
  await using folder = await temporaryFolder()
  const cwd = folder.path('')
  const { exit, stdout, stderr } = await run(program, ['serve', ...args], {
    cwd,
    env: { HOME: cwd },
  })
  assert.deepEqual([exit, stdout], [2, ''])
  return stderr
}
