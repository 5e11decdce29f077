import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'vitest'
import { type Desk, memoryDesk, short } from './desk.ts'

let desk: Desk
beforeEach(() => {
  desk = memoryDesk()
})

describe('ut edit', () => {
  test('changes the text and prints the row', async () => {
    const task = await desk.add('Buy milk', '-t', 'errand')
    const printed = await desk.ut('edit', short(task), '--text', ' Buy oat milk ')
    assert.equal(printed, `${short(task)}  Buy oat milk  [errand]\n`)
  })

  test('--text - and --file read the text from elsewhere; --text takes what looks like an option', async () => {
    const { id } = await desk.add('x')
    const { stdout } = await desk.run(['edit', id, '--text', '-', '--json'], {
      stdin: 'two\nlines\n',
    })
    assert.equal(JSON.parse(stdout).data.text, 'two\nlines')
    assert.equal((await desk.json('edit', id, '--text', '-x')).data.text, '-x')
  })

  const edits: readonly [string[], string[]][] = [
    [
      ['--tags', 'c,d'],
      ['c', 'd'],
    ],
    [
      ['--tags', 'B, c'],
      ['b', 'c'],
    ],
    [['--tags', ''], []],
    [['--tags='], []],
    [
      ['-t', 'c'],
      ['a', 'b', 'c'],
    ],
    [
      ['-t', '+c'],
      ['a', 'b', 'c'],
    ],
    [['-t', '-b'], ['a']],
    [
      ['-t', '+c', '-t', '-a'],
      ['b', 'c'],
    ],
    [
      ['-t', '+c,-a,d'],
      ['b', 'c', 'd'],
    ],
    [
      ['-t', '-C', '-t', 'A'],
      ['a', 'b'],
    ],
    [
      ['-t', '-nothing'],
      ['a', 'b'],
    ],
  ]
  for (const [args, tags] of edits)
    test(`${args.join(' ')} makes [a,b] into [${tags}]`, async () => {
      const { id } = await desk.add('x', '-t', 'a,b')
      const { stdout } = await desk.run(['edit', id, ...args, '--json'])
      assert.deepEqual(JSON.parse(stdout).data.tags, tags)
    })

  test('text and tags change together; --json answers kind task', async () => {
    const { id } = await desk.add('x')
    const { kind, data } = await desk.json('edit', id, '--text', 'y', '-t', 'a')
    assert.deepEqual([kind, data.text, data.tags], ['task', 'y', ['a']])
  })

  test('what is so already is exit 0, the row, and a note', async () => {
    const task = await desk.add('x', '-t', 'a')
    const { exit, stdout, stderr } = await desk.run(['edit', task.id, '--text', 'x', '-t', 'a'])
    assert.deepEqual([exit, stdout], [0, `${short(task)}  x  [a]\n`])
    assert.equal(stderr, `ut: ${short(task)} is already so.\n`)
  })

  /** What is edited of "x [a]", and which part of it was so already. */
  const parts: readonly [string[], string][] = [
    [['--text', 'x', '-t', 'b'], 'same text'],
    [['--text', 'y', '-t', 'a'], 'has tag a'],
    [['-t', '+a', '-t', '+b', '-t', '-c', '-t', '-d'], 'has tag a, has no tag c, has no tag d'],
    [['--text', 'y', '--tags', 'a'], 'same tags'],
  ]
  for (const [args, already] of parts)
    test(`${args.join(' ')} names the part that changes nothing`, async () => {
      const task = await desk.add('x', '-t', 'a')
      const { exit, stderr } = await desk.run(['edit', task.id, ...args])
      assert.deepEqual([exit, stderr], [0, `ut: Already so: ${short(task)} (${already}).\n`])
    })

  test('what changes as a whole has no note', async () => {
    const { id } = await desk.add('x', '-t', 'a')
    const { stderr } = await desk.run(['edit', id, '--text', 'y', '-t', '-a', '-t', 'b'])
    assert.equal(stderr, '')
  })

  test('--quiet prints nothing', async () => {
    const { id } = await desk.add('x')
    assert.equal(await desk.ut('edit', id, '--text', 'y', '--quiet'), '')
  })
})
