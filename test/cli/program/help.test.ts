import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { holdfast } from '../../../src/cli/holdfast.ts'
import { commandNodes, type Program } from '../../../src/cli/program/command.ts'
import { ut } from '../../../src/cli/ut.ts'
import { run } from '../terminal.ts'
import { sample } from './sample.ts'

const helpOf = async (program: Program, ...args: string[]) => {
  const { exit, stdout, stderr } = await run(program, [...args, '--help'])
  assert.deepEqual({ exit, stderr }, { exit: 0, stderr: '' })
  return stdout
}

describe('help', () => {
  test('of a program: what it is, its commands, the options of all, examples', async () => {
    const text = await helpOf(sample)
    assert.match(text, /^sam: a program for tests\.\n\nUsage: sam COMMAND /)
    assert.match(text, /\nCommands:\n {2}put PLACE \[THING…\] +put something\n/)
    assert.match(text, /\nOptions of every command:\n {2}--store URL /)
    assert.match(text, /\nExamples:\n {2}sam put here\n/)
  })

  test('of a command: usage, arguments, options with letters, values and choices', async () => {
    const text = await helpOf(sample, 'put')
    assert.match(text, /^sam put: put something\.\n\nUsage: sam put PLACE \[THING…\] \[OPTION\]…\n/)
    assert.match(text, /\n {2}PLACE +where to\n/)
    assert.match(text, /\n {2}-t, --title TITLE … +a title\n/)
    assert.match(text, /\n {2}--colour red\|green +its colour\n/)
    assert.match(text, /\n {2}-f, --fast +put it fast\n/)
    assert.match(text, /\nExamples:\n {2}sam put here a b\n$/)
  })

  test('of a command with commands below it', async () => {
    assert.match(
      await helpOf(sample, 'goal'),
      /Usage: sam goal \[COMMAND\]\n\nCommands:\n {2}set, define /,
    )
    assert.match(await helpOf(sample, 'group'), /Usage: sam group COMMAND\n/)
    assert.match(await helpOf(sample, 'goal', 'set'), /^sam goal set: set the goal\./)
  })

  for (const args of [
    ['-h'],
    ['help'],
    ['put', '--bogus', '--help'],
    ['put', '--title', '--help', '-h'],
    ['help', 'put'],
    ['--json', 'help', 'goal', 'set'],
  ])
    test(`is also what "${args.join(' ')}" asks for`, async () => {
      const { exit, stdout } = await run(sample, args)
      assert.equal(exit, 0)
      assert.match(stdout, /Usage: sam/)
    })

  test('about what does not exist is a usage error', async () => {
    const { exit, stderr } = await run(sample, ['help', 'pot'])
    assert.equal(exit, 2)
    assert.match(stderr, /There is no command "pot"\. Did you mean put\?/)
  })

  test('comes in an envelope with --json, and so does the version', async () => {
    const help = JSON.parse((await run(sample, ['put', '--help', '--json'])).stdout)
    assert.equal(help.kind, 'help')
    assert.match(help.data.text, /^sam put: /)
    const { kind, data } = JSON.parse((await run(sample, ['--version', '--json'])).stdout)
    assert.equal(kind, 'version')
    assert.match(data.version, /^\d+\.\d+\.\d+$/)
  })

  for (const program of [ut, holdfast, sample])
    for (const { path } of commandNodes(program))
      test(`of "${[program.name, ...path].join(' ')}" fits into 80 columns, without trailing spaces`, async () => {
        for (const line of (await helpOf(program, ...path)).split('\n')) {
          assert.ok([...line].length <= 80, line)
          assert.equal(line, line.trimEnd())
        }
      })
})
