import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'vitest'
import { coven } from '../../../src/cli/coven.ts'
import { holdfast } from '../../../src/cli/holdfast.ts'
import { np } from '../../../src/cli/np.ts'
import type { Program } from '../../../src/cli/program/command.ts'
import { qo } from '../../../src/cli/qo.ts'
import { ut } from '../../../src/cli/ut.ts'
import { cleanUp, newDirectory } from '../desk.ts'
import { run } from '../terminal.ts'

cleanUp()

const umask = process.umask()
let home = ''
beforeEach(() => {
  home = newDirectory()
})
afterEach(() => void process.umask(umask))

const path = () => join(home, 'tasks.db')
const at = (program: Program, ...args: string[]) =>
  run(program, args, { cwd: home, stdin: '', env: { HOME: home } })
const checksOf = async (program: Program) => {
  const { exit, stdout } = await at(program, 'doctor', '--store', `sqlite:${path()}`, '--json')
  const { data } = JSON.parse(stdout) as { data: { name: string; [field: string]: unknown }[] }
  return { exit, permissions: data.find(({ name }) => name === 'permissions') }
}

for (const mask of [0o000, 0o077])
  test(`whatever a program writes is the user's alone, also with umask ${mask.toString(8)}`, async () => {
    process.umask(mask)
    const kept = join(home, 'kept')
    mkdirSync(kept)
    chmodSync(kept, 0o755)
    writeFileSync(join(home, 'there.ndjson'), '', { mode: 0o666 })
    writeFileSync(join(home, '.holdfast.yaml'), 'exec: mail=true\n', { mode: 0o600 })
    chmodSync(join(home, '.holdfast.yaml'), 0o600)
    await at(holdfast, 'trust')
    await at(ut, 'add', 'Buy milk')
    await at(np, 's', '--store', 'sqlite:made/deep/plans.db')
    await at(qo, 'submit', '-t', 'mail', '--store', 'sqlite:kept/queue.db')
    // A folder that no store is made in.
    await run(coven, ['init', '--store', `sqlite:${path()}`], { cwd: kept, env: { HOME: home } })
    await at(coven, 'init')
    await at(coven, 'task', 'create', '--title', 'Ship')
    await at(holdfast, 'export', 'all.ndjson')
    const { exit } = await at(holdfast, 'export', 'there.ndjson', '--force')
    assert.equal(exit, 0)
    const found = readdirSync(home, { recursive: true, encoding: 'utf8' })
    for (const name of [
      ...['.local/share/holdfast/holdfast.db', '.coven/tasks.db', 'all.ndjson'],
      ...['.config/holdfast/trusted.json', 'kept/.coven'],
    ])
      assert.ok(found.includes(name), name)
    for (const name of found) {
      const stats = statSync(join(home, name))
      const wanted = name === 'kept' ? '755' : stats.isDirectory() ? '700' : '600'
      assert.equal((stats.mode & 0o777).toString(8), wanted, name)
    }
  })

test('instructions for agents are files of the repository, with the modes that those have', async () => {
  process.umask(0o022)
  await at(holdfast, 'agents', 'install')
  assert.equal(statSync(join(home, 'AGENTS.md')).mode & 0o777, 0o644)
})

describe('doctor', () => {
  for (const program of [holdfast, qo]) {
    const { name } = program
    test(`${name}: a private store is fine`, async () => {
      await at(ut, 'add', 'Buy milk', '--store', `sqlite:${path()}`)
      const { exit, permissions } = await checksOf(program)
      const detail = 'Only its owner can read the store.'
      assert.deepEqual([exit, permissions], [0, { name: 'permissions', ok: true, detail }])
    })

    for (const [mode, whom] of [
      [0o644, 'Every user of this machine'],
      [0o604, 'Every user of this machine'],
      [0o622, 'Every user of this machine'],
      [0o640, 'Its group'],
    ] as const)
      test(`${name}: one of mode ${mode.toString(8)} is a warning that names the chmod`, async () => {
        await at(ut, 'add', 'Buy milk', '--store', `sqlite:${path()}`)
        chmodSync(path(), mode)
        const { exit, permissions } = await checksOf(program)
        assert.deepEqual([exit, permissions?.['ok'], permissions?.['warning']], [0, true, true])
        const detail = permissions?.['detail'] as string
        assert.ok(detail.startsWith(`${whom} can `), detail)
        assert.ok(detail.endsWith(`: chmod 600 ${path()}`), detail)
        const { stdout } = await at(program, 'doctor', '--store', `sqlite:${path()}`)
        assert.match(stdout, /^warn {2}permissions .*chmod 600/m)
      })
  }

  test('names a backup, too, and quotes what a shell would take apart', async () => {
    home = join(home, "it's mine")
    mkdirSync(home)
    await at(ut, 'add', 'Buy milk', '--store', `sqlite:${path()}`)
    writeFileSync(`${path()}.bak`, '')
    chmodSync(`${path()}.bak`, 0o644)
    const { permissions } = await checksOf(holdfast)
    assert.match(
      permissions?.['detail'] as string,
      /: chmod 600 '.*it'\\''s mine\/tasks\.db\.bak'$/,
    )
  })
})
