import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'vitest'
import { within } from '../../rounds.ts'
import { cleanUp, Desk, memoryDesk } from './desk.ts'

cleanUp()
let desk: Desk
beforeEach(() => {
  desk = memoryDesk()
})

/** Nobody is there; whoever asks waits, or fails with 7. */
const away = new Desk('nats://127.0.0.1:1', '/')

const id = 'a1b2c3'
const long = 'x'.repeat(501)
const huge = 'x'.repeat(65_537)

/** What can never be valid, and what the refusal must say. */
const invalid: readonly [string[], RegExp][] = [
  [[], /No command was given\..*\n {2}s, start +start a session in this directory\n/],
  [['q'], /There is no command "q"/],
  [['gaol', 'set', '-t', 'x'], /There is no command "gaol"\. Did you mean goal\?/],
  [
    ['goal', 'st', '-t', 'x'],
    /There is no command "g st"\. Did you mean set\?.*\n {2}s, set +set the goal, once\n/,
  ],
  [['s', 'x'], /takes no argument "x"/],
  [['p', 'not an id'], /Not the id of a session, nor its start: "not an id"/],
  [['p', ''], /Not the id of a session/],
  [['r', '01U'], /Not the id of a session/],
  [['e', '0'.repeat(27)], /Not the id of a session/],
  [['x', '/etc'], /Not the id of a session/],
  [['a', '*'], /Not the id of a session/],
  [['m', '*'], /Not the id of a session/],
  [['m'], /The monitor needs a terminal\. Use "np p"/],
  [['p', '01', '02'], /takes no argument "02"/],
  [['l', '--limit', '0'], /--limit takes no "0".*1 to 1000/],
  [['l', '--limit', '1001'], /--limit takes no "1001"/],
  [['e', '--limit', 'many'], /--limit takes no "many"/],
  [['t', '--limit', '-1'], /--limit takes no "-1"/],
  [['p', '--limit', '0'], /--limit takes no "0"/],
  [['l', '--limit', '5', '--all'], /exclude each other/],
  [
    ['t', '-s', 'maybe'],
    /There is no status "maybe"\. Use one of pending, in_progress, completed, failed, cancelled\./,
  ],
  [['t', '-s', ''], /There is no status ""/],
  [['t', 'x'], /There is no command "t x"/],
  [['g', 'x'], /There is no command "g x"/],
  [['g', 's'], /There is no title\. Give -t TITLE/],
  [['g', 's', '-t'], /-t needs a value/],
  [['g', 's', '-t', ''], /The title is empty/],
  [['g', 's', '-t', ' \n '], /The title is empty/],
  [['g', 's', '-t', 'two\nlines'], /The title has more than one line/],
  [['g', 's', '-t', 'a\ttab'], /The title has a tab in it/],
  [['g', 's', '-t', 'bell\u0007'], /control character U\+0007/],
  [['g', 's', '-t', long], /501 characters; the limit is 500/],
  [['g', 's', '-t', 'x', '-d', huge], /65537 bytes; the limit is 64 KiB/],
  [['g', 's', '-t', 'x', '-d', 'esc\u001b'], /control character U\+001B/],
  [['g', 's', '-t', 'x', '-t', 'y'], /-t was given more than once/],
  [['g', 's', '-t', 'x', '-d', 'y', '-d', 'z'], /description was given more than once/],
  [['g', 's', '-t', 'x', '-d', 'y', '--file', 'z'], /z.* can't be read|given more than once/],
  [['g', 's', '-t', 'x', '-r', 'y'], /no option -r/],
  [['g', 's', '-t', 'x', '--file', '/nonexistent'], /\/nonexistent can't be read/],
  [['g', 's', '-t', '-', '-d', '-'], /Stdin can be read only once/],
  [['g', 'u', '-r', 'x'], /There is nothing to change/],
  [['g', 'u', '-t', 'x', '-r', ''], /The reason is empty/],
  [['g', 'u', '-t', 'x', '-r', 'a', '-r', 'b'], /-r was given more than once/],
  [['g', 'u', '-t', '', '-r', 'x'], /The title is empty/],
  [['t', 'a'], /There is no title/],
  [['t', 'a', '-d', 'x'], /There is no title/],
  [
    ['t', 'a', '-t', 'x', '-t', 'y', '-d', 'z'],
    /There are 2 titles and 1 descriptions\. .*one -d for each -t/,
  ],
  [['t', 'a', '-t', 'x', '-d', 'y', '-d', 'z'], /There are 1 titles and 2 descriptions/],
  [['t', 'a', '-t', 'x', '-t', ''], /The title is empty/],
  [['t', 'a', '-t', 'x', '-t', 'two\nlines'], /more than one line/],
  [['t', 'a', '-t', long], /501 characters/],
  [['t', 'a', 'words'], /takes no argument "words"/],
  [['t', 'u'], /No task was named\. Give -i ID/],
  [['t', 'u', '-s', 'done'], /No task was named/],
  [['t', 'u', '-i', id], /There is nothing to change/],
  [['t', 'u', '-i', id, '-r', 'x'], /There is nothing to change/],
  [['t', 'u', '-i', 'xyz', '-s', 'done'], /Not the id of a task: "xyz"/],
  [
    ['t', 'u', '-i', 'a1b2', '-s', 'done'],
    /Not the id of a task: "a1b2"\. Ids are 6 hex digits or more/,
  ],
  [['t', 'u', '-i', '', '-s', 'done'], /Not the id of a task/],
  [['t', 'u', '-i', id, '-s', 'maybe'], /There is no status "maybe"\. Use one of pending/],
  [['t', 'u', '-i', id, '-s', 'done', '-s', 'doing'], /There are 1 ids and 2 statuses/],
  [
    ['t', 'u', '-i', id, '-i', 'd4e5f6', '-i', 'aaaaaa', '-s', 'done', '-s', 'doing'],
    /3 ids and 2 statuses/,
  ],
  [['t', 'u', '-i', id, '-i', 'd4e5f6', '-t', 'x', '-r', 'y'], /belong to one task/],
  [['t', 'u', '-i', id, '-i', 'd4e5f6', '-d', 'x', '-r', 'y'], /belong to one task/],
  [['t', 'u', '-i', id, '-s', 'failed', '-r', ''], /The reason is empty/],
  [['t', 'u', '-i', id, '-t', 'two\nlines', '-r', 'x'], /more than one line/],
  [['repair', '--force'], /no option --force/],
  [['completion', 'tcsh'], /bash, zsh, fish/],
]

describe('what can never be valid is exit 2 before the store is touched', () => {
  for (const [args, message] of invalid)
    test(JSON.stringify(args.join(' ').slice(0, 70)), async () => {
      const { exit, code, stderr } = await away.refusal(...args)
      assert.deepEqual([exit, code], [2, 'invalid'])
      assert.match(stderr, message)
    })
})

describe('without a store', () => {
  for (const line of [
    'p',
    'r',
    'e',
    'x',
    'a',
    'l',
    'g',
    't',
    'g s -t x',
    'g u -t x -r y',
    't a -t x',
    `t u -i ${id} -s done`,
    'repair',
    'p 01',
  ])
    test(`"np ${line}" is exit 4, makes none, and says how to start`, async () => {
      const { exit, code, next } = await desk.refusal(...line.split(' '))
      assert.deepEqual([exit, code], [4, 'no_store'])
      assert.match(next, /"np s"/)
      assert.equal((await desk.run(['l'])).exit, 4)
    })
})

describe('without a session here', () => {
  for (const line of [
    'p',
    'r',
    'e',
    'x',
    'a',
    'g',
    't',
    'g s -t x',
    't a -t x',
    `t u -i ${id} -s done`,
  ])
    test(`"np ${line}" is exit 4 and says what to do`, async () => {
      await desk.in('elsewhere').start()
      const before = await desk.contents()
      const { exit, code, message, next } = await desk.refusal(...line.split(' '))
      assert.deepEqual([exit, code], [4, 'no_store'])
      assert.equal(message, `No session is active in ${desk.directory} or above it.`)
      assert.equal(next, "Start one with 'np s'.")
      assert.deepEqual(await desk.contents(), before)
    })

  test('a session id that is not there is exit 3', async () => {
    await desk.start()
    for (const command of ['p', 'r', 'e', 'x', 'a']) {
      const { exit, code, next } = await desk.refusal(command, 'ZZZZ')
      assert.deepEqual([exit, code], [3, 'not_found'], command)
      assert.match(next, /'np l --all'/)
    }
  })
})

describe('what the state refuses changes nothing', () => {
  const refused: readonly [string, number][] = [
    ['g s -t Other', 5],
    ['g u -t Other', 6],
    ['t u -i ffffff -s done', 3],
    ['t u -i ONE -s failed', 6],
    ['t u -i ONE -s cancelled', 6],
    ['t u -i ONE -t Other', 6],
    ['t u -i ONE -s done -i ffffff -s done', 3],
    ['t u -i ONE -s done -i ONE -s failed', 2],
  ]
  for (const [line, expected] of refused)
    test(`"np ${line}" is exit ${expected}`, async () => {
      const [one] = await desk.begin('One')
      const before = await desk.contents()
      const { exit } = await desk.refusal(...line.replaceAll('ONE', one!).split(' '))
      assert.equal(exit, expected)
      assert.deepEqual(await desk.contents(), before)
    })

  for (const line of ['g s -t x', 'g u -t x -r y', 't a -t x', `t u -i ${id} -s done`])
    test(`in the directory of an archived session "np ${line}" is exit 4`, async () => {
      await desk.begin('One')
      await desk.np('a')
      const before = await desk.contents()
      assert.equal((await desk.refusal(...line.split(' '))).exit, 4)
      assert.deepEqual(await desk.contents(), before)
    })
})

test('a server that does not answer is exit 7, within 5 seconds', () =>
  within(10_000, async (timed) => {
    const { exit, code } = await timed(() => away.refusal('p'))
    assert.deepEqual([exit, code], [7, 'unavailable'])
  }))
