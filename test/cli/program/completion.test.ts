import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import type { Program } from '../../../src/cli/program/command.ts'
import { ut } from '../../../src/cli/ut.ts'
import { run } from '../terminal.ts'
import { sample } from './sample.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-completion-'))
  writeFileSync(join(folder, 'notes.txt'), '')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const scriptOf = async (program: Program, shell: string) => {
  const { exit, stdout, stderr } = await run(program, ['completion', shell])
  assert.deepEqual({ exit, stderr }, { exit: 0, stderr: '' })
  return stdout
}

const has = (shell: string) => spawnSync(shell, ['-c', 'exit 0']).status === 0

/** What bash offers for a line, whose last word is the one to complete. */
async function offered(program: Program, line: string): Promise<string[]> {
  const words = line.split(' ').map((word) => `'${word}'`)
  const ask = `${await scriptOf(program, 'bash')}
    compopt() { :; }
    COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}
    _${program.name}_complete; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr } = spawnSync('bash', ['-c', ask], { encoding: 'utf8', cwd: folder })
  assert.equal(stderr, '')
  return stdout.split('\n').filter((word) => word !== '')
}

describe('completion', () => {
  for (const [shell, flags] of [
    ['bash', ['-n']],
    ['zsh', ['-n']],
    ['fish', ['--no-execute']],
  ] as const)
    for (const program of [ut, sample])
      test(`${shell} accepts the script of ${program.name}, which names all there is`, async () => {
        const script = await scriptOf(program, shell)
        for (const { name } of program.commands) assert.match(script, new RegExp(`\\b${name}\\b`))
        assert.match(script, /store/)
        if (!has(shell)) return
        const file = join(folder, `${program.name}.${shell}`)
        writeFileSync(file, script)
        const { status, stderr } = spawnSync(shell, [...flags, file], { encoding: 'utf8' })
        assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
      })

  const offers: readonly [Program, string, string[]][] = [
    [ut, 'ut re', ['rebuild-index']],
    [ut, 'ut d', ['done']],
    [ut, 'ut --store nats://x d', ['done']],
    [ut, 'ut completion ', ['bash', 'zsh', 'fish']],
    [ut, 'ut ls --l', ['--limit']],
    [ut, 'ut ls --a', ['--any', '--all']],
    [ut, 'ut ls --limit ', []],
    [ut, 'ut --store sq', ['sqlite:']],
    [ut, 'ut add --file no', ['notes.txt']],
    [sample, 'sam put x --colour ', ['red', 'green']],
    [sample, 'sam put x --colour g', ['green']],
    [sample, 'sam put -t goal --de', ['--details']],
    [sample, 'sam goal s', ['set']],
    [sample, 'sam goal set --t', ['--title']],
    [sample, 'sam aim ', ['set']],
    [sample, 'sam aim define --t', ['--title']],
    [sample, 'sam group ', ['one', 'two']],
  ]
  for (const [program, line, words] of offers)
    test(`bash offers for "${line}": ${words.join(' ')}`, async () => {
      const found = await offered(program, line)
      assert.deepEqual(
        found.filter((word) => words.length === 0 || !isGlobal(word)),
        words,
      )
    })

  test('bash offers for "ut " every command', async () => {
    const found = await offered(ut, 'ut ')
    assert.deepEqual(
      found.filter((word) => !isGlobal(word)),
      ut.commands.map(({ name }) => name),
    )
    assert.ok(found.includes('--store'))
  })

  test('an interactive bash completes "ut re" by itself', async () => {
    const rc = join(folder, 'rc')
    writeFileSync(rc, `${await scriptOf(ut, 'bash')}\nPS1=\nut() { echo "called with $*"; }\n`)
    // Readline reads the keys from stdin, the tab included.
    const { stdout } = spawnSync('bash', ['--noprofile', '--rcfile', rc, '-i'], {
      encoding: 'utf8',
      input: 'ut re\t--json\nexit\n',
      env: { ...process.env, TERM: 'dumb' },
    })
    assert.match(stdout, /called with rebuild-index --json/)
  })

  if (has('fish'))
    test('fish completes a command, an option and a value', async () => {
      writeFileSync(join(folder, 'ut.fish'), await scriptOf(ut, 'fish'))
      const lines = ['ut re', 'ut ls --lim', 'ut completion z'].map(
        (line) => `complete -C "${line}"`,
      )
      const command = ['source ut.fish', ...lines].join('; ')
      const { stdout } = spawnSync('fish', ['-c', command], { encoding: 'utf8', cwd: folder })
      assert.match(stdout, /^rebuild-index\t.*\n--limit\t.*\nzsh\n$/)
    })

  test('a script comes in an envelope with --json', async () => {
    const { stdout } = await run(ut, ['completion', 'fish', '--json'])
    const { kind, data } = JSON.parse(stdout)
    assert.equal(kind, 'completion')
    assert.match(data.script, /^# Completion of ut for fish/)
  })
})

const isGlobal = (word: string): boolean => /^(--(store|json|quiet|help|version)|-h)$/.test(word)
