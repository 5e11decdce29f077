import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { sized } from '../../size.ts'

const bin = join(process.cwd(), 'bin/np')

const adding = sized(3, 8)
const starting = sized(3, 16)

let folder = ''
let env: NodeJS.ProcessEnv = {}
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-np-')))
  mkdirSync(join(folder, 'project', 'below'), { recursive: true })
  env = { PATH: process.env['PATH'], HOME: folder }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const np = (args: readonly string[], { at = 'project', input = '' } = {}) => {
  const { status, stdout, stderr } = spawnSync(bin, args, {
    env,
    cwd: join(folder, at),
    input,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

const eventsOf = () => JSON.parse(np(['e', '--all', '--json']).stdout).data

describe('np as a process', () => {
  test('without a store is exit 4, and makes none; a usage error makes none either', () => {
    assert.equal(np(['p']).status, 4)
    assert.equal(np(['s', '--bogus']).status, 2)
    assert.equal(np(['t', 'a']).status, 2)
    assert.deepEqual(readdirSync(folder), ['project'])
  })

  test('a session on the default store, from a directory below', () => {
    const started = np(['s'])
    assert.deepEqual([started.status, started.stderr], [0, ''])
    assert.ok(existsSync(join(folder, '.local/share/holdfast/holdfast.db')))
    assert.equal(np(['g', 's', '-t', 'Ship'], { at: 'project/below' }).status, 0)
    const { status, stdout } = np(['t', 'a', '-t', 'One', '-d', '-'], { input: 'from `stdin`\n' })
    assert.equal(status, 0)
    assert.match(stdout, /\n☐ [0-9a-f]{6} {2}One\n {4}from `stdin`\n\nNext: np t u -i /)
  })

  test('the monitor without a terminal is exit 2', () => {
    const { status, stdout, stderr } = np(['m'])
    assert.deepEqual([status, stdout], [2, ''])
    assert.match(stderr, /^np: The monitor needs a terminal\./)
  })

  test('a directory that is deleted under its feet is exit 4', () => {
    mkdirSync(join(folder, 'gone'))
    const script = `cd '${folder}/gone' && rmdir '${folder}/gone' && '${bin}' p`
    const { status, stderr } = spawnSync('sh', ['-c', script], { env, encoding: 'utf8' })
    assert.equal(status, 4)
    assert.match(stderr, /^np: The working directory is gone\. /)
  })

  test('a reader that leaves is no failure: np p | head -1', () => {
    const script = `'${bin}' p | head -1; exit "\${PIPESTATUS[0]}"`
    const { status, stdout, stderr } = spawnSync('bash', ['-c', script], {
      env,
      cwd: join(folder, 'project'),
      encoding: 'utf8',
    })
    assert.deepEqual([status, stderr], [0, ''])
    assert.match(stdout, /^Session \w{26} in .*\n$/)
  })

  test(`${adding} processes at once in one session leave neither gap nor repeat`, async () => {
    const before = eventsOf().length
    const children = Array.from({ length: adding }, (_, at) =>
      spawn(bin, ['t', 'a', '-t', `P${at}`, '-t', `Q${at}`, '--quiet'], {
        env,
        cwd: join(folder, 'project'),
        stdio: 'inherit',
      }),
    )
    const ends = await Promise.all(children.map((child) => once(child, 'close')))
    assert.deepEqual(
      ends.map(([status]) => status),
      Array(adding).fill(0),
    )
    assert.deepEqual(
      eventsOf().map(({ seq }: { seq: number }) => seq),
      Array.from({ length: before + 2 * adding }, (_, at) => at + 1),
    )
    assert.equal(np(['repair']).status, 0)
  })

  test(`${starting} processes that start at once in one directory get one session`, async () => {
    mkdirSync(join(folder, 'fresh'))
    const children = Array.from({ length: starting }, () =>
      spawn(bin, ['s', '--json'], {
        env,
        cwd: join(folder, 'fresh'),
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    )
    const sids = await Promise.all(
      children.map(async (child) => {
        let stdout = ''
        child.stdout.on('data', (chunk) => {
          stdout += chunk
        })
        const [status] = await once(child, 'close')
        assert.equal(status, 0)
        return JSON.parse(stdout).data.sid
      }),
    )
    assert.equal(new Set(sids).size, 1)
  })

  test('loads nothing of NATS, S3, YAML or Ink for a SQLite file', () => {
    const script = `
      process.argv.splice(1, process.argv.length, ${JSON.stringify(bin)}, 'p')
      require(${JSON.stringify(bin)})
      process.on('exit', () => {
        const loaded = Object.keys(require('node:module')._cache).map((path) => path.split('/node_modules/').at(-1))
        console.log(loaded.filter((path) => /^(@nats|@aws|yaml|string-width|fast-xml|ink|react)/.test(path)).join(' ') + '|')
      })`
    const { stdout } = spawnSync(process.execPath, ['-e', script], {
      env,
      cwd: join(folder, 'project'),
      encoding: 'utf8',
    })
    assert.match(stdout, /\n\|\n$/)
  })

  test('completes its commands', () => {
    const { status, stdout } = np(['completion', 'bash'])
    assert.equal(status, 0)
    assert.match(stdout, /complete -F _np_complete np/)
    assert.match(stdout, /'np t u -s'|--status/)
  })
})
