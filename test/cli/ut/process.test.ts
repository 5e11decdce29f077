import assert from 'node:assert/strict'
import { type SpawnSyncOptions, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { within } from '../../rounds.ts'
import { runForLeavingReader } from '../leaving-reader.ts'

const bin = join(process.cwd(), 'bin/ut')

let folder = ''
let env: NodeJS.ProcessEnv = {}
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-ut-'))
  env = { PATH: process.env['PATH'], HOME: folder }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const ut = (args: readonly string[], options: SpawnSyncOptions = {}) => {
  const { status, stdout, stderr } = spawnSync(bin, args, {
    env,
    cwd: folder,
    ...options,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

const dataFolder = () => join(folder, '.local')

describe('ut as a process', () => {
  test('a missing store is exit 4, and nothing is made', () => {
    for (const args of [[], ['ls'], ['tags', '--json']]) assert.equal(ut(args).status, 4)
    assert.ok(!existsSync(dataFolder()))
    const { status, stderr } = ut(['ls', '--store', 'sqlite:elsewhere.db'])
    assert.equal(status, 4)
    assert.match(stderr, /^ut: There is no store at .*elsewhere\.db\. Start one with "ut add TEXT"/)
    assert.deepEqual(readdirSync(folder), [])
  })

  test('what can never be valid makes no store either', () => {
    assert.equal(ut(['add', '']).status, 2)
    assert.ok(!existsSync(dataFolder()))
  })

  test('the transcript of the seed, on the default store', () => {
    const added = ut(['add', 'Buy milk', '-t', 'errand', '-t', 'shopping'])
    assert.deepEqual([added.status, added.stderr], [0, ''])
    assert.match(added.stdout, /^[0-9a-f]{12} {2}Buy milk {2}\[errand,shopping\]\n$/)
    assert.ok(existsSync(join(dataFolder(), 'share/holdfast/holdfast.db')))
    const prefix = added.stdout.slice(0, 8)
    const done = ut(['done', prefix])
    assert.match(done.stdout, new RegExp(`^OK \\(matched id ${prefix}\\w{6}\\.\\.\\.\\w{4}\\)\\n$`))
    assert.deepEqual(ut(['ls', '--open']), { status: 0, stdout: '', stderr: '' })
    assert.match(ut(['rm', prefix]).stdout, new RegExp(`^Deleted \\(matched id ${prefix}`))
  })

  test('reads stdin for -, and only then', () => {
    const { status, stdout } = ut(['add', '-', '--json'], { input: 'from `stdin` ☕\n' })
    assert.equal(status, 0)
    assert.equal(JSON.parse(stdout).data.text, 'from `stdin` ☕')
  })

  test('a project file names a store beside it, seen from below', () => {
    const below = join(folder, 'project', 'a', 'b')
    mkdirSync(below, { recursive: true })
    writeFileSync(join(folder, 'project', '.holdfast.yaml'), 'store: sqlite:tasks.db\n')
    assert.equal(ut(['add', 'Here'], { cwd: below }).status, 0)
    assert.ok(existsSync(join(folder, 'project', 'tasks.db')))
    assert.match(ut([], { cwd: below }).stdout, / {2}Here\n$/)
  })

  test('a usage error is exit 2 on stderr, or an envelope on stdout', () => {
    const { status, stdout, stderr } = ut(['ls', '--limit', '0'])
    assert.deepEqual([status, stdout], [2, ''])
    assert.match(stderr, /See "ut ls --help"/)
    const json = ut(['--json', 'ls', '--bogus'])
    assert.deepEqual([json.status, json.stderr], [2, ''])
    assert.equal(JSON.parse(json.stdout).error.code, 'invalid')
  })

  test('a server that does not answer is exit 7 within 5 seconds', () =>
    within(5_000, async (timed) => {
      const { status } = await timed(() => ut(['ls', '--store', 'nats://127.0.0.1:1']))
      assert.equal(status, 7)
    }))

  test('a file that is no store is exit 4 and stays as it is', () => {
    const path = join(folder, 'notes.txt')
    writeFileSync(path, 'my notes, long enough to be looked into'.repeat(10))
    assert.equal(ut(['add', 'x', '--store', `sqlite:${path}`]).status, 4)
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('notes')),
      ['notes.txt'],
    )
  })

  test('ends quietly when its reader leaves: ut ls | head -1', async () => {
    const store = `sqlite:${join(folder, 'long.db')}`
    // More than a pipe holds, so that the reader is gone before all is written.
    for (let at = 0; at < 4; at++)
      assert.equal(
        ut(['add', '-', '--store', store], { input: `${at}${'x'.repeat(60_000)}` }).status,
        0,
      )
    const ended = await runForLeavingReader(bin, ['ls', '--store', store], env)
    assert.deepEqual(ended, { status: 0, stderr: '' })
  })

  test('writes all of a long answer into a pipe, and to a disk that is full says so', () => {
    const store = `sqlite:${join(folder, 'long.db')}`
    assert.ok(ut(['ls', '--store', store]).stdout.length > 240_000)
    if (!existsSync('/dev/full')) return
    const command = `${bin} ls --store ${store} > /dev/full`
    const { status, stderr } = spawnSync('bash', ['-c', command], { env, encoding: 'utf8' })
    assert.equal(status, 1)
    assert.match(stderr, /^ut: .*ENOSPC.*\n$/)
  })

  test('a server that accepts and says nothing is exit 7 within 5 s, and the program ends then', () =>
    within(5_500, async (timed) => {
      const silent = createServer()
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
      const { port } = silent.address() as AddressInfo
      const [status] = await timed(() => {
        const args = ['ls', '--store', `nats://127.0.0.1:${port}`]
        return once(spawn(bin, args, { env, cwd: folder }), 'exit')
      })
      silent.close()
      assert.equal(status, 7)
    }))

  test('loads nothing of NATS, S3 or YAML for a SQLite file', () => {
    const script = `
      process.argv.splice(1, process.argv.length, ${JSON.stringify(bin)}, 'ls')
      require(${JSON.stringify(bin)})
      process.on('exit', () => {
        const loaded = Object.keys(require('node:module')._cache).map((path) => path.split('/node_modules/').at(-1))
        console.log(loaded.filter((path) => /^(@|yaml|string-width|ulid|fast-xml)/.test(path)).join(' ') + '|')
      })`
    const { stdout } = spawnSync(process.execPath, ['-e', script], {
      env,
      cwd: folder,
      encoding: 'utf8',
    })
    assert.match(stdout, /\n\|\n$/)
  })
})
