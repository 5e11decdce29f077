import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, test } from 'vitest'
import {
  type CommandOptions,
  commandHandler,
  type Json,
  PermanentError,
  type Task,
} from '../../../src/queue/index.ts'
import { retryPolicyDefault } from '../../../src/queue/retry.ts'
import { newTask } from '../../../src/queue/task.ts'
import { until } from '../../eventually.ts'
import { within } from '../../rounds.ts'

const folder = mkdtempSync(join(tmpdir(), 'holdfast-exec-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const now = new Date().toISOString()
const task: Task = {
  ...newTask({
    id: '7019a8c3-1f20-8b1e-9d3c-5a6f00112233',
    task_type: 'x',
    available_at: now,
    created_at: now,
    input: null,
    input_ref: null,
    timeout_seconds: 300,
    max_retries: 3,
    retry_policy: retryPolicyDefault,
    idempotency_key: null,
  }),
  lease_id: 'c0ffee00-1111-4222-8333-444455556666',
}

interface Given extends CommandOptions {
  readonly input?: Json
  readonly signal?: AbortSignal
}

/** What a worker would make of the command. */
const run = async (
  command: string,
  { input = null, signal = new AbortController().signal, ...options }: Given = {},
): Promise<unknown> => {
  const context = { task, attempt: 2, signal, progress: () => {}, extend: async () => {} }
  return commandHandler('x', command, options).run(input as never, context)
}

const failure = (command: string, given?: Given): Promise<Error> =>
  run(command, given).then(
    (output) => assert.fail(`it returned ${JSON.stringify(output)}`),
    (error: Error) => error,
  )

const isPermanent = (error: Error): boolean => error instanceof PermanentError

/** Whether a process runs that has this text in its command line. */
/** Nobody else on this machine sleeps for so long. */
const long = (nth: number): string => `sleep ${nth}${process.pid}`

const isRunning = (text: string): boolean =>
  execFileSync('ps', ['-eo', 'stat,args'], { encoding: 'utf8' })
    .split('\n')
    .some((line) => line.includes(text) && !/^\s*Z/.test(line))

describe('a command as a handler', () => {
  test('gets the input as JSON on stdin, and its output is JSON', async () => {
    assert.deepEqual(await run('cat', { input: { a: [1, 'ä'] } }), { a: [1, 'ä'] })
    assert.equal(await run('read line; echo 41', { input: 'x' }), 41)
  })

  test('finds task, attempt and lease in its environment, and what else is there', async () => {
    const command = 'echo "[\\"$QO_TASK_ID\\", $QO_ATTEMPT, \\"$QO_LEASE_ID\\", \\"$MORE\\"]"'
    const env = { PATH: process.env['PATH'], MORE: 'yes' }
    assert.deepEqual(await run(command, { env }), [task.id, 2, task.lease_id, 'yes'])
  })

  test('exit 0 with empty output is null', async () => {
    assert.equal(await run('true'), null)
    assert.equal(await run('echo'), null)
  })

  test('output that is not JSON is kept as a text, also where it is no UTF-8', async () => {
    assert.equal(await run('echo not json'), 'not json')
    assert.equal(await run("printf 'two\\nlines\\n'"), 'two\nlines')
    assert.equal(await run("printf '\\377\\000'"), '\ufffd\0')
  })

  test('need not read its input', async () => {
    assert.equal(await run('exec 0<&-; echo 1', { input: 'x'.repeat(900_000) }), 1)
  })

  test('exit 75 is tried again; any other code is permanent; the end of stderr tells why', async () => {
    const later = await failure('echo busy >&2; exit 75')
    assert.deepEqual(
      [isPermanent(later), later.message],
      [false, 'The command exited with 75: busy'],
    )
    for (const code of [1, 2, 74, 76, 126, 127])
      assert.ok(isPermanent(await failure(`exit ${code}`)), String(code))
    assert.ok(isPermanent(await failure('no-such-command-at-all')))
    assert.equal((await failure('exit 3')).message, 'The command exited with 3.')
  })

  test('with retryAll every failure is tried again', async () => {
    assert.ok(!isPermanent(await failure('exit 3', { retryAll: true })))
  })

  test('killed by a signal, or 128 and more from the shell, is tried again', async () => {
    const killed = await failure('kill -9 $$')
    assert.deepEqual(
      [isPermanent(killed), killed.message],
      [false, 'The command was killed by SIGKILL.'],
    )
    const told = await failure('exit 137')
    assert.deepEqual(
      [isPermanent(told), told.message],
      [false, 'The command exited with 137 (killed by signal 9).'],
    )
    assert.ok(!isPermanent(await failure('exit 128')))
  })

  test('1,000,000 bytes are taken; more are a permanent error', async () => {
    const most = `head -c 999998 /dev/zero | tr '\\0' x | sed 's/^/"/; s/$/"/'`
    assert.equal(((await run(most)) as string).length, 999_998)
    const error = await failure('head -c 1000001 /dev/zero')
    assert.deepEqual(
      [isPermanent(error), error.message],
      [true, 'The command wrote more than 1000000 bytes to its output.'],
    )
  })

  test('a flood that never ends is ended, and does not fill the memory', async () => {
    const before = process.memoryUsage().rss
    assert.ok(isPermanent(await failure('yes "flood $$"')))
    // Twenty megabytes a second until it is killed, in few writes: it is not the processor that is to be flooded.
    const block = "block=$(head -c 1000000 /dev/zero | tr '\\0' x)"
    const on = 'while :; do echo "flooding-on $block"; sleep 0.05; done'
    assert.ok(isPermanent(await failure(`trap '' TERM PIPE; ${block}; ${on}`)))
    assert.ok(process.memoryUsage().rss - before < 100_000_000)
    assert.ok(!isRunning('flooding-on'))
  })

  test('a flood of errors is cut, and its end kept', async () => {
    const error = await failure(
      'i=0; while [ $i -lt 3000 ]; do echo "line $i"; i=$((i+1)); done >&2; exit 1',
    )
    assert.ok(error.message.length < 5_000)
    assert.match(error.message, /^The command exited with 1: …line \d+\n.*\nline 2999$/s)
  })

  test('what it leaves behind in its group is ended', async () => {
    assert.equal(await run(`${long(1)} & echo 1`), 1)
    assert.ok(!isRunning(long(1)))
  })
})

describe('a command that is aborted', () => {
  /** Gets it to where it has set its trap; to be aborted then, and asked what came of it. */
  const begun = async (trap: string, command: string, why: unknown) => {
    const controller = new AbortController()
    const file = join(folder, crypto.randomUUID())
    const given = { signal: controller.signal }
    const failing = failure(`trap ${trap} TERM; touch ${file}; ${command}`, given)
    await until(() => existsSync(file))
    return (): Promise<Error> => {
      controller.abort(why)
      return failing
    }
  }

  test('gets SIGTERM, with all that it started', () =>
    within(3_000, async (timed) => {
      const file = join(folder, 'terminated')
      const reason = new Error('cancelled', { cause: 'cancelled' })
      const trap = `'echo told > ${file}; exit 0'`
      const abort = await begun(trap, `${long(2)} & ${long(2)} & wait`, reason)
      assert.equal(await timed(abort), reason)
      assert.equal(readFileSync(file, 'utf8'), 'told\n')
      assert.ok(!isRunning(long(2)))
    }))

  test('is killed 5 s later where it ignores that, its children too', () =>
    within(8_000, async (timed) => {
      const reason = new Error('timed out', { cause: 'timeout' })
      const command = `(trap '' TERM; ${long(3)}; ${long(3)}) & ${long(3)}; ${long(3)}`
      const abort = await begun("''", command, reason)
      const start = performance.now()
      assert.equal(await timed(abort), reason)
      assert.ok(performance.now() - start > 4_900)
      assert.ok(!isRunning(long(3)))
    }))

  test('is killed at once where its lease is lost', () =>
    within(2_000, async (timed) => {
      const reason = new Error('lost', { cause: 'lost' })
      const abort = await begun("''", `${long(4)}; ${long(4)}`, reason)
      assert.equal(await timed(abort), reason)
      assert.ok(!isRunning(long(4)))
    }))

  test('is not begun where that comes first', async () => {
    const file = join(folder, 'begun')
    const signal = AbortSignal.abort(new Error('too late'))
    assert.equal((await failure(`touch ${file}`, { signal })).message, 'too late')
    // No event tells that it does not begin.
    await sleep(50)
    assert.ok(!existsSync(file))
  })
})
