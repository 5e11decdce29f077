import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { run } from '../terminal.ts'
import { sample } from './sample.ts'

const put = async (args: readonly string[]) => {
  const { exit, stdout, stderr } = await run(sample, ['--json', ...args])
  assert.equal(stderr, '')
  return { exit, ...JSON.parse(stdout) }
}

/** What is typed, the words that the command gets, and its options in order. */
const understood: readonly [string[], string[], string[]][] = [
  [['put', 'here'], ['here'], []],
  [['put', 'here', 'a', 'b'], ['here', 'a', 'b'], []],
  [['put', '-t', 'x', 'here'], ['here'], ['title=x']],
  [['put', '-tx', 'here'], ['here'], ['title=x']],
  [['put', '--title=x', 'here'], ['here'], ['title=x']],
  [['put', '--title', 'x', 'here'], ['here'], ['title=x']],
  [['put', 'here', '-t', '-b'], ['here'], ['title=-b']],
  [['put', 'here', '--title', '--fast'], ['here'], ['title=--fast']],
  [['put', 'here', '--title', '--'], ['here'], ['title=--']],
  [['put', 'here', '--title', ''], ['here'], ['title=']],
  [['put', 'here', '--title='], ['here'], ['title=']],
  [['put', 'here', '-t', '--json'], ['here'], ['title=--json']],
  [
    ['put', 'here', '-t', 'a', '-d', '1', '-t', 'b', '-d', '2'],
    ['here'],
    ['title=a', 'details=1', 'title=b', 'details=2'],
  ],
  [['put', 'here', '-ft', 'x'], ['here'], ['fast=', 'title=x']],
  [['put', 'here', '-'], ['here', '-'], []],
  [['put', 'here', '--', '-t', '--json'], ['here', '-t', '--json'], []],
  [['put', '--', 'here'], ['here'], []],
  [['put', 'put', 'goal'], ['put', 'goal'], []],
  [['put', 'here', '--colour', 'red'], ['here'], ['colour=red']],
  [['put', 'here', '--quick', '--path', 'x'], ['here'], ['fast=', 'file=x']],
]

describe('a command line', () => {
  for (const [args, words, options] of understood)
    test(JSON.stringify(args.join(' ')), async () => {
      const { exit, kind, data } = await put(args)
      const given = data.ordered.map((option: { name: string; value: string }) =>
        [option.name, option.value].join('='),
      )
      assert.deepEqual(
        { exit, kind, words: data.words, options: given.filter((one: string) => one !== 'json=') },
        { exit: 0, kind: 'put', words, options },
      )
    })

  const nested: readonly [string[], string][] = [
    [['goal'], 'goal'],
    [['goal', 'set', '-t', 'x'], 'set x'],
    [['--quiet', 'goal'], 'goal'],
    [['goal', '--quiet'], 'goal'],
    [['--store', 'goal', 'goal', '--store', 'set', 'set', '-t', 'set'], 'set set'],
    [['group', 'one'], 'one'],
    [['aim', 'define', '-t', 'x'], 'set x'],
    [['goal', '--store', 'aim', 'define', '-t', 'aim'], 'set aim'],
  ]
  for (const [args, answer] of nested)
    test(`"${args.join(' ')}" leads to a command below another`, async () => {
      assert.deepEqual(await run(sample, args), { exit: 0, stdout: `${answer}\n`, stderr: '' })
    })

  for (const args of [
    ['--json', 'list'],
    ['list', '--json'],
    ['--store', 'memory:', 'list', '--json', '--quiet'],
  ])
    test(`global options stand before or after the command: ${args.join(' ')}`, async () => {
      const { exit, stdout } = await run(sample, args)
      assert.equal(exit, 0)
      assert.equal(JSON.parse(stdout).kind, 'number.list')
    })
})

/** What is typed, and what the error must say. */
const refused: readonly [string[], RegExp][] = [
  [
    [],
    /^No command was given\. See "sam --help"\.\n {2}put {9}put something\n {2}goal, aim {3}show/,
  ],
  [['puts'], /There is no command "puts"\. Did you mean put\? .*\n {2}put {9}put something\n/],
  [['puts', '--title', 'x', '-q'], /^There is no command "puts"/],
  [['gaol', 'set', '-t', 'x'], /^There is no command "gaol"\. Did you mean goal\?/],
  [['goal', '-t', 'x'], /"sam goal" has no option -t/],
  [['goal', 'sit', '-t', 'x'], /There is no command "goal sit"\. Did you mean set\?/],
  [['constructor'], /There is no command "constructor"/],
  [['--', 'put', 'here'], /There is no command "put"/],
  [
    ['group'],
    /^No command was given\. See "sam group --help"\.\n {2}one {2}the one\n {2}two {2}the other$/,
  ],
  [['group', 'tow'], /There is no command "group tow"\. Did you mean two\?/],
  [['goal', 'sett'], /There is no command "goal sett"\. Did you mean set\?/],
  [['put'], /"sam put" needs PLACE: where to\./],
  [['list', 'x'], /"sam list" takes no argument "x"/],
  [['put', 'x', '--titel', 'y'], /"sam put" has no option --titel\. Did you mean --title\?/],
  [['put', 'x', '-x'], /has no option -x\. Options: --title, --details, .*Put -- before/],
  [['put', 'x', '--__proto__'], /has no option --__proto__/],
  [['put', 'x', '-fx'], /has no option -x/],
  [['list', '-json'], /has no option -j\. Did you mean --json\?/],
  [['--title', 'x', 'put', 'y'], /"sam" has no option --title.*stand after its name/],
  [['put', 'x', '--title'], /--title needs a value\. Write --title TITLE\./],
  [['put', 'x', '-t'], /-t needs a value\. Write -t TITLE\./],
  [['put', 'x', '--fast=yes'], /--fast takes no value\. Leave out "=yes"\./],
  [
    ['put', 'x', '--colour', 'gren'],
    /takes no "gren"\. Did you mean green\? It takes red, green\./,
  ],
  [['put', 'x', '--colour'], /--colour needs a value\. Write --colour red\|green\./],
  [['put', 'x', '-f', '--slow'], /-f and --slow exclude each other\. Give one\./],
  [['completion', 'tcsh'], /takes no "tcsh"\. It takes bash, zsh, fish\./],
  [['list', '--limit', '0'], /--limit takes no "0"\. Give a whole number from 1 to 1000\./],
  [['list', '--limit', '1001'], /--limit takes no "1001"/],
  [['list', '--limit', '-1'], /--limit takes no "-1"/],
  [['list', '--limit', '1.5'], /--limit takes no "1\.5"/],
  [['list', '--limit', '1e2'], /--limit takes no "1e2"/],
  [['list', '--limit', ''], /--limit takes no ""/],
]

describe('a usage error', () => {
  for (const [args, message] of refused)
    test(`"${args.join(' ')}": exit 2, a line on stderr alone, and where help is`, async () => {
      const { exit, stdout, stderr } = await run(sample, args)
      assert.deepEqual({ exit, stdout }, { exit: 2, stdout: '' })
      assert.match(stderr, /^sam: [^\n]*See "sam[a-z ]* --help"\.\n( {2}\S.*\n)*$/)
      assert.match(stderr.slice('sam: '.length, -1), message)
    })

  for (const args of [
    ['--json', 'put', 'x', '--bogus'],
    ['put', 'x', '--bogus', '--json'],
    ['put', '--bogus', '--json', 'x'],
    ['--json', 'nonsense'],
    ['nonsense', '--json'],
    ['put', 'x', '--json=1'],
    ['list', '--limit', '0', '--json'],
    ['--json'],
  ])
    test(`"${args.join(' ')}": an envelope on stdout alone`, async () => {
      const { exit, stdout, stderr } = await run(sample, args)
      assert.deepEqual({ exit, stderr }, { exit: 2, stderr: '' })
      const { v, kind, error } = JSON.parse(stdout)
      assert.deepEqual({ v, kind, code: error.code }, { v: 1, kind: 'error', code: 'invalid' })
      const isWord = error.commands !== undefined
      assert.deepEqual(Object.keys(error).slice(0, 3), ['code', 'message', 'next'])
      assert.equal(isWord, /command/.test(error.message))
    })
})
