import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { holdfast } from '../../../src/cli/holdfast.ts'
import { runForLeavingReader } from '../leaving-reader.ts'
import { run } from '../terminal.ts'

const started = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  spawnSync('bin/holdfast', args, { encoding: 'utf8', env: { ...process.env, ...env } })

describe('holdfast demo', () => {
  test('shows the store at work, with --json in one envelope', () => {
    const { status, stdout, stderr } = started(['demo', '--json'])
    assert.equal(stderr, '')
    assert.equal(status, 0)
    const { kind, data } = JSON.parse(stdout)
    assert.equal(kind, 'demo')
    assert.match(data.text, /4 × 250 = 1000/)
    assert.match(data.text, /mine: {3}\{"ok":false\}/)
    assert.match(data.text, /\{"type":"key","key":"demo\/task\/2"\}/)
  })

  test('ends quietly when its reader leaves, and cleans up', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-cli-'))
    try {
      const env = { ...process.env, TMPDIR: folder }
      const ended = await runForLeavingReader('bin/holdfast', ['demo'], env)
      assert.deepEqual(ended, { status: 0, stderr: '' })
      assert.deepEqual(readdirSync(folder), [])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('says in one line that there is no place for its file', () => {
    const { status, stderr } = started(['demo'], { TMPDIR: '/nonexistent' })
    assert.equal(status, 1)
    assert.match(stderr, /^holdfast: .*\/nonexistent.*\n$/)
  })
})

describe('holdfast', () => {
  test('--help names every command', async () => {
    const { exit, stdout } = await run(holdfast, ['--help'])
    assert.equal(exit, 0)
    for (const { name } of holdfast.commands)
      assert.match(stdout, new RegExp(`^ {2}${name}( |$)`, 'm'), name)
    assert.match(stdout, /^ {2}completion SHELL /m)
  })

  test('--version is the version of the package', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
    assert.equal(started(['--version']).stdout, `${version}\n`)
  })

  for (const [typed, meant] of [
    [['docter'], 'doctor'],
    [['exprot'], 'export'],
    [['imp'], 'import'],
    [['conf'], 'config'],
    [['agent'], 'agents'],
    [['agents', 'instal'], 'install'],
  ] as const)
    test(`${typed.join(' ')}: exit 2, and the command that may be meant`, async () => {
      const { exit, stderr } = await run(holdfast, typed)
      assert.equal(exit, 2)
      assert.ok(stderr.includes(`Did you mean ${meant}?`), stderr)
    })

  for (const shell of ['bash', 'zsh', 'fish'])
    test(`completion ${shell} knows every command`, async () => {
      const { exit, stdout } = await run(holdfast, ['completion', shell])
      assert.equal(exit, 0)
      for (const { name } of holdfast.commands) assert.ok(stdout.includes(name), name)
    })

  test('a store URL that does not parse is exit 2 for every command that takes one', async () => {
    for (const args of [['doctor'], ['export'], ['mcp']]) {
      const { exit } = await run(holdfast, [...args, '--store', 'sqllite:x'], { stdin: '' })
      assert.equal(exit, 2, args.join(' '))
    }
  })

  for (const args of [[], ['nonsense'], ['demo', 'extra'], ['--nonsense'], ['constructor']])
    test(`${args.join(' ')}: a usage error is exit 2, on stderr alone`, async () => {
      const { exit, stdout, stderr } = await run(holdfast, args)
      assert.deepEqual([exit, stdout], [2, ''])
      assert.match(stderr, /See "holdfast( demo)? --help"/)
    })
})
