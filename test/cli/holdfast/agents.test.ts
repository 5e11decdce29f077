import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { Desk } from './desk.ts'

const read = (desk: Desk, name: string) => readFileSync(desk.path(name), 'utf8')

const agents = async (desk: Desk, ...args: string[]) => {
  const { exit, stdout, stderr } = await desk.run(['agents', ...args])
  assert.deepEqual({ exit, stderr }, { exit: 0, stderr: '' })
  return stdout
}

describe('holdfast agents install', () => {
  test('makes AGENTS.md where there is none, and uninstall takes it away again', async () => {
    using desk = new Desk()
    const said = await agents(desk, 'install')
    assert.match(said, /AGENTS\.md: made, with:\n\+ <!-- holdfast: begin/)
    assert.match(read(desk, 'AGENTS.md'), /np prime/)
    assert.match(await agents(desk, 'uninstall'), /AGENTS\.md: deleted/)
    assert.deepEqual(readdirSync(desk.folder), [])
  })

  test('shows every line that it writes', async () => {
    using desk = new Desk()
    desk.write('AGENTS.md', '# Ours\n')
    const said = await agents(desk, 'install')
    const added = said.split('\n').flatMap((line) => (line.startsWith('+ ') ? [line.slice(2)] : []))
    assert.equal(read(desk, 'AGENTS.md'), `# Ours\n\n${added.join('\n')}\n`)
  })

  test('--dry-run shows the same and writes nothing', async () => {
    using desk = new Desk()
    const said = await agents(desk, 'install', '--dry-run', '--hooks', 'settings.json')
    assert.match(said, /AGENTS\.md: made, with: \(not written\)\n\+ /)
    assert.match(said, /settings\.json: made, with: \(not written\)/)
    assert.deepEqual(readdirSync(desk.folder), [])
    const { data } = JSON.parse(await agents(desk, 'install', '--dry-run', '--json'))
    assert.deepEqual([data[0].action, data[0].path], ['make', desk.path('AGENTS.md')])
  })

  test('a second time has nothing to do', async () => {
    using desk = new Desk()
    desk.write('AGENTS.md', 'x')
    await agents(desk, 'install', '--hooks', 's.json')
    const before = read(desk, 'AGENTS.md') + read(desk, 's.json')
    assert.match(
      await agents(desk, 'install', '--hooks', 's.json'),
      /nothing to do\n.*nothing to do/,
    )
    assert.equal(read(desk, 'AGENTS.md') + read(desk, 's.json'), before)
  })

  test('reads only regular files, whatever a repository brings', async () => {
    using desk = new Desk()
    symlinkSync('/dev/zero', desk.path('AGENTS.md'))
    execFileSync('mkfifo', [desk.path('pipe')])
    desk.write('long.md', '#'.repeat(1_048_577))
    for (const args of [
      ['install'],
      ['uninstall'],
      ['install', '--file', 'pipe'],
      ['install', '--file', 'long.md'],
      ['install', '--file', 'new.md', '--hooks', 'pipe'],
    ]) {
      const { exit, stderr } = await desk.run(['agents', ...args])
      assert.equal(exit, 2)
      assert.match(stderr, /can't be read: it (?:is no regular file|has more than 1048576 bytes)\./)
    }
    assert.ok(!existsSync(desk.path('new.md')))
  })

  test('writes into another file by --file, and touches no settings unless named', async () => {
    using desk = new Desk()
    desk.write('.claude/settings.json', '{}')
    await agents(desk, 'install', '--file', 'CLAUDE.md')
    assert.ok(existsSync(desk.path('CLAUDE.md')) && !existsSync(desk.path('AGENTS.md')))
    assert.equal(read(desk, '.claude/settings.json'), '{}')
  })

  test('keeps permissions, and what was written after the block', async () => {
    using desk = new Desk()
    chmodSync(desk.write('AGENTS.md', 'Before\n'), 0o640)
    await agents(desk, 'install')
    desk.write('AGENTS.md', `${read(desk, 'AGENTS.md')}After\n`)
    await agents(desk, 'uninstall')
    assert.equal(read(desk, 'AGENTS.md'), 'Before\nAfter\n')
    assert.equal(statSync(desk.path('AGENTS.md')).mode & 0o777, 0o640)
  })

  test('replaces the block of an older version where it stands', async () => {
    using desk = new Desk()
    desk.write('AGENTS.md', 'Before')
    await agents(desk, 'install')
    const hash = createHash('sha256').update('old\n').digest('hex').slice(0, 12)
    const older = read(desk, 'AGENTS.md')
      .replace(/, [0-9a-f]{12}\)/, `, ${hash})`)
      .replace(/(uninstall[^\n]*\n).*(<!-- holdfast: end)/s, '$1old\n$2')
    desk.write('AGENTS.md', `${older}After\n`)
    assert.match(await agents(desk, 'install'), /AGENTS\.md: replaced by:/)
    await agents(desk, 'uninstall')
    assert.equal(read(desk, 'AGENTS.md'), 'BeforeAfter\n')
  })

  test('a block that was changed by hand is left alone, unless --force', async () => {
    using desk = new Desk()
    await agents(desk, 'install')
    desk.write('AGENTS.md', read(desk, 'AGENTS.md').replace('## Plans', '## Mine'))
    const before = read(desk, 'AGENTS.md')
    for (const verb of ['install', 'uninstall'])
      assert.equal((await desk.run(['agents', verb])).exit, 6)
    assert.equal(read(desk, 'AGENTS.md'), before)
    await agents(desk, 'uninstall', '--force')
    assert.ok(!existsSync(desk.path('AGENTS.md')))
  })
})

describe('holdfast agents install, then uninstall, leaves byte for byte', () => {
  test('any text', async () => {
    using desk = new Desk()
    const texts = fc.string({
      unit: fc.constantFrom('\n', '\r\n', 'a', '#', ' ', 'é', '<!-- x -->'),
    })
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        desk.write('AGENTS.md', text)
        await agents(desk, 'install')
        assert.notEqual(read(desk, 'AGENTS.md'), text)
        await agents(desk, 'uninstall')
        assert.equal(read(desk, 'AGENTS.md'), text)
      }),
      { numRuns: 100 },
    )
  })

  const settings: readonly string[] = [
    '{}',
    '{ }\n',
    '{\n}',
    '{"a":1}',
    '{\n\t"a": [1, {"hooks": "}"}],\n\t"b": "\\"}"\n}\n',
    '{"hooks":{}}',
    '{"hooks": {"Stop": [{"hooks": []}]}, "model": "x"}',
    '{"hooks": {"SessionStart": []}}',
    '{\r\n  "permissions": {"allow": ["Bash(ls)"]},\r\n  "hooks": {\r\n    "SessionStart": [\r\n      {"hooks": [{"type": "command", "command": "date"}]}\r\n    ]\r\n  }\r\n}\r\n',
    '\uFEFF{"a": -1.5e3, "b": null, "c": true}',
  ]
  for (const text of settings)
    test(`the settings ${JSON.stringify(text).slice(0, 60)}`, async () => {
      using desk = new Desk()
      desk.write('s.json', text)
      await agents(desk, 'install', '--hooks', 's.json')
      const installed = JSON.parse(read(desk, 's.json').replace(/^\uFEFF/, ''))
      const commands = installed.hooks.SessionStart.flatMap(
        (group: { hooks: { command: string }[] }) => group.hooks.map(({ command }) => command),
      )
      assert.ok(commands.includes('np prime'))
      const before = JSON.parse(text.replace(/^\uFEFF/, ''))
      for (const key of Object.keys(before).filter((each) => each !== 'hooks'))
        assert.deepEqual(installed[key], before[key])
      await agents(desk, 'uninstall', '--hooks', 's.json')
      assert.equal(read(desk, 's.json'), text)
    })

  test('settings that were not there', async () => {
    using desk = new Desk()
    await agents(desk, 'install', '--hooks', 's.json')
    assert.equal(JSON.parse(read(desk, 's.json')).hooks.SessionStart.length, 1)
    await agents(desk, 'uninstall', '--hooks', 's.json')
    assert.deepEqual(readdirSync(desk.folder), [])
  })
})

describe('holdfast agents refuses', () => {
  const bad: readonly [string, string, RegExp][] = [
    ['settings that are no JSON', '{"a":', /is no JSON/],
    ['settings that are a list', '[]', /no settings file/],
    ['settings whose hooks are a list', '{"hooks": []}', /hooks is no object/],
    ['settings whose SessionStart is a text', '{"hooks": {"SessionStart": "x"}}', /is no list/],
    ['settings with comments', '{ // x\n}', /is no JSON/],
  ]
  for (const [name, text, message] of bad)
    test(`${name}, and changes neither file`, async () => {
      using desk = new Desk()
      desk.write('s.json', text)
      const { exit, stderr } = await desk.run(['agents', 'install', '--hooks', 's.json'])
      assert.equal(exit, 2)
      assert.match(stderr, message)
      assert.equal(read(desk, 's.json'), text)
      assert.ok(!existsSync(desk.path('AGENTS.md')))
    })

  test('a folder that is not there, a file that is one, and no name at all', async () => {
    using desk = new Desk()
    for (const args of [
      ['--file', 'no/AGENTS.md'],
      ['--file', '.'],
      ['--file', ''],
      ['--hooks', ''],
    ])
      assert.equal((await desk.run(['agents', 'install', ...args])).exit, 2, args.join(' '))
  })

  test('a hook that another program wrote anew: uninstall says what to do', async () => {
    using desk = new Desk()
    await agents(desk, 'install', '--hooks', 's.json')
    desk.write('s.json', JSON.stringify(JSON.parse(read(desk, 's.json')), null, 4))
    const { exit, stderr } = await desk.run(['agents', 'uninstall', '--hooks', 's.json'])
    assert.equal(exit, 6)
    assert.match(stderr, /Take the hook "np prime" out of SessionStart by hand/)
  })

  test('nothing where nothing is installed', async () => {
    using desk = new Desk()
    assert.match(await agents(desk, 'uninstall'), /nothing to do/)
  })
})
