import assert from 'node:assert/strict'
import { execFile, type SpawnSyncOptions, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, describe, test } from 'vitest'
import { openStore } from '../../../src/store/index.ts'
import { TaskTree } from '../../../src/tree/index.ts'
import { sized } from '../../size.ts'
import { assertLayout } from '../../tree/layout.ts'
import { runForLeavingReader } from '../leaving-reader.ts'
import { cleanUp, newDirectory } from './desk.ts'

cleanUp()

const bin = join(process.cwd(), 'bin/coven')

let folder = ''
let env: NodeJS.ProcessEnv = {}
beforeEach(() => {
  folder = newDirectory()
  env = { PATH: process.env['PATH'], HOME: folder }
})

const coven = (args: readonly string[], options: SpawnSyncOptions = {}) => {
  const { status, stdout, stderr } = spawnSync(bin, args, {
    env,
    cwd: folder,
    ...options,
    encoding: 'utf8',
  })
  return { status, stdout: stdout as string, stderr: stderr as string }
}

const created = (title: string): string =>
  JSON.parse(coven(['task', 'create', '--title', title, '--json']).stdout).data.id

const url = () => `sqlite:${join(folder, '.coven/tasks.db')}`

describe('coven as a process', () => {
  test('a missing store is 4, and nothing is made', () => {
    for (const args of [['task', 'list'], ['maintain'], ['task', 'ready', '--json']])
      assert.equal(coven(args).status, 4)
    assert.deepEqual(readdirSync(folder), [])
  })

  test('init, create, claim and complete from a directory below', () => {
    assert.equal(coven(['init']).status, 0)
    mkdirSync(join(folder, 'a/b'), { recursive: true })
    const cwd = join(folder, 'a/b')
    const { stdout } = coven(['task', 'create', '--title', 'x'], { cwd })
    const [, id = ''] = /^Created task (\S{36})\n$/.exec(stdout) ?? []
    assert.deepEqual(readdirSync(cwd), [])
    const agent = ['--agent-id', 'ann']
    assert.equal(coven(['task', 'claim', id, ...agent], { cwd }).stdout, `Claimed task ${id}\n`)
    assert.equal(coven(['task', 'claim', id, '--agent-id', 'bob']).status, 12)
    assert.equal(coven(['task', 'complete', id, ...agent]).status, 0)
    assert.ok(existsSync(join(folder, '.coven/tasks.db')))
  })

  test('delete does not ask where there is no terminal', () => {
    const id = created('x')
    const { status, stdout } = coven(['task', 'delete', id], { input: '' })
    assert.deepEqual([status, stdout], [0, `Deleted task ${id} (and 0 children)\n`])
  })

  test('a reader who leaves is no failure, and a closed stdout neither', async () => {
    await using store = await openStore(url())
    const tree = new TaskTree(store)
    // More than a pipe holds, and more than are listed without --all.
    for (let at = 0; at < 200; at++) await tree.create({ title: `${at} ${'☕'.repeat(400)}` })
    const args = ['task', 'list', '--all', '--store', url()]
    assert.deepEqual(await runForLeavingReader(bin, args, env), { status: 0, stderr: '' })
    const shell = spawnSync('sh', ['-c', `"${bin}" task list --limit 3 >&-`], { env, cwd: folder })
    assert.equal(shell.status, 0)
    const { stdout } = coven(['task', 'list', '--all'])
    assert.deepEqual([stdout.split('\n').length, stdout.length > 80_000], [201, true])
  })

  test('a store that may not be written is read, and a change is 4', () => {
    const id = created('x')
    chmodSync(join(folder, '.coven/tasks.db'), 0o444)
    const { status, stderr } = coven(['task', 'claim', id, '--agent-id', 'ann'])
    assert.equal(status, 4, stderr)
    assert.match(stderr, /^Error: /)
    assert.equal(coven(['task', 'show', id]).status, 0)
    chmodSync(join(folder, '.coven/tasks.db'), 0o644)
  })

  test('an output that can not be written is told, and the change has happened', () => {
    const id = created('x')
    const script = `"${bin}" task claim ${id} --agent-id ann > /dev/full`
    const { status, stderr } = spawnSync('sh', ['-c', script], {
      env,
      cwd: folder,
      encoding: 'utf8',
    })
    assert.equal(status, 1)
    assert.match(stderr, /^Error: The output could not be written .* may have been done\.\n$/)
    assert.equal(coven(['task', 'reclaim', id, '--agent-id', 'ann']).status, 0)
  })

  test('a file that is no store is 4, and stays as it is', () => {
    mkdirSync(join(folder, '.coven'))
    writeFileSync(join(folder, '.coven/tasks.db'), 'somebody’s notes'.repeat(20))
    assert.equal(coven(['task', 'create', '--title', 'x']).status, 4)
    assert.equal(coven(['task', 'list']).status, 4)
  })

  test('a working directory that is gone is 2, unless a store is named', () => {
    const gone = join(folder, 'gone')
    const script = `mkdir "${gone}" && cd "${gone}" && rmdir "${gone}" && "${bin}"`
    const inGone = (args: string) =>
      spawnSync('sh', ['-c', `${script} ${args}`], { env, encoding: 'utf8' })
    const { status, stderr } = inGone('task list')
    assert.deepEqual([status, /^Error: The working directory is gone/.test(stderr)], [2, true])
    created('x')
    assert.equal(inGone(`task list --store "${url()}"`).status, 0)
  })
})

/** Claims what is ready until nothing is, as an agent in a shell would; answers with what it claimed. */
async function work(agent: string): Promise<string[]> {
  const run = promisify(execFile)
  const options = { env: { ...env, COVEN_AGENT_ID: agent }, cwd: folder }
  const done: string[] = []
  for (;;) {
    const { stdout } = await run(bin, ['task', 'ready', '--json', '--limit', '8'], options)
    const { data } = JSON.parse(stdout)
    if (data.length === 0) return done
    const { id } = data[Math.floor(Math.random() * data.length)]
    try {
      await run(bin, ['task', 'claim', id], options)
      done.push(id)
      await run(bin, ['task', 'complete', id, '--skip-review'], options)
    } catch (error) {
      assert.equal((error as { code: number }).code, 12)
    }
  }
}

const families = sized(1, 7)
const agents = Array.from({ length: sized(3, 8) }, (_, at) => `agent-${at}`)

describe('several processes share one SQLite file', () => {
  test(`${agents.length} agents claim from one tree: each task is claimed by exactly one`, async () => {
    coven(['init'])
    await using store = await openStore(url())
    const tree = new TaskTree(store)
    for (let family = 0; family < families; family++) {
      const { id } = await tree.create({ title: `family ${family}` })
      for (let child = 0; child < 4; child++)
        await tree.create({ title: `child ${child}`, parent_id: id })
    }
    const claims = await Promise.all(agents.map(work))
    const all = claims.flat()
    assert.deepEqual([all.length, new Set(all).size], [5 * families, 5 * families])
    for (const [at, ids] of claims.entries())
      for (const id of ids) {
        const { status, claimed_by } = await tree.get(id)
        assert.deepEqual([status, claimed_by], ['closed', agents[at]])
        const statuses = await tree.history(id, { field: 'status' })
        assert.deepEqual(
          statuses.map(({ changed_by }) => changed_by),
          [agents[at], agents[at]],
        )
      }
    await assertLayout(store)
  })

  test(`${agents.length} processes want the same task: one gets it, the others are told who`, async () => {
    const id = created('the only one')
    const run = promisify(execFile)
    const outcomes = await Promise.all(
      agents.map(async (agent) => {
        try {
          await run(bin, ['task', 'claim', id, '--agent-id', agent], { env, cwd: folder })
          return 0
        } catch (error) {
          const { code, stderr } = error as { code: number; stderr: string }
          assert.match(stderr, /^Error: task already claimed by agent-\d\n$/)
          return code
        }
      }),
    )
    assert.deepEqual(outcomes.sort(), [0, ...agents.slice(1).map(() => 12)])
  })
})
