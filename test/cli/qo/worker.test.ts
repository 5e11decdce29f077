import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, test } from 'vitest'
import { eventually, until } from '../../eventually.ts'
import { within } from '../../rounds.ts'
import { unseenIn } from '../../terminal/unseen.ts'
import { cleanUp, Desk, newDirectory } from './desk.ts'
import { Running } from './running.ts'

cleanUp()

let desk: Desk
let env: NodeJS.ProcessEnv = {}
beforeEach(() => {
  const directory = newDirectory()
  desk = new Desk(`sqlite:${join(directory, 'queue.db')}`, directory)
  env = { HOLDFAST_STORE: desk.url }
})

const start = (...args: string[]): Promise<Running> => Running.start(['worker', ...args], env)

const bin = join(process.cwd(), 'bin/qo')

/** A worker that is expected to end by itself. */
const fails = (args: readonly string[], more: NodeJS.ProcessEnv = {}) => {
  const { status, stdout, stderr } = spawnSync(bin, ['worker', ...args], {
    env: { PATH: process.env['PATH'], HOME: desk.directory, ...env, ...more },
    cwd: desk.directory,
    encoding: 'utf8',
    timeout: 120_000,
  })
  return { status, stdout, stderr }
}

/** The same, within this process. */
const refused = async (args: readonly string[]) => {
  const { exit: status, stdout, stderr } = await desk.run(['worker', ...args])
  return { status, stdout, stderr }
}

const handlersFile = `
import { existsSync } from 'node:fs'
export default {
  'wait-for': async ({ file }) => {
    while (!existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 20))
  },
  add: ({ a, b }) => a + b,
  'throws-text': () => { throw 'just a text' },
  'throws-nothing': () => { throw undefined },
  sleep: ({ ms }, { signal }) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => resolve('slept'), ms)
      signal.addEventListener('abort', () => { clearTimeout(timer); reject(signal.reason) })
    }),
  'throws-into-the-open': () => {
    setTimeout(() => { throw new Error('nobody catches this') }, 10)
    return new Promise((resolve) => setTimeout(resolve, 100, 'done'))
  },
  'rejects-into-the-open': () => { Promise.reject(new Error('nor this')); return 'done' },
  'returns-a-function': () => () => 1,
}
`

describe('qo worker --handlers', () => {
  test('runs the functions of a default object, and lives through what they throw', async () => {
    const file = desk.place('handlers.mjs', handlersFile)
    const types = ['add', 'throws-text', 'throws-nothing', 'throws-into-the-open']
    const more = ['rejects-into-the-open', 'returns-a-function']
    const ids = new Map<string, string>()
    for (const type of [...types, ...more]) {
      const { id } = await desk.submit('-t', type, '-i', '{"a": 1, "b": 2}', '--retries', '0')
      ids.set(type, id)
    }
    await using worker = await start('--handlers', file, '--id', 'worker-1')
    for (const id of ids.values())
      await worker.line((line) => line.id === id && line.event !== 'started')
    const ended = async (type: string) => {
      const { status, output, last_error } = await desk.status(ids.get(type) as string)
      return [status, status === 'completed' ? output : last_error]
    }
    assert.deepEqual(await ended('add'), ['completed', 3])
    assert.deepEqual(await ended('throws-text'), ['failed', 'just a text'])
    assert.deepEqual(await ended('throws-nothing'), ['failed', 'undefined'])
    assert.deepEqual(await ended('throws-into-the-open'), ['completed', 'done'])
    assert.deepEqual(await ended('rejects-into-the-open'), ['completed', 'done'])
    const [status, error] = await ended('returns-a-function')
    assert.deepEqual([status, /can't be written as JSON/.test(String(error))], ['failed', true])
    assert.ok(worker.lines.some(({ message }) => /nobody catches this/.test(message)))
    assert.ok(worker.lines.some(({ message }) => /nor this/.test(message)))
    assert.equal(await worker.end('SIGTERM'), 0)
  })

  test('runs named functions, and PermanentError of holdfast/queue fails at once', async () => {
    const good = await desk.submit('-t', 'greet', '-i', '{"name": "Ada"}')
    const bad = await desk.submit('-t', 'greet', '-i', '{}')
    const { id: foreign } = await desk.submit('-t', 'unknown-type')
    await using worker = await start(
      '--handlers',
      join(process.cwd(), 'examples/queue-handlers.js'),
    )
    await worker.event('completed', good.id)
    await worker.event('failed', bad.id)
    assert.deepEqual((await desk.status(good.id)).output, { greeting: 'Hello, Ada!' })
    const { status, retry_count, last_error } = await desk.status(bad.id)
    assert.deepEqual([status, retry_count, last_error], ['failed', 0, 'There is no name to greet.'])
    assert.equal((await desk.status(foreign)).status, 'pending')
    assert.deepEqual((await desk.json('stats')).data.unhandled_types, ['unknown-type'])
    const { data } = await desk.json('workers')
    assert.deepEqual(data[0].task_types, ['count_down', 'fetch_page', 'greet'])
  })

  test('a warning of a handler, which Node prints, does nothing to a terminal', async () => {
    const file = desk.place(
      'warn.mjs',
      "export const warn = () => process.emitWarning('\\u001b]0;title\\u0007\\nforged \\u202e')",
    )
    const { id } = await desk.submit('-t', 'warn')
    await using worker = await start('--handlers', file)
    await worker.event('completed', id)
    await eventually(() =>
      assert.match(worker.stderr, /Warning: \\x1b\]0;title\\x07 forged \\u202e/),
    )
    assert.deepEqual(unseenIn(worker.stderr), [])
  })

  test('takes CommonJS, lists of typed handlers, and other exports beside them', async () => {
    desk.place('old.cjs', 'module.exports = { one: () => 1, limit: 5, two() { return 2 } }')
    desk.place(
      'typed.mjs',
      'export default [{ type: "three", run: () => 3 }]\nexport const four = () => 4, size = 7',
    )
    const ids: string[] = []
    for (const type of ['one', 'two', 'three', 'four']) ids.push((await desk.submit('-t', type)).id)
    const strict = fails(['--handlers', 'old.cjs'])
    assert.deepEqual(
      [strict.status, /"limit" in old\.cjs is no function/.test(strict.stderr)],
      [2, true],
    )
    desk.place('old.cjs', 'module.exports = { one: () => 1, two() { return 2 } }')
    const files = ['old.cjs', 'typed.mjs'].map((name) => join(desk.directory, name))
    await using worker = await start(...files.flatMap((file) => ['--handlers', file]))
    for (const id of ids) await worker.event('completed', id)
    const outputs = await Promise.all(ids.map(async (id) => (await desk.status(id)).output))
    assert.deepEqual(outputs, [1, 2, 3, 4])
  })

  test('a function that blocks the event loop keeps its lease', async () => {
    const file = desk.place(
      'block.mjs',
      'export const block = () => { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4000); return 1 }',
    )
    const { id } = await desk.submit('-t', 'block')
    await using worker = await start('--handlers', file, '--lease', '1s', '--no-monitor')
    await using other = await start('--exec', 'other=cat', '--check-interval', '100ms')
    await worker.event('completed', id)
    const { attempt, last_error } = await desk.status(id)
    assert.deepEqual([attempt, last_error], [1, null])
    assert.ok(!other.lines.some(({ message }) => message.includes(id)))
  })

  test('a file that is missing, broken or empty, and a type with two handlers, are 2', async () => {
    desk.place('broken.mjs', 'export default {')
    desk.place('throws.mjs', 'throw new Error("at once")')
    desk.place('empty.mjs', 'export const limit = 5')
    desk.place('text.mjs', 'export default { x: "text" }')
    desk.place('good.mjs', 'export const x = () => 1')
    const loaded = [
      [['--handlers', 'broken.mjs'], /broken\.mjs can't be loaded: SyntaxError/],
      [['--handlers', 'throws.mjs'], /throws\.mjs can't be loaded: Error: at once/],
      [['--handlers', 'empty.mjs'], /empty\.mjs exports no handlers/],
      [['--handlers', 'text.mjs'], /The handler of "x" in text\.mjs is no function/],
      [['--handlers', 'good.mjs', '--exec', 'x=cat'], /Type "x" has two handlers/],
    ] as const
    const notLoaded = [
      [['--handlers', 'none.mjs'], /There is no file none\.mjs/],
      [['--handlers', '.'], /There is no file \./],
      [['--exec', 'x=cat', '--exec', 'x=cat'], /Type "x" has two handlers/],
      [['--exec', 'cat'], /--exec takes no "cat"/],
      [['--exec', 'x='], /--exec takes no "x="/],
      [['--exec', '=cat'], /--exec takes no "=cat"/],
      [[], /The worker has nothing to run/],
    ] as const
    // Only what is loaded needs a process that loads it as Node does.
    const outcomes = [
      ...loaded.map(([args, words]) => ({ ...fails(args), words })),
      ...(await Promise.all(
        notLoaded.map(async ([args, words]) => ({ ...(await refused(args)), words })),
      )),
    ]
    for (const { status, stdout, stderr, words } of outcomes) {
      assert.deepEqual([status, stdout], [2, ''], stderr)
      assert.match(stderr, words)
    }
  })
})

describe('the end of a worker', () => {
  const sleeper = (): string => desk.place('handlers.mjs', handlersFile)

  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    test(`${signal}: no more claims, what runs is waited for, exit 0, and it is registered no more`, async () => {
      const file = join(desk.directory, 'go-on')
      const { id } = await desk.submit('-t', 'wait-for', '-i', JSON.stringify({ file }))
      await using worker = await start('--handlers', sleeper(), '--concurrency', '1')
      await worker.begun(id)
      assert.equal((await desk.status(id)).status, 'running')
      const { id: next } = await desk.submit('-t', 'sleep', '-i', '{"ms": 1}')
      assert.equal((await desk.json('workers')).total, 1)
      const ended = worker.end(signal)
      await worker.line(({ message }) => message.startsWith(`Ending on ${signal}`))
      assert.equal((await desk.status(id)).status, 'running')
      writeFileSync(file, '')
      assert.equal(await ended, 0)
      assert.equal((await desk.status(id)).status, 'completed')
      const { status, attempt } = await desk.status(next)
      assert.deepEqual([status, attempt], ['pending', 0])
      assert.equal((await desk.json('workers')).total, 0)
    })

  test('what is not done by the deadline is given back without a charge, and run by the next', async () => {
    const { id } = await desk.submit('-t', 'sleep', '-i', '{"ms": 60000}')
    await using worker = await start('--handlers', sleeper(), '--shutdown-deadline', '200ms')
    await worker.begun(id)
    assert.equal((await desk.status(id)).status, 'running')
    assert.equal(await worker.end('SIGTERM'), 0)
    const task = await desk.status(id)
    const { status, retry_count, attempt, lease_id, worker_id, last_error } = task
    assert.deepEqual(
      { status, retry_count, attempt, lease_id, worker_id, last_error },
      {
        status: 'pending',
        retry_count: 0,
        attempt: 1,
        lease_id: null,
        worker_id: null,
        last_error: null,
      },
    )
    assert.ok(Date.parse(task.available_at) <= Date.now())
    await using other = await start('--exec', 'sleep=echo 1')
    await other.event('completed', id)
    assert.equal((await desk.status(id)).attempt, 2)
  })

  test('a command that traps SIGTERM and exits 0 at the deadline has not finished: it is given back', async () => {
    const { id } = await desk.submit('-t', 'x')
    const file = join(desk.directory, 'traps')
    const command = `x=trap 'exit 0' TERM; touch ${file}; sleep 5678901 & wait`
    await using worker = await start('--exec', command, '--shutdown-deadline', '0')
    await until(() => existsSync(file))
    assert.equal(await worker.end('SIGTERM'), 0)
    const { status, retry_count } = await desk.status(id)
    assert.deepEqual([status, retry_count], ['pending', 0])
  })

  test('a second signal ends it at once, and kills its commands', () =>
    // Without the second one its command would have 5 s to end.
    within(4_000, async (timed) => {
      const { id } = await desk.submit('-t', 'x', '--timeout', '1')
      // Nobody else on this machine sleeps for so long.
      const long = `sleep 6${process.pid}`
      const file = join(desk.directory, `traps-${id}`)
      await using worker = await start('--exec', `x=trap '' TERM; touch ${file}; ${long}; ${long}`)
      await until(() => existsSync(file))
      worker.process.kill('SIGTERM')
      await worker.line(({ message }) => /^Ending on SIGTERM/.test(message))
      assert.equal(await timed(() => worker.end('SIGINT')), 1)
      await eventually(() => {
        const { stdout } = spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
        assert.ok(!stdout.includes(long))
      })
      await using other = await start('--exec', 'x=echo 1', '--check-interval', '100ms')
      await other.event('completed', id)
    }))

  test('kill -9: the task is back after its lease, which is renewed while its worker lives', async () => {
    const { id } = await desk.submit('-t', 'sleep', '-i', '{"ms": 60000}', '--retry-initial', '1ms')
    const args = ['--handlers', sleeper(), '--lease', '2s', '--id', 'doomed', '--no-monitor']
    await using worker = await start(...args)
    await worker.begun(id)
    assert.equal((await desk.status(id)).status, 'running')
    const leaseMs = async () => Date.parse((await desk.status(id)).lease_expires_at as string)
    const first = await leaseMs()
    await eventually(async () => assert.ok((await leaseMs()) > first + 2_000))
    const since = performance.now()
    assert.equal(await worker.end('SIGKILL'), 'SIGKILL')
    await using other = await start('--exec', 'sleep=echo 1', '--check-interval', '100ms')
    await other.event('completed', id)
    // The task's own timeout is five minutes.
    assert.ok(performance.now() - since < 60_000)
    const { attempt, retry_count, last_error } = await desk.status(id)
    assert.deepEqual([attempt, retry_count], [2, 1])
    assert.match(last_error as string, /^The lease of worker doomed expired at /)
  })
})
