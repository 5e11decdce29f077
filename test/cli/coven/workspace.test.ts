import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, test } from 'vitest'
import { workspaceOf } from '../../../src/cli/coven/workspace.ts'
import { coven } from '../../../src/cli/coven.ts'
import type { Program } from '../../../src/cli/program/command.ts'
import { run } from '../terminal.ts'
import { cleanUp, Desk, memoryDesk, newDirectory, nobody } from './desk.ts'

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
    desk.place('.holdfast.yaml', 'store: nats://project\n')
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
    {
      name: 'config',
      about: 'show the configuration',
      async run(context) {
        const { folder, config } = await workspaceOf(context)
        context.out.answer({ kind: 'config', data: { folder, config }, lines: [] })
      },
    },
  ],
}

describe('.coven/config.yaml', () => {
  const configWith = async (text: string | null) => {
    if (text !== null) desk.place('.coven/config.yaml', text)
    const { exit, stdout, stderr } = await run(which, ['config', '--json'], { cwd: desk.directory })
    return { exit, stderr, ...JSON.parse(stdout) }
  }
  const usual = { claimTimeoutMs: 1_800_000, retentionDays: 30, softDeleteDays: 7 }

  const good: readonly [string | null, object][] = [
    [null, {}],
    ['', {}],
    ['# nothing\n', {}],
    ['claim_timeout: 30m\n', {}],
    ['claim_timeout: 500ms\n', { claimTimeoutMs: 500 }],
    ['claim_timeout: 1.5h\n', { claimTimeoutMs: 5_400_000 }],
    ['claim_timeout: 90\n', { claimTimeoutMs: 90_000 }],
    ['claim_timeout: "2d"\n', { claimTimeoutMs: 172_800_000 }],
    ['task_store:\n', {}],
    ['task_store:\n  retention_days: 0\n', { retentionDays: 0 }],
    [
      'task_store: { retention_days: 1, soft_delete_days: 0 }',
      { retentionDays: 1, softDeleteDays: 0 },
    ],
    ['server:\n  port: 1\npoll_interval: 5s\n', {}],
  ]
  for (const [text, expected] of good)
    test(`${JSON.stringify(text)} is fine`, async () => {
      const { exit, data, stderr } = await configWith(text)
      assert.deepEqual([exit, stderr], [0, ''])
      assert.deepEqual(data.config, { ...usual, ...expected })
      assert.equal(data.folder, text === null ? null : join(desk.directory, '.coven'))
    })

  const bad: readonly [string, RegExp][] = [
    ['claim_timeout: soon\n', /line 1: claim_timeout must be a duration: 500ms/],
    ['\nclaim_timeout: 0\n', /line 2: claim_timeout must/],
    ['claim_timeout: -5m\n', /line 1: claim_timeout must/],
    ['claim_timeout: [1]\n', /line 1: claim_timeout must/],
    ['claim_timeout:\n', /line 1: claim_timeout must/],
    ['claim_timeout: 999999999d\n', /line 1: claim_timeout must/],
    ['task_store: 7\n', /line 1: task_store must be a map/],
    ['task_store:\n  retention_days: -1\n', /line 2: retention_days must be a whole number/],
    ['task_store:\n  retention_days: "30"\n', /line 2: retention_days must/],
    ['task_store:\n\n  soft_delete_days: 1.5\n', /line 3: soft_delete_days must/],
    ['a: b: c\n', /line 1: /],
    ['- list\n', /line 1: it holds no keys/],
    ['claim_timeout: 1m\nclaim_timeout: 2m\n', /line 2: /],
    [`a: ${'['.repeat(20_000)}`, /line 1: /],
    [`a: ${'x'.repeat(70_000)}`, /line 1: it has more than 65536 bytes/],
  ]
  for (const [text, message] of bad)
    test(`${JSON.stringify(text.slice(0, 40))} is 2, with file and line`, async () => {
      const { exit, error } = await configWith(text)
      assert.deepEqual([exit, error.code], [2, 'invalid'])
      assert.ok(error.message.startsWith(`${desk.directory}/.coven/config.yaml, line `))
      assert.match(error.message, message)
    })

  test('a slip is warned of', async () => {
    const { exit, stderr } = await configWith(
      'claim_timout: 5m\ntaskstore:\ntask_store:\n  retention_day: 3\n',
    )
    assert.equal(exit, 0)
    const path = `${desk.directory}/.coven/config.yaml`
    assert.deepEqual(stderr.split('\n'), [
      `coven: warning: ${path}, line 1: unknown key "claim_timout". Did you mean claim_timeout?`,
      `coven: warning: ${path}, line 2: unknown key "taskstore". Did you mean task_store?`,
      `coven: warning: ${path}, line 4: unknown key "task_store.retention_day". Did you mean task_store.retention_days?`,
      '',
    ])
  })

  test('is used with any store, and by maintain', async () => {
    const other = memoryDesk()
    const { id } = await other.claimed()
    other.place('.coven/config.yaml', 'claim_timeout: soon\n')
    assert.equal((await other.refusal('maintain')).exit, 2)
    other.place('.coven/config.yaml', 'claim_timeout: 1ms\n')
    await other.create('x')
    assert.equal((await other.lines('maintain'))[0], `Released task ${id}`)
  })
})
