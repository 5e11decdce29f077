import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { settingNames } from '../../../src/cli/program/setting.ts'
import { trust } from '../trust.ts'
import { Desk } from './desk.ts'

const settingsOf = async (desk: Desk, args: string[] = [], env = {}) => {
  const { exit, stdout, stderr } = await desk.run(['config', '--json', ...args], { env })
  assert.deepEqual({ exit, stderr }, { exit: 0, stderr: '' })
  const { kind, data } = JSON.parse(stdout)
  assert.equal(kind, 'config')
  return Object.fromEntries(data.map(({ key, ...rest }: { key: string }) => [key, rest])) as Record<
    string,
    { value: string | null; source: string; origin: string | null }
  >
}

describe('holdfast config', () => {
  test('shows defaults where nothing is set', async () => {
    using desk = new Desk()
    const { store, port, host, concurrency } = await settingsOf(desk)
    const url = `sqlite:${desk.path('home/.local/share/holdfast/holdfast.db')}`
    assert.deepEqual(store, { value: url, source: 'default', origin: null })
    assert.deepEqual(port, { value: null, source: 'default', origin: null })
    assert.equal(host?.value, '127.0.0.1')
    assert.equal(concurrency?.value, '10')
  })

  test('shows file and line, the project before the user', async () => {
    using desk = new Desk()
    const user = desk.write(
      'home/.config/holdfast/config.yaml',
      'store: nats://user:4222\nagent_id: ann\n',
    )
    const project = desk.write('.holdfast.yaml', '# ours\nstore: sqlite:x.db\nlease: 30\n')
    const { store, agent_id, lease } = await settingsOf(desk)
    assert.deepEqual(store, {
      value: `sqlite:${desk.path('x.db')}`,
      source: 'project file',
      origin: `${project}, line 2`,
    })
    assert.deepEqual(lease, { value: '30', source: 'project file', origin: `${project}, line 3` })
    assert.deepEqual(agent_id, { value: 'ann', source: 'user file', origin: `${user}, line 2` })
  })

  test('shows variables before files, and flags before variables', async () => {
    using desk = new Desk()
    const file = desk.write('.holdfast.yaml', 'store: nats://file:4222\nagent_id: ann\n')
    await trust(file, desk.path('home'))
    const env = { HOLDFAST_STORE: 'nats://env:4222', COVEN_AGENT_ID: 'bob' }
    const { store, agent_id } = await settingsOf(desk, [], env)
    assert.deepEqual(store, {
      value: 'nats://env:4222',
      source: 'environment',
      origin: 'HOLDFAST_STORE',
    })
    assert.equal(agent_id?.origin, 'COVEN_AGENT_ID')
    const flagged = await settingsOf(desk, ['--store', 'memory:x'], env)
    assert.deepEqual(flagged['store'], { value: 'memory:x', source: 'flag', origin: '--store' })
  })

  test('shows a person one line for each', async () => {
    using desk = new Desk()
    await trust(desk.write('.holdfast.yaml', 'port: 8000\n'), desk.path('home'))
    const { stdout } = await desk.run(['config', '--store', 'memory:x'])
    const lines = stdout.trimEnd().split('\n')
    assert.match(lines[0] as string, /^store +memory:x +--store$/)
    assert.match(lines[1] as string, /^agent_id +- +default$/)
    assert.match(stdout, /^port +8000 +.*\/\.holdfast\.yaml, line 1$/m)
    assert.equal(lines.length, settingNames.length)
  })

  test('shows no password', async () => {
    using desk = new Desk()
    const { stdout } = await desk.run(['config', '--store', 'nats://ann:secret@host:4222'])
    assert.ok(!stdout.includes('secret'))
    assert.match(stdout, /nats:\/\/…@host:4222/)
    desk.write('home/.config/holdfast/config.yaml', 'token: s3cret-token\n')
    const told = await desk.run(['config'])
    assert.match(told.stdout, /^token +… +.*config\.yaml, line 1$/m)
  })

  test('checks both files, whatever goes before them', async () => {
    using desk = new Desk()
    const file = desk.write('home/.config/holdfast/config.yaml', 'store: x\nprot: 7\n')
    const { exit, stdout, stderr } = await desk.run(['config', '--store', 'memory:x'])
    assert.deepEqual({ exit, stdout }, { exit: 2, stdout: '' })
    assert.ok(stderr.includes(`${file}, line 2: unknown key "prot". Did you mean port?`), stderr)
  })

  test('answers a syntax error with file and line, in an envelope too', async () => {
    using desk = new Desk()
    const file = desk.write('.holdfast.yaml', 'store: x\n  bad: [\n')
    const { exit, stdout } = await desk.run(['config', '--json'])
    const { kind, error } = JSON.parse(stdout)
    assert.deepEqual({ exit, kind, code: error.code }, { exit: 2, kind: 'error', code: 'invalid' })
    assert.match(error.message, new RegExp(`^${file}, line \\d: `))
  })
})
