import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, test } from 'vitest'
import { holdsNothing } from '../../../src/inventory/index.ts'
import type { Task } from '../../../src/queue/index.ts'
import { openStore } from '../../../src/store/index.ts'
import { eventually } from '../../eventually.ts'
import { Served } from '../../http/process.ts'
import { Desk } from './desk.ts'

const execute = promisify(execFile)

/** As `npm start` does it: in the checkout, with a home that is new. */
const started = (desk: Desk, args: readonly string[] = [], cwd = process.cwd()) =>
  Served.start(['--samples', ...args], {
    cwd,
    program: 'holdfast',
    env: { HOME: desk.folder, PATH: `${process.cwd()}/bin:${process.env['PATH']}` },
  })

/** Asked again where the server has just let go of a connection that was idle. */
const read = async <T>(url: string, path: string): Promise<T> => {
  const answer = await fetch(url + path).catch(() => fetch(url + path))
  return (await answer.json()) as T
}

/** Waits until the queue looks so; answers with its tasks by type and status. */
const queueUntil = (url: string, looks: (found: readonly string[]) => boolean) =>
  eventually(async () => {
    const tasks = await read<Task[]>(url, '/api/queue/tasks')
    const found = tasks.map((task) => `${task.task_type} ${task.status} ${task.attempt}`).sort()
    assert.ok(looks(found), found.join('\n'))
    return found
  })

const countsOf = async (url: string) => {
  const paths = ['/api/list/tasks', '/api/plans', '/api/jobs', '/api/tasks', '/api/queue/tasks']
  const lists = await Promise.all(paths.map((path) => read<unknown[]>(url, path)))
  return lists.map(({ length }) => length)
}

/** Runs what it says can be tried, as a person would paste it. */
async function tryAll(desk: Desk, { stdout }: Served, cwd = process.cwd()) {
  const lines = stdout.split('\n').filter((line) => line.startsWith('  '))
  const commands = lines.map((line) => line.trim())
  const env = { HOME: desk.folder, PATH: `${process.cwd()}/bin:${process.env['PATH']}` }
  const said: string[] = []
  for (const command of commands)
    said.push((await execute('sh', ['-c', command], { cwd, env })).stdout)
  return { commands, said }
}

describe('holdfast serve --samples', () => {
  test('fills a new store, works off its queue, and what it says can be tried works', async () => {
    using desk = new Desk()
    await using server = await started(desk)
    const { url } = server
    assert.match(server.stdout, /^Everything is in sqlite:\S+holdfast\.db, with a few samples/m)
    assert.deepEqual(await countsOf(url), [3, 1, 3, 4, 5])
    // One that runs for as long as this test may take.
    const long = { type: 'sample.count_down', input: { from: 600 }, timeout_seconds: 900 }
    const headers = { 'Content-Type': 'application/json' }
    const sent = { method: 'POST', headers, body: JSON.stringify(long) }
    assert.equal((await fetch(`${url}/api/queue/tasks`, sent)).status, 201)
    await queueUntil(url, (found) =>
      [
        'count_down running 1',
        'greet completed 1',
        'greet failed 1',
        'second_try completed 2',
      ].every((each) => found.includes(`sample.${each}`)),
    )
    const { commands, said } = await tryAll(desk, server)
    assert.deepEqual(
      commands.map((command) => command.split(' ')[0]),
      ['bin/ut', 'bin/np', 'bin/qo'],
    )
    assert.match(said[0]!, /Water the plants/)
    assert.match(said[1]!, /Get to know Holdfast/)
    assert.match(said[2]!, /^Task submitted: /)
    await queueUntil(
      url,
      (found) => found.filter((each) => /greet completed/.test(each)).length === 3,
    )
    assert.equal(await server.end('SIGINT'), 0)

    // What ran was given back without a charge; nothing is there twice, and nothing is lost.
    await using again = await started(desk)
    assert.match(again.stdout, /^Everything is in sqlite:\S+holdfast\.db\.$/m)
    assert.deepEqual(await countsOf(again.url), [4, 1, 3, 4, 7])
    await queueUntil(again.url, (found) => found.includes('sample.count_down running 2'))
    assert.equal(await again.end('SIGTERM'), 0)
  })

  test('leaves a store alone that has anything in it, and names it where the next program would not', async () => {
    using desk = new Desk()
    const store = `sqlite:${desk.path('it is mine.db')}`
    await execute('bin/ut', ['add', 'Mine', '--store', store])
    await using server = await started(desk, ['--store', store], desk.folder)
    assert.deepEqual(await countsOf(server.url), [1, 0, 0, 0, 0])
    const { commands } = await tryAll(desk, server, desk.folder)
    for (const command of commands) assert.ok(command.endsWith(` --store '${store}'`), command)
    assert.deepEqual(await countsOf(server.url), [2, 0, 0, 0, 1])
    await queueUntil(server.url, (found) => found.includes('sample.greet completed 1'))
  })

  test('without the option there are no samples, and no worker', async () => {
    using desk = new Desk()
    const store = `sqlite:${desk.path('x.db')}`
    const place = { cwd: desk.folder, program: 'holdfast' }
    await using server = await Served.start(['--store', store], place)
    assert.deepEqual(await read(server.url, '/api/queue/workers'), [])
    assert.equal(await server.end('SIGINT'), 0)
    await using opened = await openStore(store)
    assert.ok(await holdsNothing(opened))
  })
})
