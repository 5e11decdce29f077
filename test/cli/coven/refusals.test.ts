import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { coven } from '../../../src/cli/coven.ts'
import { checkCommandLine } from '../../../src/cli/program/check.ts'
import { commandNodes } from '../../../src/cli/program/command.ts'
import { readCommandLine } from '../../../src/cli/program/command-line.ts'
import { run } from '../terminal.ts'
import { cleanUp, Desk, memoryDesk, newDirectory, nobody } from './desk.ts'

cleanUp()

/** Nobody is there; whoever asks waits, or fails with 7. */
const away = new Desk('nats://127.0.0.1:1', newDirectory())

const create = (...args: string[]) => ['task', 'create', '--title', 'x', ...args]
const list = (...args: string[]) => ['task', 'list', ...args]

/** What can never be valid, and what the refusal must say. */
const invalid: readonly [string[], RegExp][] = [
  [[], /No command was given/],
  [['tasks'], /There is no command "tasks"\. Did you mean task\?/],
  [['task'], /No command was given\. See "coven task --help"/],
  [['task', 'clam', nobody], /"task clam"\. Did you mean claim\?/],
  [['task', 'create'], /There is no title\. Give --title/],
  [['task', 'create', 'words'], /takes no argument "words"/],
  [['task', 'create', '--title', ''], /title is empty/],
  [['task', 'create', '--title', ' \n '], /title is empty/],
  [['task', 'create', '--title', 'two\nlines'], /more than one line/],
  [['task', 'create', '--title', 'tab\there'], /a tab in it/],
  [['task', 'create', '--title', 'bell\u0007'], /control character U\+0007/],
  [['task', 'create', '--title', 'x'.repeat(501)], /501 characters; the limit is 500/],
  [['task', 'create', '--title', '-', '--body', '-'], /--title and --body both read stdin/],
  [create('--body', 'x'.repeat(65_537)), /65537 bytes; the limit is 64 KiB/],
  [create('--body', 'esc\u001b'), /control character U\+001B/],
  [create('--body', 'x', '--file', 'y'), /exclude each other/],
  [create('--file', 'nowhere.md'), /nowhere\.md can't be read/],
  [create('--type', 'story'), /--type takes no "story".*task, feature, bug, epic/],
  [create('--priority', '7'), /--priority takes no "7".*0, 1, 2, 3, 4/],
  [create('--priority', ''), /--priority takes no ""/],
  [create('--priority', '-1'), /--priority takes no "-1"/],
  [create('--tags', ''), /tag is empty/],
  [create('--tags', 'a,,b'), /tag is empty/],
  [create('--tags', 'x'.repeat(65)), /64 characters and 200 bytes/],
  [create('--tags', 'a\u0001'), /control character U\+0001/],
  [create('--parent', 'xyz'), /Not the id of a task: "xyz"/],
  [create('--parent', ''), /Not the id of a task/],
  [create('--grimoire', 'two\nlines'), /more than one line/],
  [create('--agent-id', 'a\nb'), /id of the agent is unusable/],
  [create('--colour', 'red'), /no option --colour/],
  [['task', 'show'], /needs ID: a task/],
  [['task', 'show', ''], /Not the id of a task/],
  [['task', 'show', 'zzz'], /Not the id of a task: "zzz"\. Ids are hex digits/],
  [['task', 'show', '../../etc'], /Not the id of a task/],
  [['task', 'show', 'a/b'], /Not the id of a task/],
  [['task', 'show', '__proto__'], /Not the id of a task/],
  [['task', 'show', '0'.repeat(36)], /Not the id of a task/],
  [['task', 'show', '0'.repeat(37)], /Not the id of a task/],
  [['task', 'show', nobody, nobody], /takes no argument/],
  [['task', 'update', nobody], /nothing to change\. Give --title/],
  [['task', 'update', nobody, '--title', ''], /title is empty/],
  [['task', 'update', nobody, '--status', 'done'], /--status takes no "done".*open, in_progress/],
  [['task', 'update', nobody, '--status', 'open', '--title', 'x'], /exclude each other/],
  [['task', 'update', nobody, '--reason', 'x', '--title', 'y'], /--reason goes with --status/],
  [['task', 'claim', nobody, '--tags', 'a,,b'], /tag is empty/],
  [['task', 'claim', 'nope'], /Not the id of a task/],
  [['task', 'complete', nobody, '--summary', 'x'.repeat(65_537)], /limit is 64 KiB/],
  [['task', 'block', nobody, '--reason', 'a\u0000'], /control character/],
  [['task', 'reparent', nobody], /It is not said where to\. Give either PARENT or --root/],
  [['task', 'reparent', nobody, nobody, '--root'], /Two places were given/],
  [['task', 'reparent', nobody, 'xyz'], /Not the id of a task/],
  [['task', 'tag', 'add', nobody], /needs TAG/],
  [['task', 'tag', 'add', nobody, ''], /tag is empty/],
  [['task', 'tag', 'add', nobody, 'a,'], /tag is empty/],
  [['task', 'tag', 'set', nobody, 'ok', ' '], /tag is empty/],
  [['task', 'tag', 'remove', nobody, 'a\tb'], /control character/],
  [['task', 'history', nobody, '--field', 'colour'], /--field takes no "colour".*title, body/],
  [['task', 'history', nobody, '--since', 'yesterday'], /--since takes no "yesterday"/],
  [['task', 'history', nobody, '--since', '2026-13-01'], /--since takes no/],
  [['task', 'history', nobody, '--limit', '0'], /--limit takes no "0"/],
  [list('--status', 'done'), /Not a status: "done"/],
  [list('--status', ''), /filter status has an empty value/],
  [list('--priority', '0,9'), /Not a priority/],
  [list('--type', 'bug,story'), /Not a type: "story"/],
  [list('--tag', 'a,'), /filter tag has an empty value/],
  [list('--tag-pattern', 'a['), /pattern|bracket|class/i],
  [list('--tag-pattern', '{'.repeat(1_001)), /./],
  [list('--parent', 'xyz'), /Not the id of a task/],
  [list('--limit', '0'), /--limit takes no "0"/],
  [list('--limit', '1001'), /from 1 to 1000/],
  [list('--limit', 'x'), /--limit takes no "x"/],
  [list('--limit', '5', '--all'), /exclude each other/],
  [list('--offset', '-1'), /--offset takes no "-1"/],
  [['task', 'ready', '--status', 'open'], /no option --status/],
  [['task', 'bulk'], /No command was given\. See "coven task bulk --help"/],
  [['task', 'bulk', 'close'], /needs ID/],
  [['task', 'bulk', 'close', nobody, 'xyz'], /Not the id of a task/],
  [['task', 'bulk', 'priority', '7', nobody], /"7" is no priority/],
  [['task', 'bulk', 'priority', '1'], /not said what to set on 1\. Give --priority/],
  [['task', 'bulk', 'priority', nobody, nobody], /not said what to set/],
  [['task', 'bulk', 'priority', '--priority', '', nobody], /"" is no priority/],
  [['task', 'bulk', 'tag', 'a,,b', nobody], /tag is empty/],
  [['task', 'bulk', 'tag'], /needs \[TAGS\] ID/],
  [['task', 'bulk', 'tag', 'a'], /not said what to set on a\. Give --add/],
  [['task', 'bulk', 'tag', nobody, nobody], /not said what to set/],
  [['task', 'bulk', 'tag', '--add', 'a', '--remove', 'b', nobody], /exclude each other/],
  [['task', 'bulk', 'tag', '--remove', '', nobody], /tag is empty/],
  [['task', 'bulk', 'close', ...Array(1_001).fill(nobody)], /1001 tasks are too many/],
  [['matchers', 'explain', 'xyz'], /Not the id of a task/],
  [['matchers', 'check', 'x'], /takes no argument "x"/],
  [['maintain', 'x'], /takes no argument "x"/],
  [['completion', 'tcsh'], /takes no "tcsh"/],
]

describe('what can never be valid is exit 2 before the store is touched', () => {
  for (const [args, message] of invalid)
    test(JSON.stringify(args.join(' ').slice(0, 70)), async () => {
      const { exit, code, line } = await away.refusal(...args)
      assert.deepEqual([exit, code], [2, 'invalid'])
      assert.match(line, message)
    })

  for (const url of ['', 'nonsense', 'ftp://x', 'sqlite:', 'sqlite::memory:', 'sqlite:/x/'])
    test(`--store "${url}": exit 2`, async () => {
      const { exit, code } = await away.refusal('task', 'list', '--store', url)
      assert.deepEqual([exit, code], [2, 'invalid'])
    })
})

test('a store that does not answer is 7', async () => {
  const { exit, code } = await away.refusal('task', 'list')
  assert.deepEqual([exit, code], [7, 'unavailable'])
})

test('a title of 500 wide characters, and tags at their limits, are fine', async () => {
  const desk = memoryDesk()
  const task = await desk.create('買'.repeat(500), '--tags', `${'買'.repeat(64)},${'x'.repeat(64)}`)
  assert.equal([...task.title].length, 500)
  assert.equal(task.tags.length, 2)
})

describe('help', () => {
  for (const { path } of commandNodes(coven))
    test(`coven ${path.join(' ')} --help`, async () => {
      const { exit, stdout, stderr } = await run(coven, [...path, '--help'])
      assert.deepEqual([exit, stderr], [0, ''])
      assert.ok(stdout.startsWith(['coven', ...path].join(' ')))
      for (const line of stdout.split('\n')) assert.ok(line.length <= 80, line)
    })

  test('every example is a line that its command takes', async () => {
    for (const { command } of commandNodes(coven))
      for (const example of command?.examples ?? coven.examples ?? []) {
        const [, line = ''] = /(?:^|\| |\S=\S+ )coven (.*)$/.exec(example) ?? []
        const args = (line.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) =>
          word.replace(/^(["'])(.*)\1$/, '$2'),
        )
        checkCommandLine(coven, readCommandLine(coven, args))
        // It would serve until it is told to end.
        if (args[0] === 'serve') continue
        const { exit, stderr } = await memoryDesk().run(args, { stdin: 'x' })
        assert.ok(exit !== 2 && exit !== 1, `${example}: ${exit} ${stderr}`)
      }
  })
})
