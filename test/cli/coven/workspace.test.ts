import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, test } from 'vitest'
import { workspaceOf } from '../../../src/cli/coven/workspace.ts'
import { coven } from '../../../src/cli/coven.ts'
import type { Program } from '../../../src/cli/program/command.ts'
import { run } from '../terminal.ts'
import { trust } from '../trust.ts'
import { cleanUp, Desk, newDirectory, nobody } from './desk.ts'

cleanUp()

/** In a directory without a workspace, on the store of the workspace. */
let desk: Desk
beforeEach(() => {
  desk = new Desk(null, newDirectory())
})

const ownStore = () => join(desk.directory, '.coven', 'tasks.db')

describe('coven init', () => {
  test('makes the folder and the store; lists are then empty', async () => {
    const url = `sqlite:${ownStore()}`
    assert.equal(
      await desk.coven('init'),
      `Initialized workspace ${desk.directory}/.coven, store ${url}\n`,
    )
    assert.ok(existsSync(ownStore()))
    for (const args of [['list'], ['ready']]) assert.equal(await desk.coven('task', ...args), '')
  })

  test('again says so, and changes nothing', async () => {
    await desk.coven('init')
    const { id } = await desk.create('x')
    assert.match(await desk.coven('init'), /^Already there: workspace /)
    assert.equal((await desk.task('show', id)).id, id)
    const { kind, data } = await desk.json('init')
    assert.deepEqual(
      [kind, data],
      [
        'workspace',
        { folder: `${desk.directory}/.coven`, store: `sqlite:${ownStore()}`, created: false },
      ],
    )
  })

  test('makes the folder for another store, too, and that store', async () => {
    const args = ['--store', 'sqlite:other/x.db']
    await desk.coven('init', ...args)
    assert.deepEqual(readdirSync(join(desk.directory, '.coven')), [])
    assert.equal(await desk.coven('task', 'list', ...args), '')
  })

  test('below a workspace makes another one, and says so', async () => {
    await desk.coven('init')
    const { exit, stdout, stderr } = await desk.in('below').run(['init'])
    assert.deepEqual([exit, stdout.includes(`${desk.directory}/below/.coven`)], [0, true])
    assert.equal(
      stderr,
      `coven: From here on down it is used instead of ${desk.directory}/.coven.\n`,
    )
  })

  test('what can not be is refused, and leaves nothing', async () => {
    assert.equal((await desk.refusal('init', '--store', 'nonsense')).exit, 2)
    assert.deepEqual(readdirSync(desk.directory), [])
    writeFileSync(join(desk.directory, '.coven'), 'a file')
    assert.equal((await desk.refusal('init')).exit, 4)
    assert.equal((await desk.refusal('init', '--store', 'memory:x')).exit, 4)
  })

  test('shows no password', async () => {
    const { exit, stdout, stderr } = await desk.run([
      'init',
      '--store',
      'nats://me:secret@127.0.0.1:1',
    ])
    assert.equal(exit, 7)
    assert.ok(!`${stdout}${stderr}`.includes('secret'))
  })
})

describe('the store of the workspace', () => {
  const reading: readonly string[][] = [
    ['task', 'list'],
    ['task', 'ready'],
    ['task', 'show', nobody],
    ['task', 'update', nobody, '--title', 'x'],
    ['task', 'delete', nobody],
    ['task', 'claim', nobody],
    ['task', 'history', nobody],
    ['task', 'subtree', nobody],
    ['task', 'tag', 'add', nobody, 'x'],
    ['task', 'bulk', 'close', nobody],
    ['task', 'create', '--title', 'x', '--parent', nobody],
    ['maintain'],
    ['matchers', 'explain', nobody],
    ['matchers', 'check'],
  ]
  for (const args of reading)
    test(`"coven ${args.slice(0, 2).join(' ')}" without one is 4, and makes nothing`, async () => {
      const { exit, code, line } = await desk.refusal(...args)
      assert.deepEqual([exit, code], [4, 'no_store'])
      assert.match(line, /"coven init"/)
      assert.deepEqual(readdirSync(desk.directory), [])
      const elsewhere = ['--store', 'sqlite:x.db']
      if (args[1] !== 'check') assert.equal((await desk.refusal(...args, ...elsewhere)).exit, 4)
      assert.deepEqual(readdirSync(desk.directory), [])
    })

  test('is made by create, with its folder', async () => {
    await desk.create('x')
    assert.ok(existsSync(ownStore()))
  })

  test('is not made by a create that can never be valid', async () => {
    for (const args of [[], ['--title', ''], ['--title', 'x', '--tags', 'a,,b']])
      assert.equal((await desk.refusal('task', 'create', ...args)).exit, 2)
    assert.deepEqual(readdirSync(desk.directory), [])
  })

  test('another one is made by create without the folder', async () => {
    await desk.create('x', '--store', 'sqlite:x.db')
    assert.ok(!existsSync(join(desk.directory, '.coven')))
    assert.equal((await desk.lines('task', 'list', '--store', 'sqlite:x.db')).length, 1)
  })

  test('is found from directories below, and lies in the nearest .coven that is a folder', async () => {
    await desk.coven('init')
    const below = desk.in('a/b/c')
    writeFileSync(join(desk.directory, 'a', '.coven'), 'no folder')
    const { id } = await below.create('x')
    assert.equal((await desk.task('show', id)).id, id)
    mkdirSync(join(desk.directory, 'a/b/.coven'))
    assert.equal((await below.refusal('task', 'list')).exit, 4)
    await below.create('y')
    assert.ok(existsSync(join(desk.directory, 'a/b/.coven/tasks.db')))
  })

  test('a link to a folder will do', async () => {
    mkdirSync(join(desk.directory, 'real'))
    symlinkSync('real', join(desk.directory, '.coven'))
    await desk.create('x')
    assert.ok(existsSync(join(desk.directory, 'real', 'tasks.db')))
  })

  test('flag, environment, project file and user file go before it, in this order', async () => {
    await desk.coven('init')
    const home = join(desk.directory, 'home')
    const urlOf = async (args: string[] = [], env = {}) => {
      const { stdout } = await run(which, ['which', ...args], {
        cwd: desk.directory,
        env: { HOME: home, ...env },
      })
      return stdout.trimEnd()
    }
    assert.equal(await urlOf(), `sqlite:${ownStore()} true`)
    desk.place('home/.config/holdfast/config.yaml', 'store: nats://user\n')
    assert.equal(await urlOf(), 'nats://user false')
    await trust(desk.place('.holdfast.yaml', 'store: nats://project\n'), home)
    assert.equal(await urlOf(), 'nats://project false')
    const env = { HOLDFAST_STORE: 'nats://environment' }
    assert.equal(await urlOf([], env), 'nats://environment false')
    assert.equal(
      await urlOf(['--store', 'sqlite:x.db'], env),
      `sqlite:${desk.directory}/x.db false`,
    )
  })
})

/** Tells what it finds of the workspace. */
const which: Program = {
  ...coven,
  commands: [
    {
      name: 'which',
      about: 'name the store',
      async run(context) {
        const { storeUrl, isDefaultStore } = await workspaceOf(context)
        context.out.say(`${storeUrl} ${isDefaultStore}`)
      },
    },
  ],
}
