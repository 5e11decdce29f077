import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { cleanUp, Desk, memoryDesk, newDirectory, nobody, uuid } from './desk.ts'

cleanUp()

const secondsBetween = (from: string, to: string): number =>
  (Date.parse(to) - Date.parse(from)) / 1000

describe('qo submit', () => {
  test('prints "Task submitted: ID"', async () => {
    const desk = memoryDesk()
    const line = await desk.qo('submit', '--type', 'send_email', '--input', '{"to": "a@b.c"}')
    const [, id = ''] = /^Task submitted: (\S+)\n$/.exec(line) ?? []
    assert.match(id, uuid)
    const task = await desk.status(id)
    assert.deepEqual(
      [task.task_type, task.input, task.status],
      ['send_email', { to: 'a@b.c' }, 'pending'],
    )
  })

  test('-t and -i are short for --type and --input', async () => {
    const task = await memoryDesk().submit('-t', 'x', '-i', '[1,2]')
    assert.deepEqual([task.task_type, task.input], ['x', [1, 2]])
  })

  test('without an input it is null, and the fields have the defaults of the specification', async () => {
    const { id, created_at, ...task } = await memoryDesk().submit('-t', 'x')
    assert.deepEqual(task, {
      task_type: 'x',
      shard: id.charAt(0),
      status: 'pending',
      available_at: created_at,
      lease_expires_at: null,
      input: null,
      output: null,
      timeout_seconds: 300,
      max_retries: 3,
      retry_count: 0,
      retry_policy: {
        initial_interval_ms: 1000,
        max_interval_ms: 60000,
        multiplier: 2,
        jitter_percent: 0.25,
      },
      updated_at: created_at,
      completed_at: null,
      worker_id: null,
      lease_id: null,
      attempt: 0,
      last_error: null,
      idempotency_key: null,
      cancel_requested: false,
      archived_from: null,
      input_ref: null,
      output_ref: null,
    })
  })

  test('the --key of a task that will not run says so, and what to do', async () => {
    const desk = memoryDesk()
    const { id } = await desk.submit('-t', 'x', '--key', 'order-7')
    const again = (...more: string[]) =>
      desk.run(['submit', '-t', 'x', '--key', 'order-7', ...more])
    await desk.qo('cancel', id)
    const told = await again()
    assert.deepEqual(
      [told.exit, told.stdout],
      [0, `Task submitted: ${id} (already there, by its key; it was cancelled)\n`],
    )
    assert.match(told.stderr, new RegExp(`cancelled.*qo replay ${id}.*another key`))
    const quiet = await again('--quiet')
    assert.deepEqual([quiet.exit, quiet.stdout, quiet.stderr], [0, '', told.stderr])
    const json = await again('--json')
    const { kind, data, next } = JSON.parse(json.stdout)
    assert.deepEqual([json.exit, kind, data.id, data.status], [0, 'task', id, 'cancelled'])
    assert.match(next, new RegExp(`qo replay ${id}`))
    assert.equal(data.next, next)
    await desk.qo('archive', id)
    assert.match((await again()).stderr, new RegExp(`qo unarchive ${id}.*qo replay ${id}`))
    await desk.qo('unarchive', id)
    await desk.qo('replay', id)
    const pending = await again('--json')
    assert.equal(JSON.parse(pending.stdout).next, undefined)
    assert.equal(pending.stderr, '')
    const failed = await desk.ended('failed')
    assert.equal((await again()).stderr, '')
    assert.equal((await desk.status(failed.id)).status, 'failed')
  })

  test('- reads the input from stdin, --file from a file', async () => {
    const desk = memoryDesk()
    const { exit, stdout } = await desk.run(['submit', '-t', 'x', '-i', '-', '--json'], {
      stdin: '{"`text`": "€"}\n',
    })
    assert.equal(exit, 0)
    assert.deepEqual(JSON.parse(stdout).data.input, { '`text`': '€' })
    desk.place('input.json', '"from a file"')
    assert.equal((await desk.submit('-t', 'x', '--file', 'input.json')).input, 'from a file')
  })

  test('--timeout, --retries and the retry flags are kept', async () => {
    const task = await memoryDesk().submit(
      ...['-t', 'x', '--timeout', '2m', '--retries', '7', '--retry-initial', '500ms'],
      ...['--retry-max', '1h', '--retry-multiplier', '1.5', '--retry-jitter', '0'],
    )
    assert.deepEqual([task.timeout_seconds, task.max_retries], [120, 7])
    assert.deepEqual(task.retry_policy, {
      initial_interval_ms: 500,
      max_interval_ms: 3_600_000,
      multiplier: 1.5,
      jitter_percent: 0,
    })
  })

  test('timeouts are plain seconds or durations, and round up to whole seconds', async () => {
    const desk = memoryDesk()
    for (const [given, seconds] of [
      ['90', 90],
      ['1', 1],
      ['1s', 1],
      ['1500ms', 2],
      ['5m', 300],
      ['2h', 7200],
      ['7d', 604_800],
    ] as const)
      assert.equal((await desk.submit('-t', 'x', '--timeout', given)).timeout_seconds, seconds)
  })

  test('--at takes any offset of RFC 3339, --delay a duration', async () => {
    const desk = memoryDesk()
    const at = await desk.submit('-t', 'x', '--at', '2099-01-31T08:00:00+01:00')
    assert.equal(at.available_at, '2099-01-31T07:00:00.000Z')
    const delayed = await desk.submit('-t', 'x', '--delay', '90s')
    assert.equal(secondsBetween(delayed.created_at, delayed.available_at), 90)
  })

  test('the same --key is the same task, whatever the input, and says so', async () => {
    const desk = memoryDesk()
    const first = await desk.submit('-t', 'x', '-i', '1', '--key', 'order 7/ä')
    assert.equal(first.idempotency_key, 'order 7/ä')
    const again = await desk.submit('-t', 'x', '-i', '2', '--key', 'order 7/ä')
    assert.deepEqual(again, first)
    assert.equal(
      await desk.qo('submit', '-t', 'x', '--key', 'order 7/ä'),
      `Task submitted: ${first.id} (already there, by its key)\n`,
    )
    assert.equal((await desk.json('list')).total, 1)
  })

  test('--id takes any UUID; one that is taken is a conflict, 5', async () => {
    const desk = memoryDesk()
    const id = 'C0FFEE00-1111-4222-8333-444455556666'
    assert.equal((await desk.submit('-t', 'x', '--id', id)).id, id.toLowerCase())
    assert.equal((await desk.refusal('submit', '-t', 'x', '--id', id)).exit, 5)
    assert.equal((await desk.submit('-t', 'x', '--id', nobody)).shard, '0')
  })

  test('large inputs go to data/, and status shows them whole with --full', async () => {
    const desk = memoryDesk()
    const input = { text: 'x'.repeat(70_000) }
    const { id, ...task } = await desk.submit('-t', 'x', '-i', JSON.stringify(input))
    assert.deepEqual([task.input, task.input_ref], [null, `data/${id.charAt(0)}/${id}/input.json`])
    assert.match(
      await desk.qo('status', id),
      /\ninput: large; it lies at data\/.*--full shows it\n/,
    )
    assert.deepEqual((await desk.json('status', id, '--full')).data.input, input)
    assert.match(await desk.qo('status', id, '--full'), /\ninput: \{"text":"x{70000}"\}\n/)
  })

  test('--quiet prints nothing, and submits', async () => {
    const desk = memoryDesk()
    assert.equal(await desk.qo('submit', '-t', 'x', '--quiet'), '')
    assert.equal((await desk.json('list')).total, 1)
  })
})

describe('qo submit --batch', () => {
  const inputs = Array.from({ length: 1_200 }, (_, at) => JSON.stringify({ at }))

  test('makes a task for each line of stdin, and prints each', async () => {
    const desk = memoryDesk()
    const { exit, stdout, stderr } = await desk.run(
      ['submit', '-t', 'x', '--batch', '-', '--timeout', '9'],
      { stdin: `${inputs.join('\n')}\n\n` },
    )
    assert.deepEqual([exit, stderr], [0, 'qo: 1200 tasks submitted.\n'])
    const ids = [...stdout.matchAll(/^Task submitted: (\S{36})$/gm)].map(([, id]) => id as string)
    assert.equal(new Set(ids).size, 1_200)
    const task = await desk.status(ids[7] as string)
    assert.deepEqual([task.input, task.timeout_seconds], [{ at: 7 }, 9])
  })

  test('makes a task for each line of a file; with --json one list', async () => {
    const desk = memoryDesk()
    desk.place('inputs.ndjson', inputs.slice(0, 3).join('\r\n'))
    const { kind, data, total } = await desk.json('submit', '-t', 'x', '--batch', 'inputs.ndjson')
    assert.deepEqual([kind, total], ['task.list', 3])
    assert.deepEqual((await desk.status(data[2].id)).input, { at: 2 })
  })

  test('a line that is no JSON is named, 2; what came before is told', async () => {
    const desk = memoryDesk()
    const stdin = [...inputs.slice(0, 600), '{oops', ...inputs.slice(0, 3)].join('\n')
    const { exit, stderr } = await desk.run(['submit', '-t', 'x', '--batch', '-'], { stdin })
    assert.equal(exit, 2)
    assert.match(stderr, /^qo: warning: 500 tasks were submitted before this went wrong\.\n/)
    assert.match(stderr, /\nqo: Line 601 is not JSON \(/)
    assert.equal((await desk.json('list', '--all')).total, 500)
  })

  test('a file that is not there is 2', async () => {
    assert.equal((await memoryDesk().refusal('submit', '-t', 'x', '--batch', 'none')).exit, 2)
  })
})

test('a refused duration is told which ones are possible, and never one that is not', async () => {
  const desk = memoryDesk()
  const short = await desk.refusal('submit', '-t', 'x', '--timeout', '500ms')
  assert.match(short.line, /--timeout takes no "500ms"\. Give 1 second to 7 days\. See/)
  const none = await desk.refusal('submit', '-t', 'x', '--timeout', 'soon')
  assert.match(none.line, /Give 1 second to 7 days, as .*90s, 5m/)
})

describe('what can never be a task is 2, and makes no store', () => {
  const valid = ['submit', '-t', 'x']
  const refused: Readonly<Record<string, readonly string[]>> = {
    'no type': ['submit', '-i', '1'],
    'an empty type': ['submit', '-t', ''],
    'a type with a control character': ['submit', '-t', 'a\u0007b'],
    'a type of 201 characters': ['submit', '-t', 'x'.repeat(201)],
    'input that is not JSON': [...valid, '-i', '{to: 1}'],
    'an empty input': [...valid, '-i', ''],
    'input over 1,000,000 bytes': [...valid, '-i', `"${'x'.repeat(1_000_000)}"`],
    'a number that would be rounded': [...valid, '-i', '{"id": 12345678901234567890}'],
    'input given twice': [...valid, '-i', '1', '--file', 'x'],
    'a file that is not there': [...valid, '--file', 'none.json'],
    'a timeout of nothing': [...valid, '--timeout', '0'],
    'a timeout under 1 s': [...valid, '--timeout', '999ms'],
    'a negative timeout': [...valid, '--timeout', '-5'],
    'a timeout over 7 days': [...valid, '--timeout', '7.01d'],
    'a huge timeout': [...valid, '--timeout', '999999999999'],
    'a timeout that is no duration': [...valid, '--timeout', 'soon'],
    'negative retries': [...valid, '--retries', '-1'],
    'retries that are no number': [...valid, '--retries', '1.5'],
    'a time without an offset': [...valid, '--at', '2027-01-31T08:00:00'],
    'the 30th of February': [...valid, '--at', '2027-02-30T08:00:00Z'],
    'a time that is none': [...valid, '--at', 'tomorrow'],
    'a delay that is none': [...valid, '--delay', 'a while'],
    'a time and a delay': [...valid, '--at', '2027-01-31T08:00:00Z', '--delay', '1s'],
    'an empty key': [...valid, '--key', ''],
    'a key of more than 4 KiB': [...valid, '--key', 'k'.repeat(4097)],
    'an id that is no UUID': [...valid, '--id', 'abcd'],
    'a multiplier below 1': [...valid, '--retry-multiplier', '0.5'],
    'a jitter above 1': [...valid, '--retry-jitter', '1.1'],
    'a word too many': [...valid, 'word'],
    'an unknown option': [...valid, '--prio', '1'],
  }
  for (const [name, args] of Object.entries(refused))
    test(name, async () => {
      const directory = newDirectory()
      const desk = new Desk(`sqlite:${join(directory, 'queue.db')}`, directory)
      const { exit, code } = await desk.refusal(...args)
      assert.deepEqual([exit, code], [2, 'invalid'])
      assert.ok(!existsSync(join(directory, 'queue.db')))
    })
})
