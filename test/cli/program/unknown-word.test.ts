import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { coven } from '../../../src/cli/coven.ts'
import { holdfast } from '../../../src/cli/holdfast.ts'
import { np } from '../../../src/cli/np.ts'
import { type CommandNode, commandNodes, type Program } from '../../../src/cli/program/command.ts'
import { qo } from '../../../src/cli/qo.ts'
import { ut } from '../../../src/cli/ut.ts'
import { run } from '../terminal.ts'

/** Every place of every program at which a word must be a command. */
const places = [ut, np, qo, coven, holdfast].flatMap((program) =>
  commandNodes(program)
    .filter(({ commands, command }) => commands.length > 0 && command?.arguments === undefined)
    .map((place): [string, Program, CommandNode] => [
      [program.name, ...place.path].join(' '),
      program,
      place,
    ]),
)

/** Whether an error lists the commands of a place, and what they mean; answers with its first line. */
function assertOffers(stderr: string, { commands }: CommandNode): string {
  const [first = '', ...lines] = stderr.trimEnd().split('\n')
  assert.match(first, /See ".* --help"\.$/)
  assert.equal(lines.length, commands.length)
  for (const [at, { name, aliases = [], about }] of commands.entries()) {
    assert.ok(lines[at]?.startsWith(`  ${[name, ...aliases].join(', ')}  `), lines[at])
    assert.ok(lines[at]?.endsWith(`  ${about}`), lines[at])
  }
  return first
}

describe('an unknown word', () => {
  test.each(places)(
    'after "%s" is named, with the commands there are',
    async (_, program, place) => {
      const args = [...place.path, 'wrod', '-t', 'x', '--bogus', 'y']
      const { exit, stdout, stderr } = await run(program, args)
      assert.deepEqual([exit, stdout], [2, ''])
      const first = assertOffers(stderr, place)
      assert.match(first, /: There is no command "([a-z]+ )*wrod"\. /)
      const { error } = JSON.parse((await run(program, [...args, '--json'])).stdout)
      assert.deepEqual(
        error.commands.map(({ name, about }: { name: string; about: string }) => [name, about]),
        place.commands.map(({ name, about }) => [name, about]),
      )
    },
  )

  test.each(places.filter(([, { bare }, { command }]) => command?.run === undefined && !bare))(
    'and none after "%s": the commands there are as well',
    async (_, program, place) => {
      const { exit, stderr } = await run(program, [...place.path])
      assert.equal(exit, 2)
      assert.match(assertOffers(stderr, place), /: No command was given\. /)
    },
  )

  test('is told before what is wrong after it, and after what is wrong before it', async () => {
    assert.match((await run(np, ['wrod', '-x'])).stderr, /no command "wrod"/)
    assert.match((await run(np, ['-x', 'wrod'])).stderr, /no option -x/)
  })
})

test('no two commands of a place go by the same word', () => {
  for (const [where, , { commands }] of places) {
    const words = commands.flatMap(({ name, aliases = [] }) => [name, ...aliases])
    assert.equal(new Set(words).size, words.length, where)
  }
})
