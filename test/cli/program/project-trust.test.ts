import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { afterEach, beforeEach, describe, test, vi } from 'vitest'
import { coven } from '../../../src/cli/coven.ts'
import { holdfast } from '../../../src/cli/holdfast.ts'
import { np } from '../../../src/cli/np.ts'
import type { Program } from '../../../src/cli/program/command.ts'
import { type SettingName, settingNames, settingRules } from '../../../src/cli/program/setting.ts'
import { qo } from '../../../src/cli/qo.ts'
import { ut } from '../../../src/cli/ut.ts'
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

/** What stands for a setting in a file. */
const samples: Readonly<Record<string, string>> = {
  store: 'nats://its-host:4222',
  agent_id: 'ann',
  host: '0.0.0.0',
  port: '8000',
  concurrency: '3',
  lease: '30s',
  handlers: 'h.mjs',
  exec: 'a=true',
  id: 'w1',
  shards: '0-3',
  'index-mode': 'hybrid',
  metrics: '9100',
  token: 's3cret',
  'token-file': 'secret.txt',
  'tls-cert': 'cert.pem',
  'tls-key': 'key.pem',
  socket: 'tasks.sock',
  'public-url': 'https://tasks.example.com',
  log: 'json',
}

const sampleOf = (name: SettingName): string =>
  samples[name] ?? { switch: 'true', number: '7', list: 'x', text: 'x' }[settingRules[name].kind]

describe('each setting has a rule for projects', () => {
  const rules: Readonly<Record<string, readonly string[]>> = {
    'needs trust': [
      ...['exec', 'exec-retry-all', 'handlers', 'host', 'port', 'socket', 'metrics', 'samples'],
      ...['public-url', 'insecure', 'log', 'trust-proxy'],
    ],
    secret: ['token', 'token-file', 'tls-cert', 'tls-key'],
    'by place': ['store'],
  }

  test('what runs, exposes or reveals something needs trust, and no secret is taken', () => {
    for (const [rule, named] of Object.entries(rules)) {
      const known = settingNames.filter((name) => named.includes(name))
      const found = settingNames.filter((name) => settingRules[name].inProject === rule)
      assert.deepEqual(found, known, rule)
    }
  })

  for (const name of settingNames)
    test(`${name}: ${settingRules[name].inProject}`, async () => {
      const file = clone.write('repo/.holdfast.yaml', `${name}: ${sampleOf(name)}\n`)
      const outcome = await clone.run(ut, ['ls'])
      if (settingRules[name].inProject === 'tunes') {
        assert.match(outcome.stderr, /no store|There is nothing/i)
        return
      }
      assertRefused(outcome, file)
      if (settingRules[name].inProject === 'secret') {
        const { exit } = await clone.run(holdfast, ['trust'])
        assert.equal(exit, 4)
        assert.match(outcome.stderr, new RegExp(`line 1: ${name} never counts in .*trusted or not`))
        return
      }
      assert.match(outcome.stderr, /"holdfast trust"/)
      await clone.trust(file)
      assert.doesNotMatch((await clone.run(ut, ['ls'])).stderr, /trust/)
    })
})

describe('a repository that names a store elsewhere', () => {
  /** A server that speaks enough NATS to be told who connects. */
  async function listening() {
    const heard: string[] = []
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.on('data', (data) => {
        heard.push(String(data))
        socket.destroy()
      })
      socket.write(
        'INFO {"server_id":"x","version":"2.12.0","max_payload":1048576,"headers":true}\r\n',
      )
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as { port: number }
    const close = () => new Promise<void>((done) => server.close(() => done()))
    return { heard, url: `nats://127.0.0.1:${port}?timeout_ms=500`, [Symbol.asyncDispose]: close }
  }

  test('hears nothing of "np prime" and its password, until it is trusted', async () => {
    await using host = await listening()
    const file = clone.write('repo/.holdfast.yaml', `store: ${host.url}\n`)
    // The driver takes them from the environment of the process.
    vi.stubEnv('NATS_USER', 'ann')
    vi.stubEnv('NATS_PASSWORD', 's3cret')
    const { exit, stdout, stderr } = await clone.run(np, ['prime'])
    assert.deepEqual({ exit, stderr, heard: host.heard }, { exit: 0, stderr: '', heard: [] })
    assert.match(
      stdout,
      /^np: [^\n]*\.holdfast\.yaml is not trusted[^\n]*"holdfast trust"[^\n]*\n$/,
    )
    assert.ok(!stdout.includes('127.0.0.1'), 'it quotes nothing of the file')
    await clone.trust(file)
    assert.notEqual((await clone.run(np, ['prime'])).exit, 0)
    assert.match(host.heard.join(''), /CONNECT .*"pass":"s3cret"/)
    vi.unstubAllEnvs()
  })

  const commands: readonly (readonly [Program, ...string[]])[] = [
    [np, 's'],
    [np, 'p'],
    [np, 'l'],
    [np, 't', 'a', '-t', 'x'],
    [ut, 'add', 'x'],
    [ut],
    [qo, 'submit', '-t', 'x'],
    [qo, 'worker', '--exec', 'x=true'],
    [qo, 'stats'],
    [qo, 'doctor'],
    [coven, 'init'],
    [coven, 'task', 'list'],
    [coven, 'serve', '--port', '0'],
    [coven, 'maintain'],
    [holdfast, 'serve', '--port', '0'],
    [holdfast, 'mcp'],
    [holdfast, 'export'],
  ]
  for (const [program, ...args] of commands)
    test(`is refused by ${program.name} ${args.join(' ')}`, async () => {
      await using host = await listening()
      clone.write('repo/.holdfast.yaml', `store: ${host.url}\n`)
      assertUntrusted(await clone.run(program, args), repoFile())
      assert.deepEqual(host.heard, [])
      assert.ok(!existsSync(path('repo/.coven')))
    })

  test('is told as no_store in an envelope, with a hint', async () => {
    clone.write('repo/.holdfast.yaml', 'store: s3://bucket?endpoint=http://127.0.0.1:9\n')
    const { exit, stdout } = await clone.run(np, ['p', '--json'])
    const { kind, error } = JSON.parse(stdout)
    assert.deepEqual([exit, kind, error.code], [4, 'error', 'no_store'])
    assert.match(error.next, /holdfast trust/)
    const prime = await clone.run(np, ['prime', '--json'])
    const envelope = JSON.parse(prime.stdout)
    assert.deepEqual([prime.exit, envelope.kind, envelope.data.plan], [0, 'prime', null])
    assert.equal(envelope.errors[0].code, 'no_store')
  })

  test('does not stop who names the store by a flag or a variable', async () => {
    clone.write('repo/.holdfast.yaml', 'store: nats://its-host:4222\nexec: a=true\n')
    const own = `sqlite:${path('own.db')}`
    assert.equal((await clone.run(ut, ['add', 'x', '--store', own])).exit, 0)
    assert.equal((await clone.run(ut, ['ls'], { env: { HOLDFAST_STORE: own } })).exit, 0)
    assert.equal((await clone.run(np, ['prime'], { env: { HOLDFAST_STORE: own } })).exit, 0)
    // These read other settings from the file, too.
    assertUntrusted(await clone.run(qo, ['worker', '--exec', 'x=true', '--store', own]), repoFile())
    assertUntrusted(await clone.run(holdfast, ['serve', '--port', '0', '--store', own]), repoFile())
  })

  test('does not stop help, completion, demo and config, which shows what would count', async () => {
    clone.write('repo/.holdfast.yaml', 'store: nats://its-host:4222\nlease: 7s\n')
    for (const args of [
      ['--help'],
      ['trust', '--help'],
      ['completion', 'bash'],
      ['agents', 'install', '--dry-run'],
    ])
      assert.equal((await clone.run(holdfast, args)).exit, 0)
    const { exit, stdout, stderr } = await clone.run(holdfast, ['config'])
    assert.equal(exit, 4)
    assert.match(stdout, /^store +sqlite:\S+holdfast\.db +default$/m)
    assert.match(stdout, /^lease +- +default$/m)
    assert.match(stderr, /\.holdfast\.yaml is not trusted.*"holdfast trust"/)
    const json = JSON.parse((await clone.run(holdfast, ['config', '--json'])).stdout)
    assert.deepEqual([json.kind, json.errors[0].code], ['config', 'no_store'])
    const doctor = await clone.run(holdfast, ['doctor'])
    assert.equal(doctor.exit, 4)
    assert.match(doctor.stdout, /^FAIL +store +.*is not trusted/m)
  })
})
