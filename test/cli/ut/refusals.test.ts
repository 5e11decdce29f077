import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'vitest'
import { ut } from '../../../src/cli/ut.ts'
import { within } from '../../rounds.ts'
import { run } from '../terminal.ts'
import { Desk, idFrom, memoryDesk } from './desk.ts'

let desk: Desk
beforeEach(() => {
  desk = memoryDesk()
})

/** Nobody is there; whoever asks waits, or fails with 7. */
const away = new Desk('nats://127.0.0.1:1')

/** What can never be valid, and what the refusal must say. */
const invalid: readonly [string[], RegExp][] = [
  [['add'], /There is no text\..*--file PATH/],
  [['add', ''], /text is empty/],
  [['add', '  \n '], /text is empty/],
  [['add', 'bell\u0007'], /control character U\+0007/],
  [['add', 'x'.repeat(65_537)], /65537 bytes; the limit is 64 KiB/],
  [['add', 'x', '-t', ''], /tag is empty/],
  [['add', 'x', '-t', 'a,,b'], /tag is empty/],
  [['add', 'x', '-t', 'two words'], /white space/],
  [['add', 'x', '-t', 'new\nline'], /control character U\+000A/],
  [['add', 'x', '-t', '+a'], /starts with \+/],
  [['add', 'x', '-t', '-a'], /starts with -/],
  [['add', 'x', '-t', 'x'.repeat(65)], /65 characters.*limit is 64 characters/],
  [['add', 'x', '-t', '買'.repeat(64) + 'x'.repeat(9)], /200 bytes/],
  [['add', 'x', '-t'], /-t needs a value/],
  [['add', 'x', '--file', 'y'], /given twice/],
  [['ls', '--any', ''], /tag is empty/],
  [['ls', '--all', 'a b'], /white space/],
  [['ls', '--limit', '0'], /--limit takes no "0"/],
  [['ls', '--done', '--open'], /exclude each other/],
  [['ls', '--sort', 'x'], /no option --sort/],
  [['done'], /needs PREFIX/],
  [['done', ''], /Not the id of a task/],
  [['done', 'xyz'], /Not the id of a task, nor its start: "xyz"/],
  [['done', 'abc', 'xyz'], /Not the id of a task/],
  [['undone', '12 34'], /Not the id of a task/],
  [['rm', '*'], /Not the id of a task/],
  [['rm', 'a'.repeat(129)], /Not the id of a task/],
  [['show', 'a/b'], /Not the id of a task/],
  [['show', 'a', 'b'], /takes no argument "b"/],
  [['edit', 'a'], /nothing to change/],
  [['edit', 'a', '--text', ''], /text is empty/],
  [['edit', 'a', '--text', 'x', '--file', 'y'], /exclude each other/],
  [['edit', 'a', '--tags', 'b', '-t', 'c'], /--tags and -t exclude each other/],
  [['edit', 'a', '--tags', 'b,,c'], /tag is empty/],
  [['edit', 'a', '-t', '-'], /tag is empty/],
  [['edit', 'a', '-t', '--b'], /starts with -/],
  [['edit', 'a', '-t', 'b', '-t', '-B'], /"b" is both added and removed/],
  [['edit', '!', '--text', 'x'], /Not the id of a task/],
  [['tags', 'x'], /takes no argument "x"/],
  [['rebuild-index', '--force'], /no option --force/],
  [['lst'], /There is no command "lst"\. .*Did you mean ls\?/],
]

describe('what can never be valid is exit 2 before the store is touched', () => {
  for (const [args, message] of invalid)
    test(JSON.stringify(args.join(' ').slice(0, 60)), async () => {
      const { exit, stdout, stderr, error } = await away.refusal(...args)
      assert.deepEqual([exit, stdout, error.code], [2, '', 'invalid'])
      assert.match(stderr, message)
    })

  test('a text of 2 MB from stdin: the limit is named', async () => {
    const stdin = 'x'.repeat(2_000_000)
    const { exit, stderr } = await away.run(['add', '-'], { stdin })
    assert.equal(exit, 2)
    assert.match(stderr, /2000000 bytes; the limit is 64 KiB/)
  })

  for (const url of ['', 'nonsense', 'ftp://x', 'sqlite:', 'sqlite::memory:', 'sqlite:/x/'])
    test(`--store "${url}": exit 2`, async () => {
      const { exit, error } = await away.refusal('ls', '--store', url)
      assert.deepEqual([exit, error.code], [2, 'invalid'])
    })
})

describe('a store that is not there', () => {
  for (const args of [
    [],
    ['ls'],
    ['done', 'a'],
    ['undone', 'a'],
    ['edit', 'a', '-t', 'b'],
    ['show', 'a'],
    ['rm', 'a'],
    ['tags'],
    ['rebuild-index'],
  ])
    test(`"ut ${args.join(' ')}" is exit 4, makes none, and says how to start`, async () => {
      const { exit, stdout, error } = await desk.refusal(...args)
      assert.deepEqual([exit, stdout, error.code], [4, '', 'no_store'])
      assert.match(error.next, /"ut add TEXT"/)
      assert.equal((await desk.run(['ls'])).exit, 4)
    })

  test('is made by ut add alone; then lists may be empty', async () => {
    const { id } = await desk.add('x')
    await desk.ut('rm', id)
    assert.equal(await desk.ut('ls'), '')
    assert.equal(await desk.ut('tags'), '')
  })

  test('a server that does not answer is exit 7, within 5 seconds', () =>
    within(10_000, (timed) =>
      timed(async () => {
        const { exit, stdout, stderr } = await away.run(['ls', '--json'])
        assert.deepEqual([exit, JSON.parse(stdout).error.code, stderr], [7, 'unavailable', ''])
        assert.equal((await away.run(['add', 'x'])).exit, 7)
      }),
    ))
})

describe('what is not found or ambiguous', () => {
  for (const args of [
    ['done', 'abc'],
    ['undone', 'abc'],
    ['show', 'ABC'],
    ['rm', 'abc'],
    ['edit', 'abc', '-t', 'x'],
  ])
    test(`"ut ${args.join(' ')}" of an unknown prefix is exit 3`, async () => {
      await desk.putTask({ id: idFrom('abd') })
      const { exit, stdout, error } = await desk.refusal(...args)
      assert.deepEqual([exit, stdout, error.code], [3, '', 'not_found'])
    })

  test('an ambiguous prefix is exit 5 and lists what it may mean', async () => {
    await desk.putTask({ id: idFrom('a1b2'), text: 'Ship patch', tags: ['work'] })
    await desk.putTask({ id: idFrom('a1c3'), text: 'Pager duty', done: true })
    await desk.putTask({ id: idFrom('b'), text: 'Another' })
    const { exit, stdout, stderr, error } = await desk.refusal('done', 'a1')
    assert.deepEqual([exit, stdout, error.code], [5, '', 'ambiguous'])
    assert.deepEqual([error.candidates, error.count], [[idFrom('a1b2'), idFrom('a1c3')], 2])
    assert.deepEqual(stderr.split('\n').slice(1), [
      '  a1b200000000  Ship patch',
      '  a1c300000000  ✓ Pager duty',
      '',
    ])
  })

  test('more than 20 candidates are cut, and counted', async () => {
    for (let at = 0; at < 31; at++)
      await desk.putTask({ id: idFrom(`a${at.toString(36).replace(/[^0-9a-f]/, '')}${100 + at}`) })
    const { stderr, error } = await desk.refusal('rm', 'a')
    assert.deepEqual([error.candidates.length, error.count], [20, 31])
    const lines = stderr.trimEnd().split('\n')
    assert.equal(lines.length, 1 + 20 + 1)
    assert.equal(lines.at(-1), '  20 of 31')
  })

  test('candidates that share 12 digits are shown with more', async () => {
    await desk.putTask({ id: idFrom('aaaaaaaaaaaaaa1') })
    await desk.putTask({ id: idFrom('aaaaaaaaaaaaaa2') })
    const { stderr } = await desk.refusal('show', 'aaaa')
    assert.match(stderr, /\n {2}aaaaaaaaaaaaaa1 {2}Foreign\n {2}aaaaaaaaaaaaaa2 {2}Foreign\n$/)
  })

  test('no refusal prints a complete command that destroys something', async () => {
    await desk.putTask({ id: idFrom('a1') })
    await desk.putTask({ id: idFrom('a2') })
    await desk.put(`utask_tasks/${idFrom('c')}`, 'no JSON')
    for (const args of [['rm', 'a'], ['rm', 'd'], ['rm', 'c'], ['rm']])
      assert.doesNotMatch((await desk.run(args)).stderr, /ut rm [0-9a-f]/)
  })
})

describe('a corrupt document', () => {
  const id = idFrom('c0ffee0')
  beforeEach(async () => {
    await desk.add('Good', '-t', 'a')
    await desk.put(`utask_tasks/${id}`, Uint8Array.of(0xff, 0x00, 0x7b))
  })

  test('is named in a warning on stderr, and skipped in lists, which succeed', async () => {
    for (const flags of [[], ['--json'], ['--quiet']]) {
      const { exit, stdout, stderr } = await desk.run(['ls', ...flags])
      assert.equal(exit, 0)
      assert.match(stdout, /Good/)
      assert.match(stderr, new RegExp(`^ut: warning: .*${id}.*\\n$`))
    }
  })

  test('shown by its id or a prefix is exit 1', async () => {
    for (const prefix of [id, 'c0ffee0']) {
      const { exit, stdout, error } = await desk.refusal('show', prefix)
      assert.deepEqual([exit, stdout, error.code], [1, '', 'corrupt'])
    }
  })

  for (const args of [
    ['done', 'c0ffee0'],
    ['undone', id],
    ['edit', id, '--text', 'x'],
    ['rm', 'c0ffee0'],
    ['rm', id.slice(0, 127)],
  ])
    test(`is not changed by "ut ${args[0]}", nor deleted by a prefix: exit 1`, async () => {
      const { exit, error } = await desk.refusal(...args)
      assert.deepEqual([exit, error.code], [1, 'corrupt'])
      assert.ok((await desk.keys()).includes(`utask_tasks/${id}`))
    })

  test('keeps other ids of the same command from being deleted', async () => {
    const good = (await desk.run(['ls'])).stdout.slice(0, 12)
    assert.equal((await desk.run(['rm', good, 'c0ffee'])).exit, 1)
    assert.match((await desk.run(['ls'])).stdout, /Good/)
  })

  test('is deleted by its full id', async () => {
    const printed = await desk.ut('rm', id.toUpperCase())
    assert.equal(printed, `Deleted (matched id ${id.slice(0, 14)}...${id.slice(-4)})\n`)
    assert.ok(!(await desk.keys()).includes(`utask_tasks/${id}`))
  })

  test('counts in prefix resolution', async () => {
    await desk.putTask({ id: idFrom('c0ffee1') })
    const { exit, stderr, error } = await desk.refusal('show', 'c0ffee')
    assert.deepEqual([exit, error.count], [5, 2])
    assert.match(stderr, /\n {2}c0ffee000000\n {2}c0ffee100000 {2}Foreign\n/)
  })

  test('is named by rebuild-index', async () => {
    const { exit, stdout, stderr } = await desk.run(['rebuild-index'])
    assert.equal(exit, 0)
    assert.equal(stdout, 'Index rebuilt: 1 tasks, 1 tags, 0 added, 0 removed, 1 corrupt.\n')
    assert.match(stderr, new RegExp(id))
  })
})

test('stdin is read only where it is asked for', async () => {
  // The streams of these tests throw when stdin is touched.
  assert.equal((await run(ut, ['add', 'x', '--store', desk.url])).exit, 0)
})
