import assert from 'node:assert/strict'
import { test, vi } from 'vitest'
import { ut } from '../../../src/cli/ut.ts'
import { openStore } from '../../../src/store/index.ts'
import { run } from '../terminal.ts'

vi.mock('node:os', async (original) => {
  const none = () => {
    throw new Error('uv_os_get_passwd returned ENOENT')
  }
  return { ...(await original<typeof import('node:os')>()), userInfo: none, homedir: none }
})

test('a user without an account and HOME is told so', async () => {
  const { exit, stderr } = await run(ut, ['ls'], { cwd: '/', env: { HOME: '' } })
  assert.deepEqual(
    [exit, stderr],
    [2, 'ut: You have no home directory: this user has no account. Set HOME.\n'],
  )
  assert.equal(
    (await run(ut, ['ls', '--store', 'memory:'], { cwd: '/', env: { HOME: '' } })).exit,
    4,
  )
  await assert.rejects(openStore('sqlite:~/x.db'), /this user has no home directory/)
})
