import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, test } from 'vitest'
import { inSomeRound } from '../../rounds.ts'
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

/** Starts to follow; gives what it has said when it ends. */
async function follow(
  ...args: string[]
): Promise<() => Promise<{ status: number | null; stdout: string }>> {
  const child = spawn(bin, ['tail', ...args], {
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', HOLDFAST_STORE: desk.url },
  })
  tail = child
  let stdout = ''
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  const exit = once(child, 'exit')
  await once(child.stderr, 'data')
  await sleep(300)
  return async () => {
    const [status] = await exit
    return { status, stdout }
  }
}

describe('qo tail', inSomeRound, () => {
  test('has a line for each state that a task comes to, and ends by a signal with 0', async () => {
    const ended = await follow()
    const { id } = await desk.ended('completed')
    await sleep(1_000)
    tail?.kill('SIGINT')
    const { status, stdout } = await ended()
    assert.equal(status, 0)
    const time = '\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z'
    assert.match(
      stdout,
      new RegExp(
        `^${time}  pending    work  ${id}\n${time}  running    work  ${id}  attempt 1, by worker-1\n${time}  completed  work  ${id}  attempt 1\n$`,
      ),
    )
  })

  test('--status and --type choose, --limit ends it, --json is an envelope a line', async () => {
    const ended = await follow('--status', 'failed', '--type', 'work', '--limit', '1', '--json')
    await desk.ended('completed')
    await desk.ended('failed', 'other')
    const { id } = await desk.ended('failed')
    const { status, stdout } = await ended()
    assert.equal(status, 0)
    const { v, kind, data } = JSON.parse(stdout)
    assert.deepEqual([v, kind, data.task.id, data.at], [1, 'event', id, data.task.updated_at])
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
