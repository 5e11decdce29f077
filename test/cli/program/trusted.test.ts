import assert from 'node:assert/strict'
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test, vi } from 'vitest'
import { coven } from '../../../src/cli/coven.ts'
import { holdfast } from '../../../src/cli/holdfast.ts'
import { np } from '../../../src/cli/np.ts'
import type { Program } from '../../../src/cli/program/command.ts'
import { handlersOf } from '../../../src/cli/qo/worker-run.ts'
import { qo } from '../../../src/cli/qo.ts'
import { ut } from '../../../src/cli/ut.ts'
import { Queue, Worker } from '../../../src/queue/index.ts'
import { openStore } from '../../../src/store/index.ts'
import { giveAway } from '../foreign.ts'
import { assertRefused, assertUntrusted, Clone } from './clone.ts'

let clone: Clone
beforeEach(() => {
  clone = new Clone()
})
afterEach(() => {
  vi.restoreAllMocks()
  clone[Symbol.dispose]()
})

const path = (name: string): string => clone.path(name)
const repoFile = (): string => path('repo/.holdfast.yaml')

describe('trust holds', () => {
  const foreignHost = 'store: nats://its-host:4222?timeout_ms=100\n'
  const isRefused = async (cwd = 'repo') => {
    const { exit, stderr } = await clone.run(ut, ['ls'], { cwd })
    // No such host: what is trusted gets that far.
    assert.match(stderr, exit === 4 ? /holdfast trust/ : /NATS server its-host/)
    assert.ok(exit === 4 || exit === 7)
    return exit === 4
  }

  test('for the file as it was, below its folder too, and not for another one', async () => {
    const file = clone.write('repo/.holdfast.yaml', foreignHost)
    assert.ok(await isRefused())
    await clone.trust(file)
    assert.ok(!(await isRefused()))
    assert.ok(!(await isRefused('repo/src')))
    clone.write('other/.holdfast.yaml', foreignHost)
    assert.ok(await isRefused('other'))
    clone.write('repo/src/.holdfast.yaml', foreignHost)
    assert.ok(await isRefused('repo/src'))
  })

  test('not once it is changed, by as little as a comment; nor once it is moved or copied', async () => {
    const file = clone.write('repo/.holdfast.yaml', foreignHost)
    await clone.trust(file)
    appendFileSync(file, '# more\n')
    assert.ok(await isRefused())
    assert.match((await clone.run(ut, ['ls'])).stderr, /has changed since you trusted it/)
    writeFileSync(file, foreignHost)
    assert.ok(!(await isRefused()), 'it is as it was')
    mkdirSync(path('copy'))
    copyFileSync(file, path('copy/.holdfast.yaml'))
    assert.ok(await isRefused('copy'))
    renameSync(path('repo'), path('moved'))
    assert.ok(await isRefused('moved'))
  })

  test('of this user alone, in the folder that XDG_CONFIG_HOME names unless that is relative', async () => {
    const file = clone.write('repo/.holdfast.yaml', foreignHost)
    await clone.trust(file, path('elsewhere'))
    assert.ok(await isRefused())
    for (const [given, folder] of [
      [path('xdg'), path('xdg/holdfast')],
      ['relative', path('home/.config/holdfast')],
    ] as const) {
      const env = { XDG_CONFIG_HOME: given }
      assert.equal((await clone.run(holdfast, ['trust', file], { env })).exit, 0)
      assert.ok(existsSync(join(folder, 'trusted.json')))
      assert.equal((await clone.run(ut, ['ls'], { env })).exit, 7)
    }
    assert.ok(!existsSync(path('repo/src/relative')))
  })

  test('by no record that a repository brings along, for who has a relative home', async () => {
    const file = clone.write('repo/.holdfast.yaml', foreignHost)
    await clone.trust(file, path('repo'))
    assert.ok(existsSync(path('repo/.config/holdfast/trusted.json')))
    for (const env of [{ HOME: '.' }, { HOME: '' }, { XDG_CONFIG_HOME: '.config' }])
      assertUntrusted(await clone.run(ut, ['ls'], { env, cwd: 'repo' }), file)
  })

  test('in one way of reading a file only', async () => {
    const matchers = clone.write('repo/.coven/grimoire-matchers.yaml', foreignHost)
    await clone.trust(matchers)
    symlinkSync('.coven/grimoire-matchers.yaml', path('repo/.holdfast.yaml'))
    assert.ok(await isRefused())
  })

  test('for a link to a trusted file, whose relative paths start where that lies', async () => {
    const handlers = 'export const greet = () => "mine"\n'
    clone.write('mine/handlers.mjs', handlers)
    clone.write('mine/send.sh', 'pwd > "$(dirname "$0")/ran-in"\n')
    const file = clone.write(
      'mine/.holdfast.yaml',
      'store: sqlite:mine.db\nhandlers: handlers.mjs\nexec: "mail=sh ./send.sh"\n',
    )
    await clone.trust(file)
    clone.write('repo/handlers.mjs', 'export const greet = () => "theirs"\n')
    clone.write('repo/send.sh', 'touch "$0-was-run"\n')
    symlinkSync('../mine/.holdfast.yaml', path('repo/.holdfast.yaml'))
    const cwd = 'repo'
    const submitted = async (type: string) => {
      const { stdout } = await clone.run(qo, ['submit', '-t', type, '--json'], { cwd })
      return JSON.parse(stdout).data.id as string
    }
    const ids = [await submitted('greet'), await submitted('mail')]
    assert.ok(existsSync(path('mine/mine.db')))
    await using store = await openStore(`sqlite:${path('mine/mine.db')}`)
    const working: Program = {
      ...qo,
      commands: [
        {
          name: 'work',
          about: 'runs all there is',
          async run(context) {
            const worker = new Worker(store, { handlers: await handlersOf(context) })
            await worker.start()
            const queue = new Queue(store)
            for (const id of ids) await queue.wait(id)
            await worker.stop()
            await queue.close()
          },
        },
      ],
    }
    assert.equal(
      (await clone.run(working, ['work'], { env: { PATH: process.env['PATH'] ?? '' }, cwd })).exit,
      0,
    )
    assert.equal(readFileSync(path('mine/ran-in'), 'utf8'), `${path('mine')}\n`)
    const { stdout } = await clone.run(qo, ['status', ids[0] as string, '--json'], { cwd })
    assert.equal(JSON.parse(stdout).data.output, 'mine')
    assert.ok(!existsSync(path('repo/send.sh-was-run')))
  })
})

describe('an untrusted file', () => {
  test('may tune, and name a store inside its own folder', async () => {
    clone.write('repo/.holdfast.yaml', 'store: sqlite:data/tasks.db\nlease: 30s\nagent_id: ann\n')
    assert.equal((await clone.run(ut, ['add', 'x'])).exit, 0)
    assert.ok(existsSync(path('repo/data/tasks.db')))
    for (const url of [`sqlite:${path('repo')}/a.db`, 'memory:', 'sqlite:src/../b.db']) {
      clone.write('repo/.holdfast.yaml', `store: "${url}"\n`)
      assert.equal((await clone.run(ut, ['add', 'x'])).exit, 0, url)
    }
  })

  test('may not name one outside, by a link either', async () => {
    mkdirSync(path('outside'))
    symlinkSync('../outside', path('repo/data'))
    symlinkSync('../outside/tasks.db', path('repo/link.db'))
    const urls = [
      'sqlite:../outside/x.db',
      'sqlite:data/x.db',
      'sqlite:link.db',
      `sqlite:${path('outside/x.db')}`,
      `sqlite:${path('repo/data/x.db')}`,
      'sqlite:src/../../outside/x.db',
      'sqlite:~/x.db',
    ]
    for (const url of urls) {
      clone.write('repo/.holdfast.yaml', `store: ${url}\n`)
      assertUntrusted(await clone.run(ut, ['add', 'x']), repoFile())
    }
    assert.ok(!existsSync(path('outside/x.db')) && !existsSync(path('outside/tasks.db')))
  })

  test('may not name one inside that another user has made', async () => {
    mkdirSync(path('repo/shared'))
    const file = clone.write('repo/shared/.holdfast.yaml', 'store: sqlite:notes.db\n')
    const cwd = 'repo/shared'
    assert.equal((await clone.run(ut, ['add', 'x'], { cwd })).exit, 0)
    giveAway(path('repo/shared/notes.db'))
    const refused = await clone.run(ut, ['add', 'x'], { cwd })
    assertRefused(refused, file)
    assert.match(refused.stderr, /belongs to another user/)
  })

  test('by a link is judged by the folder that it really lies in', async () => {
    clone.write('outside/settings.yaml', 'store: sqlite:x.db\n')
    symlinkSync('../outside/settings.yaml', path('repo/.holdfast.yaml'))
    assert.equal((await clone.run(ut, ['add', 'x'])).exit, 0)
    assert.ok(existsSync(path('outside/x.db')) && !existsSync(path('repo/x.db')))
    clone.write('outside/settings.yaml', `store: sqlite:${path('repo')}/x.db\n`)
    assertUntrusted(await clone.run(ut, ['add', 'x']), repoFile())
  })
})

describe('trusted or not', () => {
  const secrets = [
    'token: s3cret-token',
    'token: "s3cret with spaces"',
    'token-file: ""',
    'store: nats://s3cret?x@its-host',
    'store: nats://ann:s3cret@its-host',
    'store: nats://its-host?creds=/home/ann/ann.creds',
    'store: nats://its-host?nkey=/home/ann/ann.nk',
    'store: nats://its-host?tls_key=/home/ann/key.pem',
    'store: s3://key:s3cret@bucket',
    'store: s3://bucket?endpoint=https://key:s3cret@its-host',
  ]
  for (const line of secrets)
    test(`${line} is refused, and not shown`, async () => {
      const file = clone.write('repo/.holdfast.yaml', `${line}\n`)
      for (const args of [['trust'], ['trust', file], ['export'], ['config']]) {
        const { exit, stdout, stderr } = await clone.run(holdfast, args)
        assert.equal(exit, 4, args.join(' '))
        assert.match(stderr, /line 1: .*trusted or not/)
        assert.ok(!`${stdout}${stderr}`.includes('s3cret'))
      }
      const { exit, stdout } = await clone.run(np, ['prime'])
      assert.equal(exit, 0)
      assert.match(stdout, /^np: [^\n]+\n$/)
    })

  test('a file of another user is refused by everything that reads it', async () => {
    const file = clone.write('repo/.holdfast.yaml', 'lease: 30s\n')
    const own = clone.write('home/.config/holdfast/config.yaml', 'lease: 30s\n')
    await clone.trust(file)
    giveAway(file)
    for (const [program, ...args] of [
      [ut, 'ls'],
      [np, 'p'],
      [coven, 'init'],
      [holdfast, 'trust'],
    ] as const)
      assertRefused(await clone.run(program, args), file)
    assert.match((await clone.run(ut, ['ls'])).stderr, /belongs to another user \(uid \d+\)/)
    const { exit, stdout } = await clone.run(np, ['prime'])
    assert.deepEqual([exit, stdout.split('\n').length], [0, 2])
    rmSync(file)
    giveAway(own)
    assertRefused(await clone.run(ut, ['ls']), own)
  })

  test('a link to /dev/zero is refused at once', async () => {
    symlinkSync('/dev/zero', path('repo/.holdfast.yaml'))
    const before = process.memoryUsage().rss
    for (const [program, ...args] of [
      [ut, 'ls'],
      [np, 'p'],
      [holdfast, 'trust'],
    ] as const) {
      const { exit, stderr } = await clone.run(program, args)
      assert.equal(exit, 2)
      assert.match(stderr, /\.holdfast\.yaml can't be read: it is a device/)
    }
    assert.ok(process.memoryUsage().rss - before < 50_000_000)
  })

  const unusable: Readonly<Record<string, () => void>> = {
    'a device': () => symlinkSync('/dev/zero', repoFile()),
    'a folder': () => mkdirSync(repoFile()),
    'a loop': () => symlinkSync('.holdfast.yaml', repoFile()),
    'too long': () => clone.write('repo/.holdfast.yaml', '#'.repeat(65_537)),
    broken: () => clone.write('repo/.holdfast.yaml', 'a: b: c\n'),
    'an unknown key': () => clone.write('repo/.holdfast.yaml', 'stor: x\n'),
    "the user's own, broken": () => clone.write('home/.config/holdfast/config.yaml', '- a\n'),
    "the user's own, a folder": () =>
      mkdirSync(path('home/.config/holdfast/config.yaml'), { recursive: true }),
  }
  for (const [what, make] of Object.entries(unusable))
    test(`a settings file that can't be used (${what}) is one line of np prime, and exit 0`, async () => {
      make()
      assert.equal((await clone.run(np, ['p'])).exit, 2)
      const { exit, stdout, stderr } = await clone.run(np, ['prime'])
      assert.deepEqual([exit, stderr], [0, ''])
      assert.match(stdout, /^np: [^\n]*\.yaml[^\n]*\n$/)
      const { errors } = JSON.parse((await clone.run(np, ['prime', '--json'])).stdout)
      assert.deepEqual([errors.length, errors[0].code], [1, 'invalid'])
    })
})
