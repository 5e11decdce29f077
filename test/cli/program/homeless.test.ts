import assert from 'node:assert/strict'
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import { afterEach, test } from 'vitest'
import { np } from '../../../src/cli/np.ts'
import { ut } from '../../../src/cli/ut.ts'
import { openStore } from '../../../src/store/index.ts'
import { run } from '../terminal.ts'

const { userInfo, homedir } = os
const useAs = (functions: Partial<typeof os>) => {
  Object.assign(os, functions)
  syncBuiltinESMExports()
}
afterEach(() => useAs({ userInfo, homedir }))

test('a user without an account and HOME is told so', async () => {
  const none = () => {
    throw new Error('uv_os_get_passwd returned ENOENT')
  }
  useAs({ userInfo: none, homedir: none })
  const { exit, stderr } = await run(ut, ['ls'], { cwd: '/', env: { HOME: '' } })
  assert.deepEqual(
    [exit, stderr],
    [2, 'ut: You have no home directory: this user has no account. Set HOME.\n'],
  )
  const prime = await run(np, ['prime'], { cwd: '/', env: { HOME: '' } })
  assert.deepEqual([prime.exit, prime.stdout.split('\n').length], [0, 2])
  const elsewhere = await run(ut, ['ls', '--store', 'memory:'], { cwd: '/', env: { HOME: '' } })
  assert.equal(elsewhere.exit, 4)
  await assert.rejects(openStore('sqlite:~/x.db'), /this user has no home directory/)
})
