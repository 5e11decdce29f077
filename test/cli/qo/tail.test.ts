import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { runForLeavingReader } from '../leaving-reader.ts'
import { cleanUp, Desk, newDirectory } from './desk.ts'

cleanUp()

const bin = join(process.cwd(), 'bin/qo')

let desk: Desk
let tail: ChildProcess | undefined
beforeEach(async () => {
  const directory = newDirectory()
  desk = new Desk(`sqlite:${join(directory, 'queue.db')}`, directory)
  await desk.submit('-t', 'before')
})
afterEach(() => {
  tail?.kill('SIGKILL')
})

/** Starts to follow; knows what it has said. */
async function follow(...args: string[]) {
  const child = spawn(bin, ['tail', ...args], {
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', HOLDFAST_STORE: desk.url },
  })
  tail = child
  const said = { stdout: '' }
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    said.stdout += chunk
  })
  const ended = once(child, 'close').then(([status]) => status as number | null)
  await once(child.stderr, 'data')
  return { said, ended }
}

describe('qo tail', () => {
  test('has a line for each state that a task comes to, and ends by a signal with 0', async () => {
    const { said, ended } = await follow()
    // It follows as soon as it tells of anything.
    await eventually(async () => {
      if (said.stdout === '') await desk.submit('-t', 'first')
      assert.notEqual(said.stdout, '')
    })
    const { id } = await desk.ended('completed')
    await eventually(() => assert.match(said.stdout, /completed {2}work/))
    tail?.kill('SIGINT')
    assert.equal(await ended, 0)
    const time = '\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z'
    assert.match(
      said.stdout.replaceAll(/^\S+ {2}pending {4}first .*\n/gm, ''),
      new RegExp(
        `^${time}  pending    work  ${id}\n${time}  running    work  ${id}  attempt 1, by worker-1\n${time}  completed  work  ${id}  attempt 1\n$`,
      ),
    )
  })

  test('--status and --type choose, --limit ends it, --json is an envelope a line', async () => {
    const chosen = ['--status', 'failed', '--type', 'work', '--limit', '1', '--json']
    const { said, ended } = await follow(...chosen)
    const failed: string[] = []
    // What happens before it follows it can't tell.
    while (tail?.exitCode === null) {
      await desk.ended('completed')
      await desk.ended('failed', 'other')
      failed.push((await desk.ended('failed')).id)
      await Promise.race([ended, sleep(1_000)])
    }
    assert.equal(await ended, 0)
    const { v, kind, data } = JSON.parse(said.stdout)
    assert.deepEqual([v, kind, data.at], [1, 'event', data.task.updated_at])
    assert.ok(failed.includes(data.task.id))
  })

  test('a reader who leaves ends it', async () => {
    const done = runForLeavingReader(bin, ['tail', '--store', desk.url], {
      PATH: process.env['PATH'],
      HOME: '/nonexistent',
    })
    let isDone = false
    void done.then(() => {
      isDone = true
    })
    while (!isDone) {
      await desk.submit('-t', 'x')
      await sleep(100)
    }
    assert.equal((await done).status, 0)
  })

  test('an unknown status, a bad type and a bad limit are 2', async () => {
    for (const args of [
      ['--status', 'x'],
      ['--type', ''],
      ['--limit', '0'],
    ])
      assert.equal((await desk.refusal('tail', ...args)).exit, 2)
  })
})
