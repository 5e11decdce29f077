import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import type { Program } from '../../../src/cli/program/command.ts'
import { settingNames } from '../../../src/cli/program/setting.ts'
import { run } from '../terminal.ts'
import { trust } from '../trust.ts'

let root = ''
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-choice-')))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Answers with the URL that it would open. */
const program: Program = {
  name: 'prog',
  about: 'names its store.',
  commands: [
    {
      name: 'which',
      about: 'name it',
      async run(context) {
        context.out.say((await context.storeChoice()).url)
      },
    },
  ],
}

const place = (path: string, text: string): string => {
  const file = join(root, path)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, text)
  return file
}

/** Deep in a project, with a configuration of the user; each test lays its own files. */
const which = (args: string[] = [], env: Record<string, string> = {}) =>
  run(program, ['which', ...args], {
    cwd: join(root, 'project', 'a', 'b'),
    env: { HOME: join(root, 'home'), ...env },
  })

const chosen = async (args: string[] = [], env: Record<string, string> = {}) => {
  const { exit, stdout, stderr } = await which(args, env)
  assert.deepEqual({ exit, stderr }, { exit: 0, stderr: '' })
  return stdout.trimEnd()
}

beforeEach(() => {
  for (const folder of ['project', 'home', 'xdg'])
    rmSync(join(root, folder), { recursive: true, force: true })
  mkdirSync(join(root, 'project', 'a', 'b'), { recursive: true })
})

describe('the store that a command works on', () => {
  test('is by default a file in the data folder of the user', async () => {
    const expected = `sqlite:${root}/home/.local/share/holdfast/holdfast.db`
    assert.equal(await chosen(), expected)
    assert.equal(await chosen([], { XDG_DATA_HOME: '' }), expected)
    assert.equal(await chosen([], { XDG_DATA_HOME: 'relative' }), expected)
    assert.equal(await chosen([], { HOLDFAST_STORE: '' }), expected)
    assert.equal(await chosen([], { XDG_DATA_HOME: '/x' }), 'sqlite:/x/holdfast/holdfast.db')
  })

  test('is what the program says, where that has another default', async () => {
    const own: Program = {
      ...program,
      defaultStore: ({ cwd }) => ({ url: `sqlite:${cwd()}/own.db`, workspace: null }),
    }
    const setting = { cwd: join(root, 'project'), env: { HOME: join(root, 'home') } }
    assert.equal((await run(own, ['which'], setting)).stdout, `sqlite:${root}/project/own.db\n`)
    place('home/.config/holdfast/config.yaml', 'store: nats://home:4222\n')
    assert.equal((await run(own, ['which'], setting)).stdout, 'nats://home:4222\n')
  })

  test('is that of the file of the user', async () => {
    place('home/.config/holdfast/config.yaml', 'store: nats://home:4222\n')
    place('xdg/holdfast/config.yaml', '# mine\nstore: "nats://xdg:4222"\n')
    assert.equal(await chosen(), 'nats://home:4222')
    assert.equal(await chosen([], { XDG_CONFIG_HOME: join(root, 'xdg') }), 'nats://xdg:4222')
  })

  test('is that of the project before that of the user', async () => {
    place('home/.config/holdfast/config.yaml', 'store: nats://home:4222\n')
    await trust(place('project/.holdfast.yaml', 'store: nats://project:4222\n'), join(root, 'home'))
    assert.equal(await chosen(), 'nats://project:4222')
    place('project/a/.holdfast.yaml', 'store: sqlite:nearer.db\n')
    assert.equal(await chosen(), `sqlite:${root}/project/a/nearer.db`)
    place('project/a/.holdfast.yaml', '# says nothing\n')
    assert.equal(await chosen(), 'nats://home:4222')
  })

  test('is that of the environment before any file, and that of the flag before all', async () => {
    place('project/.holdfast.yaml', 'store: nats://project:4222\n')
    const env = { HOLDFAST_STORE: 'nats://env:4222' }
    assert.equal(await chosen([], env), 'nats://env:4222')
    assert.equal(await chosen(['--store', 'nats://flag:4222'], env), 'nats://flag:4222')
  })

  test('a broken file does no harm where flag or environment say more', async () => {
    place('project/.holdfast.yaml', ': [')
    assert.equal(await chosen(['--store', 'nats://flag']), 'nats://flag')
    assert.equal(await chosen([], { HOLDFAST_STORE: 'nats://env' }), 'nats://env')
  })

  test('relative paths start at the file that has them, else at the working directory', async () => {
    place('project/.holdfast.yaml', 'store: sqlite:./data/tasks.db\n')
    assert.equal(await chosen(), `sqlite:${root}/project/data/tasks.db`)
    const here = `${root}/project/a/b`
    assert.equal(await chosen(['--store', 'sqlite:x.db']), `sqlite:${here}/x.db`)
    assert.equal(
      await chosen([], { HOLDFAST_STORE: 'sqlite:../x.db' }),
      `sqlite:${root}/project/a/x.db`,
    )
  })

  for (const url of [
    'sqlite:/abs.db',
    'sqlite:~/x.db',
    'sqlite:///abs.db',
    'sqlite:',
    'sqlite::memory:',
    'x',
  ])
    test(`${url} is left for openStore to judge`, async () => {
      assert.equal(await chosen(['--store', url]), url)
    })

  const broken: readonly [string, RegExp][] = [
    ['a: b: c\n', /line 1: /],
    ['# first\nstore: nats://x\n  bad: [\n', /line [23]: /],
    ['store:\n  - a\n', /line 1: store must be a URL/],
    ['# one\n# two\nstore: 7\n', /line 3: store must be a URL/],
    ['store:\n', /line 1: store must be a URL/],
    ['- list\n', /line 1: it holds no keys/],
    ['just text', /line 1: it holds no keys/],
    ['store: a\nstore: b\n', /line 2: /],
    ['store: "unclosed\n', /line [12]: /],
    ['\tstore: x\n', /line 1: /],
  ]
  for (const [text, message] of broken)
    test(`a file that says ${JSON.stringify(text)} is a usage error that names file and line`, async () => {
      const file = place('project/.holdfast.yaml', text)
      const { exit, stdout, stderr } = await which()
      assert.deepEqual({ exit, stdout }, { exit: 2, stdout: '' })
      assert.ok(stderr.startsWith(`prog: ${file}, `), stderr)
      assert.match(stderr, message)
      assert.equal(stderr.split('\n').length, 2)
    })

  test('a folder in place of the file is a usage error that names it', async () => {
    mkdirSync(join(root, 'project', '.holdfast.yaml'))
    const { exit, stderr } = await which()
    assert.equal(exit, 2)
    assert.match(stderr, /project\/\.holdfast\.yaml can't be read: /)
  })

  test('so is a pipe, which nobody may ever write to', async () => {
    execFileSync('mkfifo', [join(root, 'project', '.holdfast.yaml')])
    const { exit, stderr } = await which()
    assert.equal(exit, 2)
    assert.match(stderr, /project\/\.holdfast\.yaml can't be read: it is a pipe\./)
  })

  // Root may read everything.
  if (process.getuid?.() !== 0)
    test('so is a file that may not be read', async () => {
      chmodSync(place('project/.holdfast.yaml', 'store: x\n'), 0)
      assert.equal((await which()).exit, 2)
    })

  test('an unknown key is a usage error that names file, line, and the key that may be meant', async () => {
    const file = place('project/.holdfast.yaml', 'store: nats://x\nstor: a\n')
    const { exit, stdout, stderr } = await which()
    assert.deepEqual({ exit, stdout }, { exit: 2, stdout: '' })
    const keys = settingNames.join(', ')
    const said = `${file}, line 2: unknown key "stor". Did you mean store? Keys: ${keys}.`
    assert.equal(stderr, `prog: ${said}\n`)
  })

  test('a key written as its option is the same key', async () => {
    place('project/.holdfast.yaml', 'agent-id: ""\n')
    assert.match((await which()).stderr, /line 1: agent_id must be a name/)
    place('project/.holdfast.yaml', 'agent-ids: a\n')
    assert.match((await which()).stderr, /unknown key "agent-ids"\. Did you mean agent_id\?/)
  })

  const bad: readonly [string, RegExp][] = [
    ['port: 65536', /line 1: port must be a whole number from 0 to 65535/],
    ['port: http', /line 1: port must be a whole number/],
    ['\nhost: 7', /line 2: host must be an address/],
    ['host: "a b"', /line 1: host must be an address/],
    ['agent_id: ""', /line 1: agent_id must be a name/],
    ['agent_id: [a]', /line 1: agent_id must be a name/],
    ['concurrency: 0', /line 1: concurrency must be a whole number from 1 to 1000/],
    ['concurrency: 1.5', /line 1: concurrency must be a whole number/],
    ['lease: soon', /line 1: lease must be a duration: 500ms, 90s/],
    ['lease: 0', /line 1: lease must be a duration/],
    ['lease: null', /line 1: lease must be a duration/],
  ]
  for (const [text, message] of bad)
    test(`${JSON.stringify(text)} in a file is a usage error, also for a program that does without`, async () => {
      const file = place('home/.config/holdfast/config.yaml', `${text}\n`)
      const { exit, stdout, stderr } = await which()
      assert.deepEqual({ exit, stdout }, { exit: 2, stdout: '' })
      assert.ok(stderr.startsWith(`prog: ${file}, `), stderr)
      assert.match(stderr, message)
    })
})
