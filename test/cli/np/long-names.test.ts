import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { cleanUp, memoryDesk } from './desk.ts'

cleanUp()

/** A whole session, in long names and in short ones; each line builds on those before it. */
const lines: readonly [long: string, short: string][] = [
  ['start', 's'],
  ['goal set -t Ship', 'g s -t Ship'],
  ['goal update -d more -r why', 'g u -d more -r why'],
  ['goal', 'g'],
  ['task add -t One', 't a -t One'],
  ['task update -i ID -s doing', 't u -i ID -s doing'],
  ['task', 't'],
  ['task a -t Two', 't add -t Two'],
  ['g set -t Again', 'goal s -t Again'],
  ['plan', 'p'],
  ['resume', 'r'],
  ['events', 'e'],
  ['export', 'x'],
  ['list', 'l'],
  ['monitor', 'm'],
  ['archive', 'a'],
]

describe('long names', () => {
  test('do what the short ones do, and stand in the log as those', async () => {
    const [long, short] = [memoryDesk(), memoryDesk()]
    const masked = (text: string, { directory }: { directory: string }) =>
      text
        .replaceAll(directory, 'DIR')
        .replaceAll(/[0-9A-HJKMNP-TV-Z]{26}/g, 'SID')
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
        .replaceAll(/\b[0-9a-f]{6}\b/g, 'ID')
    const told = async (desk: typeof long, line: string) => {
      const id = line.includes('ID') ? (await desk.plan('p')).tasks[0]!.id : ''
      const { exit, stdout, stderr } = await desk.run(line.replace('ID', id).split(' '))
      return [exit, masked(stdout, desk), masked(stderr, desk)]
    }
    for (const [inWords, inLetters] of lines)
      assert.deepEqual(await told(long, inWords), await told(short, inLetters), inWords)
  })

  test('the log has the command by its short names', async () => {
    const desk = memoryDesk()
    await desk.start()
    await desk.run(['goal', 'set', '-t', 'Ship'])
    await desk.run(['task', 'add', '-t', 'One'])
    assert.deepEqual(
      (await desk.events()).map(({ cmd }) => cmd),
      ['np g s -t Ship', 'np t a -t One'],
    )
  })

  test('stand in the help, and "help" takes them', async () => {
    const desk = memoryDesk()
    const help = await desk.np('--help')
    for (const row of ['s, start', 'r, resume [SID]', 'p, plan [SID]', 'g, goal', 't, task'])
      assert.ok(help.includes(`\n  ${row} `), row)
    assert.equal(await desk.np('help', 'task', 'update'), await desk.np('t', 'u', '--help'))
  })
})
