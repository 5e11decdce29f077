import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import type { Task } from '../../../src/queue/index.ts'
import { nextMillisecond } from '../../eventually.ts'
import { cleanUp, type Desk, memoryDesk, nobody } from './desk.ts'

cleanUp()

/** Tasks one after another, each later than the one before. */
async function submitted(desk: Desk, count: number, ...args: string[]): Promise<Task[]> {
  const tasks: Task[] = []
  for (let at = 0; at < count; at++) {
    tasks.push(await desk.submit('-t', 'x', '-i', String(at), ...args))
    await nextMillisecond()
  }
  return tasks
}

const idsOf = (tasks: readonly Task[]) => tasks.map(({ id }) => id)

describe('qo list', () => {
  test('lists the newest first, with the whole id where a program reads', async () => {
    const desk = memoryDesk()
    const tasks = await submitted(desk, 3)
    const { v, kind, data, total, shown } = await desk.json('list')
    assert.deepEqual({ v, kind, total, shown }, { v: 1, kind: 'task.list', total: 3, shown: 3 })
    assert.deepEqual(idsOf(data), idsOf(tasks).reverse())
    const [line] = await desk.lines('list')
    const created = tasks[2]?.created_at.replace(/\.\d+Z$/, 'Z')
    assert.equal(line, `${tasks[2]?.id}  pending  x  ${created}`)
  })

  test('--limit cuts it, and says so on stderr', async () => {
    const desk = memoryDesk()
    const tasks = await submitted(desk, 5)
    const { exit, stdout, stderr } = await desk.run(['list', '--limit', '2', '--json'])
    const { data, total, shown } = JSON.parse(stdout)
    assert.deepEqual([exit, stderr, total, shown], [0, '2 of 5\n', 5, 2])
    assert.deepEqual(idsOf(data), idsOf(tasks).reverse().slice(0, 2))
  })

  test('shows 50 unless it is told otherwise, and everything with --all', async () => {
    const desk = memoryDesk()
    const stdin = Array.from({ length: 60 }, (_, at) => at).join('\n')
    await desk.run(['submit', '-t', 'x', '--batch', '-'], { stdin })
    const { stdout, stderr } = await desk.run(['list'])
    assert.deepEqual([stdout.split('\n').length - 1, stderr], [50, '50 of 60\n'])
    assert.equal((await desk.lines('list', '--all')).length, 60)
  })

  test('--type, --status and --shard choose', async () => {
    const desk = memoryDesk()
    const failed = await desk.ended('failed', 'bad')
    const tasks = await submitted(desk, 8)
    const one = tasks[0] as Task
    const list = async (...args: string[]) => (await desk.json('list', ...args)).data as Task[]
    assert.deepEqual(idsOf(await list('--type', 'bad')), [failed.id])
    assert.deepEqual(idsOf(await list('-t', 'bad')), [failed.id])
    assert.deepEqual(idsOf(await list('--status', 'failed')), [failed.id])
    assert.equal((await list('--status', 'pending')).length, 8)
    assert.deepEqual(await list('--status', 'running'), [])
    const inShard = [failed, ...tasks].filter(({ shard }) => shard === one.shard)
    const found = await list('--shard', one.shard.toUpperCase())
    assert.deepEqual(idsOf(found).sort(), idsOf(inShard).sort())
  })

  test('archived ones are listed only with --status archived or --all', async () => {
    const desk = memoryDesk()
    const { id } = await desk.ended('completed')
    await desk.qo('archive', id)
    assert.equal((await desk.json('list')).total, 0)
    assert.deepEqual(idsOf((await desk.json('list', '--status', 'archived')).data), [id])
    assert.deepEqual(idsOf((await desk.json('list', '--all')).data), [id])
  })

  test('on a terminal lines fit, ids are short, and an empty list says so', async () => {
    const desk = memoryDesk()
    const none = await desk.run(['list', '--status', 'running', '--store', 'memory:'], {
      isTerminal: true,
    })
    assert.equal(none.exit, 4)
    const { id } = await desk.ended('failed')
    const { stdout, stderr } = await desk.run(['list'], { isTerminal: true, columns: 60 })
    assert.equal(stderr, '')
    assert.match(stdout, new RegExp(`^${id.slice(0, 13)}  failed  work  \\S{20}  out of o…\n$`))
    const empty = await desk.run(['list', '--status', 'running'], { isTerminal: true })
    assert.deepEqual([empty.stdout, empty.stderr], ['', 'qo: No task matches.\n'])
  })

  test('says why a pending task waits, and who runs a running one', async () => {
    const desk = memoryDesk()
    await desk.submit('-t', 'later', '--at', '2099-01-01T00:00:00Z')
    assert.match(await desk.qo('list'), / {2}from 2099-01-01T00:00:00Z on\n$/)
  })

  test('a task that is corrupt is named in a warning, and passed over', async () => {
    const desk = memoryDesk()
    const [good, bad] = await submitted(desk, 2)
    await desk.overwrite(bad!.id, '{"id":')
    const { exit, stdout, stderr } = await desk.run(['list', '--json'])
    assert.deepEqual([exit, idsOf(JSON.parse(stdout).data)], [0, [good!.id]])
    assert.match(stderr, new RegExp(`^qo: warning: .*${bad!.id}`))
    const { exit: shown, code } = await desk.refusal('status', bad!.id)
    assert.deepEqual([shown, code], [1, 'corrupt'])
  })

  test('bad filters are 2', async () => {
    const desk = memoryDesk()
    for (const args of [
      ['--status', 'done'],
      ['--shard', 'g'],
      ['--shard', '10'],
      ['--limit', '0'],
      ['--limit', '1001'],
      ['--limit', '5', '--all'],
      ['--type', ''],
    ])
      assert.equal((await desk.refusal('list', ...args)).exit, 2, args.join(' '))
  })
})

describe('qo status', () => {
  test('shows a task by its id or the start of it, with or without dashes', async () => {
    const desk = memoryDesk()
    const { id } = await desk.submit('-t', 'x', '-i', '{"a": 1}')
    const bare = id.replaceAll('-', '')
    for (const given of [
      id,
      id.toUpperCase(),
      bare,
      id.slice(0, 4),
      id.slice(0, 9),
      bare.slice(0, 14),
    ])
      assert.equal((await desk.status(given)).id, id, given)
    const lines = await desk.lines('status', id)
    assert.deepEqual(lines.slice(0, 3), [`id: ${id}`, 'task_type: x', 'status: pending'])
    assert.equal(lines.at(-1), 'input: {"a":1}')
  })

  test('shows the output, and when it was completed', async () => {
    const desk = memoryDesk()
    const { id } = await desk.ended('completed')
    const { output, completed_at, lease_id, worker_id, attempt } = await desk.status(id)
    assert.deepEqual([output, lease_id, worker_id, attempt], ['done', null, null, 1])
    assert.match(completed_at as string, /^\d{4}-.*Z$/)
    assert.match(await desk.qo('status', id), /\noutput: "done"\n$/)
  })

  test('what is no id, or too short, is 2; nobody is 3; several are 5 with candidates', async () => {
    const desk = memoryDesk()
    await desk.submit('-t', 'x', '--id', 'abcd0000-0000-4000-8000-000000000001')
    await desk.submit('-t', 'x', '--id', 'abcd0000-0000-4000-8000-000000000002')
    for (const given of ['abc', 'abcg', `${nobody}0`, '', 'zzzz-zzzz'])
      assert.equal((await desk.refusal('status', given)).exit, 2, given)
    const missing = await desk.refusal('status', nobody)
    assert.deepEqual([missing.exit, missing.code], [3, 'not_found'])
    assert.equal((await desk.refusal('status', 'abcd1')).exit, 3)
    const { exit, code, stderr, ...told } = await desk.refusal('status', 'abcd')
    assert.deepEqual([exit, code], [5, 'ambiguous'])
    assert.equal((told as { count?: number }).count, 2)
    assert.match(stderr, /\n {2}abcd0000-0000-4000-8000-000000000002 {2}pending/)
  })
})

describe('qo history', () => {
  test('is a list of {version, at, task}, the oldest first', async () => {
    const desk = memoryDesk()
    const { id } = await desk.submit('-t', 'x', '--retries', '1', '--retry-initial', '1ms')
    await desk.work([id], {
      x: (_, { attempt }) => {
        if (attempt === 1) throw new Error('once')
        return attempt
      },
    })
    const { kind, data } = await desk.json('history', id)
    assert.equal(kind, 'history')
    const statuses = data.map(({ task }: { task: Task }) => task.status)
    assert.deepEqual(statuses, ['pending', 'running', 'pending', 'running', 'completed'])
    for (const [at, version] of data.entries()) {
      assert.deepEqual(Object.keys(version), ['version', 'at', 'task'])
      assert.deepEqual([version.version, version.at], [at + 1, version.task.updated_at])
    }
    const lines = await desk.lines('history', id)
    assert.match(lines[1]!, /^2 {2}\S+Z {2}running {4}attempt 1, by worker-1$/)
    assert.match(lines[2]!, /^3 {2}\S+Z {2}pending {4}attempt 1, .*once$/)
  })

  test('shows the last ones where it is cut, and says so', async () => {
    const desk = memoryDesk()
    const { id } = await desk.ended('completed')
    const { stdout, stderr } = await desk.run(['history', id, '--limit', '1'])
    assert.match(stdout, /^3 {2}\S+ {2}completed {2}attempt 1\n$/)
    assert.equal(stderr, '1 of 3\n')
    assert.equal((await desk.refusal('history', nobody)).exit, 3)
  })
})

describe('qo stats', () => {
  test('counts by status and type, and names the types that nobody handles', async () => {
    const desk = memoryDesk()
    await desk.ended('completed', 'good')
    await desk.ended('failed', 'bad')
    await desk.submit('-t', 'waiting')
    const none = { pending: 0, running: 0, completed: 0, failed: 0, archived: 0, cancelled: 0 }
    const { kind, data } = await desk.json('stats')
    assert.deepEqual(
      [kind, data],
      [
        'stats',
        {
          total: 3,
          by_status: { ...none, pending: 1, completed: 1, failed: 1 },
          by_type: {
            bad: { ...none, failed: 1 },
            good: { ...none, completed: 1 },
            waiting: { ...none, pending: 1 },
          },
          unhandled_types: ['waiting'],
        },
      ],
    )
    const lines = await desk.lines('stats')
    assert.equal(lines[0], '         pending  running  completed  failed  archived  cancelled')
    assert.equal(lines[3], 'waiting        1        0          0       0         0          0')
    assert.deepEqual(lines.slice(-2), ['3 tasks', 'No active worker handles waiting.'])
  })
})
