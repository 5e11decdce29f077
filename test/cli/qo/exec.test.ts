import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, test } from 'vitest'
import { cleanUp, Desk, newDirectory } from './desk.ts'
import { Running } from './running.ts'

cleanUp()

let desk: Desk
beforeEach(() => {
  const directory = newDirectory()
  desk = new Desk(`sqlite:${join(directory, 'queue.db')}`, directory)
})

const start = (...args: string[]): Promise<Running> =>
  Running.start(['worker', ...args], { HOLDFAST_STORE: desk.url })

/** How tasks end that these commands are run for, with one retry at most. */
async function outcomes(commands: Readonly<Record<string, string>>, ...args: string[]) {
  const ids = new Map<string, string>()
  for (const type of Object.keys(commands)) {
    const policy = ['--retries', '1', '--retry-initial', '1ms', '--timeout', '60s']
    ids.set(type, (await desk.submit('-t', type, '-i', '{"a": 1}', ...policy)).id)
  }
  const given = Object.entries(commands).flatMap(([type, command]) => [
    '--exec',
    `${type}=${command}`,
  ])
  await using worker = await start(...given, ...args)
  for (const id of ids.values())
    await worker.line(
      (line) => line.id === id && /completed|failed/.test(line.event ?? ''),
      120_000,
    )
  const found: Record<string, unknown[]> = {}
  for (const [type, id] of ids) {
    const { status, attempt, output, last_error } = await desk.status(id)
    found[type] = [status, attempt, status === 'completed' ? output : last_error]
  }
  return found
}

describe('qo worker --exec', () => {
  test('exit codes, output and errors', async () => {
    assert.deepEqual(
      await outcomes({
        json: 'cat',
        nothing: 'true',
        garbage: 'echo "<html> no json"',
        later: 'exit 75',
        never: 'echo because >&2; exit 9',
        killed: 'exit 137',
        flood: 'yes',
        equals: 'A=1; echo "$A"',
      }),
      {
        json: ['completed', 1, { a: 1 }],
        nothing: ['completed', 1, null],
        garbage: ['completed', 1, '<html> no json'],
        later: ['failed', 2, 'The command exited with 75.'],
        never: ['failed', 1, 'The command exited with 9: because'],
        killed: ['failed', 2, 'The command exited with 137 (killed by signal 9).'],
        flood: ['failed', 1, 'The command wrote more than 1000000 bytes to its output.'],
        equals: ['completed', 1, 1],
      },
    )
  })

  test('the log shows no secret of a URL that an error quotes, neither in the message nor next to it', async () => {
    const { id } = await desk.submit('-t', 'leak')
    await using worker = await start('--exec', 'leak=echo nats://ada:zebra@host >&2; exit 9')
    const line = await worker.event('failed', id)
    assert.match(line.message, /nats:\/\/…@host/)
    assert.doesNotMatch(JSON.stringify(worker.lines), /zebra/)
  })

  test('--exec-retry-all makes every failure retryable', async () => {
    const found = await outcomes({ never: 'exit 9' }, '--exec-retry-all')
    assert.deepEqual(found['never'], ['failed', 2, 'The command exited with 9.'])
  })

  test('a command that outlives its timeout is ended and tried again, never two at once', async () => {
    const record = join(desk.directory, 'record')
    const command = `echo begin >> ${record}; trap '' TERM; sleep 7; echo end >> ${record}`
    const { id } = await desk.submit(
      '-t',
      'x',
      '--timeout',
      '1',
      '--retries',
      '1',
      '--retry-initial',
      '1ms',
    )
    await using worker = await start('--exec', `x=${command}`, '--check-interval', '100ms')
    await worker.event('failed', id)
    const { attempt, last_error } = await desk.status(id)
    assert.deepEqual([attempt, last_error], [2, 'The task timed out after 1 s.'])
    const { data } = await desk.json('history', id)
    const moves = data.map(({ task }: { task: { status: string } }) => task.status)
    assert.deepEqual(moves, ['pending', 'running', 'pending', 'running', 'failed'])
  })

  test('the task is named in the environment, with attempt and lease', async () => {
    const { id } = await desk.submit('-t', 'x')
    const command = 'x=printf \'["%s","%s","%s"]\' "$QO_TASK_ID" "$QO_ATTEMPT" "$QO_LEASE_ID"'
    await using worker = await start('--exec', command)
    await worker.event('completed', id)
    const { data } = await desk.json('history', id)
    assert.deepEqual((await desk.status(id)).output, [id, '1', data[1].task.lease_id])
  })

  test('a worker takes as many at once as --concurrency says', async () => {
    const ids: string[] = []
    for (let count = 0; count < 4; count++) ids.push((await desk.submit('-t', 'x')).id)
    const file = join(desk.directory, 'begun-and-ended')
    // The first one waits for a second; then there is time for more to come.
    const second = `until [ $(grep -c begun ${file}) -ge 2 ]; do sleep 0.05; done`
    const command = `echo begun >> ${file}; ${second}; sleep 0.6; echo ended >> ${file}`
    await using worker = await start('--exec', `x=${command}`, '--concurrency', '2')
    for (const id of ids) await worker.event('completed', id)
    let now = 0
    const atOnce = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => (now += line === 'begun' ? 1 : -1))
    assert.deepEqual([atOnce.length, Math.max(...atOnce), now], [8, 2, 0])
  })
})
