import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, test } from 'vitest'
import { serve as covenServe } from '../../../src/cli/coven/serve.ts'
import { mcp, serve } from '../../../src/cli/holdfast/serve.ts'
import { holdfast } from '../../../src/cli/holdfast.ts'
import type { Command, Program } from '../../../src/cli/program/command.ts'
import type { Context } from '../../../src/cli/program/context.ts'
import { listeningOf } from '../../../src/cli/program/server.ts'
import { settingCalled, settingNames } from '../../../src/cli/program/setting.ts'
import { metricsPortOf, monitor } from '../../../src/cli/qo/monitor.ts'
import { worker, workerSettingsOf } from '../../../src/cli/qo/worker.ts'
import { handlersOf } from '../../../src/cli/qo/worker-run.ts'
import { qo } from '../../../src/cli/qo.ts'
import { run } from '../terminal.ts'
import { trust } from '../trust.ts'

const root = mkdtempSync(join(tmpdir(), 'holdfast-settings-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

let count = 0

interface Files {
  readonly project?: string
  readonly user?: string
  /** Whether the user trusts the project's file. */
  readonly isTrusted?: boolean
}

/** A folder with settings of the project and of the user, and how to run a program in it. */
function place({ project = '', user = '' }: Files) {
  const folder = join(root, String(++count))
  mkdirSync(join(folder, 'home/.config/holdfast'), { recursive: true })
  if (project !== '') writeFileSync(join(folder, '.holdfast.yaml'), project)
  const userFile = join(folder, 'home/.config/holdfast/config.yaml')
  if (user !== '') writeFileSync(userFile, user)
  const env = { HOME: join(folder, 'home') }
  return {
    folder,
    run: (program: Program, args: readonly string[], more = {}) =>
      run(program, args, { cwd: folder, env: { ...env, ...more } }),
  }
}

/** What a command would take from its options, variables and files. */
async function taken<T>(
  command: Command,
  read: (context: Context) => Promise<T>,
  files: Files,
  { args = [], env = {} }: { args?: readonly string[]; env?: Record<string, string> } = {},
): Promise<T> {
  let result: { value: T } | undefined
  const reading: Command = {
    ...command,
    run: async (context) => {
      result = { value: await read(context) }
    },
  }
  const program: Program = { name: 'p', about: 'a test', commands: [reading] }
  const { folder, run: runThere } = place(files)
  if (files.isTrusted) await trust(join(folder, '.holdfast.yaml'), join(folder, 'home'))
  const outcome = await runThere(program, [command.name, ...args], env)
  assert.equal(outcome.exit, 0, outcome.stderr)
  return (result ?? assert.fail('it did not run')).value
}

const worded = `
index-mode: log-scan
shards: 0-3
id: w1
concurrency: 3
lease: 30s
shutdown-deadline: 5
ready-page-size: 7
log_scan_page_size: 8
check-interval: 10
worker-health-threshold: 2m
sweep_interval: 0
sweep-page-size: 9
`

const expected = {
  id: 'w1',
  shards: ['0', '1', '2', '3'],
  concurrency: 3,
  leaseMs: 30_000,
  shutdownDeadlineMs: 5_000,
  indexMode: 'log-scan',
  readyPageSize: 7,
  logScanPageSize: 8,
  monitor: {
    checkIntervalMs: 10_000,
    healthThresholdMs: 120_000,
    sweepIntervalMs: 0,
    sweepPageSize: 9,
  },
}

describe('settings files', () => {
  test('know every option of workers, monitors and servers by its name', () => {
    for (const { name, options } of [worker, monitor, covenServe, serve, mcp] as Command[])
      for (const option of Object.keys(options ?? {}))
        for (const key of [option, option.replaceAll('-', '_')])
          assert.ok(settingCalled(key), `${name} --${option} is no key`)
    assert.equal(new Set(settingNames).size, settingNames.length)
  })

  test('say how a worker works, of the project and of the user', async () => {
    assert.deepEqual(await taken(worker, workerSettingsOf, { project: worded }), expected)
    assert.deepEqual(await taken(worker, workerSettingsOf, { user: worded }), expected)
    const { monitor } = await taken(worker, workerSettingsOf, { project: 'no-monitor: true\n' })
    assert.equal(monitor, false)
  })

  test('come after variables and flags', async () => {
    const files = { project: 'index-mode: log-scan\nno-monitor: true\n', user: 'id: w1\n' }
    const env = { QO_INDEX_MODE: 'hybrid', QO_NO_MONITOR: 'false' }
    const byVariable = await taken(worker, workerSettingsOf, files, { env })
    assert.deepEqual([byVariable.indexMode, byVariable.id], ['hybrid', 'w1'])
    assert.notEqual(byVariable.monitor, false)
    const args = ['--index-mode', 'index-only', '--no-monitor', '--id', 'w2']
    const byFlag = await taken(worker, workerSettingsOf, files, { env, args })
    assert.deepEqual([byFlag.indexMode, byFlag.id, byFlag.monitor], ['index-only', 'w2', false])
  })

  test('say which port metrics are at, and how a server listens', async () => {
    const metrics = { project: 'metrics: 9100\n', isTrusted: true }
    assert.equal(await taken(monitor, metricsPortOf, metrics), 9100)
    const files = {
      project: 'host: 0.0.0.0\nport: 8000\n',
      isTrusted: true,
      user: 'token: s3cret\n',
    }
    const read = (context: Context) => listeningOf(context, 'COVEN_TOKEN')
    for (const command of [covenServe, serve])
      assert.deepEqual(await taken(command, read, files), {
        ...{ host: '0.0.0.0', port: 8000, socket: null, token: 's3cret', tls: null },
        ...{ insecure: false, publicUrl: null, trustsProxy: false },
      })
    const env = { COVEN_TOKEN: 'other' }
    assert.equal((await taken(covenServe, read, files, { env })).token, 'other')
    const isSampled = (context: Context) => context.isOn('samples')
    assert.equal(await taken(serve, isSampled, { user: 'samples: true\n' }), true)
  })

  test('of the user, and variables, say how a server is reached', async () => {
    const read = (context: Context) => listeningOf(context, 'HOLDFAST_TOKEN')
    const lines = [
      'public-url: https://tasks.example.com/',
      'trust-proxy: true',
      'insecure: true',
      'tls-cert: cert.pem',
      'tls-key: /etc/key.pem',
      'socket: s.sock',
    ]
    const user = `${lines.join('\n')}\n`
    const { tls, socket, ...rest } = await taken(serve, read, { user })
    const expected = { publicUrl: 'https://tasks.example.com', trustsProxy: true, insecure: true }
    assert.deepEqual(rest, { ...expected, host: undefined, port: undefined, token: null })
    assert.match(String(tls?.certPath), /home\/\.config\/holdfast\/cert\.pem$/)
    assert.equal(tls?.keyPath, '/etc/key.pem')
    assert.match(String(socket), /home\/\.config\/holdfast\/s\.sock$/)
    const env = {
      HOLDFAST_PUBLIC_URL: 'https://other.example.com',
      HOLDFAST_TRUST_PROXY: 'false',
      HOLDFAST_INSECURE: '0',
      HOLDFAST_TLS_CERT: '/c.pem',
      HOLDFAST_TLS_KEY: '/k.pem',
      HOLDFAST_SOCKET: '/s.sock',
    }
    assert.deepEqual(await taken(covenServe, read, { user }, { env }), {
      ...{ host: undefined, port: undefined, socket: '/s.sock', token: null, insecure: false },
      ...{ publicUrl: 'https://other.example.com', trustsProxy: false },
      tls: { certPath: '/c.pem', keyPath: '/k.pem' },
    })
  })

  test('name a socket or a port: what was said nearer to the command counts', async () => {
    const read = (context: Context) => listeningOf(context, 'HOLDFAST_TOKEN')
    const user = 'socket: /s.sock\n'
    const byFlag = await taken(serve, read, { user }, { args: ['--port', '8000'] })
    assert.deepEqual([byFlag.socket, byFlag.port], [null, 8000])
    const env = { HOLDFAST_PORT: '8000' }
    const socket = await taken(serve, read, {}, { env, args: ['--socket', '/s.sock'] })
    assert.deepEqual([socket.socket, socket.port], ['/s.sock', undefined])
    const { run: inPlace } = place({ user: 'socket: /s.sock\nport: 8000\n' })
    const both = await inPlace(holdfast, ['serve', '--store', 'memory:'])
    assert.deepEqual([both.exit, /exclude each other/.test(both.stderr)], [2, true])
  })

  test('of the user name handlers and commands; those of a project must be trusted', async () => {
    const user = 'exec: [one=true, two=false]\nhandlers: handlers.mjs\nexec-retry-all: true\n'
    const types = async (context: Context) => {
      const folder = join(context.io.env['HOME'] as string, '.config/holdfast')
      writeFileSync(join(folder, 'handlers.mjs'), 'export const three = () => 3\n')
      return (await handlersOf(context)).map(({ type }) => type)
    }
    assert.deepEqual(await taken(worker, types, { user }), ['one', 'two', 'three'])
    const one = { user: 'exec: one=true\n' }
    const onlyExec = async (context: Context) => (await handlersOf(context)).map(({ type }) => type)
    assert.deepEqual(await taken(worker, onlyExec, one), ['one'])
    assert.deepEqual(await taken(worker, onlyExec, one, { args: ['--exec', 'x=true'] }), ['x'])
    for (const project of ['exec: one=true\n', 'handlers: h.mjs\n']) {
      const refused = await place({ project }).run(qo, ['worker', '--store', 'memory:'])
      assert.equal(refused.exit, 4)
      assert.match(refused.stderr, /\.holdfast\.yaml is not trusted, and it sets (exec|handlers)\./)
      assert.match(refused.stderr, /"holdfast trust"/)
    }
    const project = { project: 'exec: one=true\n', isTrusted: true }
    assert.deepEqual(await taken(worker, onlyExec, project), ['one'])
  })

  test('let a monitor look once; not where metrics are asked for', async () => {
    const { run: inPlace } = place({ user: 'once: true\n' })
    const once = await inPlace(qo, ['monitor', '--store', 'memory:monitor-once'])
    assert.equal(once.exit, 4, 'a store that is not there is not made')
    assert.match(once.stderr, /no store|memory/i)
  })

  test.each([
    ['index-mode: everywhere', /index-mode must be index-only, hybrid or log-scan/],
    ['no-monitor: perhaps', /no-monitor must be true or false/],
    ['no_monitor: 1', /no-monitor must be true or false/],
    ['check-interval: soon', /check-interval must be a duration/],
    ['metrics: 70000', /metrics must be a whole number from 0 to 65535/],
    ['shards: x', /shards must be hex digits/],
    ['id: a\nid: b', /line 2: a key is given twice/],
    ['---\nid: a\n---\nid: b', /line 3: it holds more than one document/],
    ['id: [a, b]', /id must be a name/],
    ['index-mode: hybrid\nindex_mode: hybrid', /line 2: index-mode is given twice/],
    ['token:zebra: hybrid', /unknown key, which is no plain word\./],
    ['index-mod: hybrid', /unknown key "index-mod"\. Did you mean index-mode\?/],
  ])('%j is refused with its line', async (project, message) => {
    const { run: inPlace } = place({ project: `${project}\n` })
    const refused = await inPlace(qo, ['worker', '--exec', 'x=true', '--store', 'memory:'])
    assert.equal(refused.exit, 2)
    assert.match(refused.stderr, /\.holdfast\.yaml, line [123]: /)
    assert.match(refused.stderr, message)
  })

  test('what a file says is not quoted unless it looks like a key: a link may lead to secrets', async () => {
    const secret = 's3cret'
    for (const text of [
      `PATH=/bin\0KEY=${secret}: x`,
      `machine host login me password ${secret}: x`,
      `"\\e[2K${secret}\\nnp: forged": x`,
      `!<${secret}> a: b`,
      `!${secret}!x a: b`,
      `id: |${secret}`,
      `]${secret}`,
      `id: *${secret}`,
      `? [${secret}]\n: x`,
      `${secret.repeat(20)}: x`,
    ]) {
      const { run: inPlace } = place({ project: text })
      const { exit, stdout, stderr } = await inPlace(qo, ['stats'])
      assert.deepEqual([exit, stdout], [2, ''], text)
      assert.ok(!stderr.includes(secret), stderr)
      assert.match(stderr, /^qo: [^\n]*\.holdfast\.yaml, line 1: [^\n]*\n$/)
    }
  })

  test('a file that is nested more deeply than the stack says so', async () => {
    const lists = `id: ${'['.repeat(20_000)}${']'.repeat(20_000)}\n`
    const maps = `${'{a: '.repeat(8_000)}1${'}'.repeat(8_000)}\n`
    for (const project of [lists, maps]) {
      const args = ['worker', '--exec', 'x=true', '--store', 'memory:']
      const refused = await place({ project }).run(qo, args)
      assert.equal(refused.exit, 2)
      assert.match(refused.stderr, /\.holdfast\.yaml, line 1: it is nested too deeply\./)
    }
  })

  test.each([
    ['check-interval: 1ms', 'check-interval'],
    ['lease: 1ms', 'lease'],
    ['shutdown-deadline: 2d', 'shutdown-deadline'],
    ['shards: 3-1', 'shards'],
  ])('%j, which has its form but is out of bounds, is told by its line', async (project) => {
    const { run: inPlace } = place({ project: `${project}\n` })
    const refused = await inPlace(qo, ['worker', '--exec', 'x=true', '--store', 'memory:'])
    assert.equal(refused.exit, 2)
    assert.match(refused.stderr, /\.holdfast\.yaml, line 1 takes no/)
  })
})
