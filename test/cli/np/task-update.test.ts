import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'vitest'
import { cleanUp, type Desk, lastLine, memoryDesk } from './desk.ts'

cleanUp()
let desk: Desk
let [one, two, three] = ['', '', '']
beforeEach(async () => {
  desk = memoryDesk()
  ;[one, two, three] = (await desk.begin('One', 'Two', 'Three')) as [string, string, string]
})

const update = (...args: string[]) => desk.plan('t', 'u', ...args)
const statuses = async () => (await desk.plan('p')).tasks.map(({ status }) => status)
const count = 4

describe('np t u', () => {
  test('changes a status, prints the plan, and ends with the next step', async () => {
    const text = await desk.np('t', 'u', '-i', one, '-s', 'in_progress')
    assert.match(text, new RegExp(`\n⟳ ${one} {2}One\n☐ ${two} {2}Two\n`))
    assert.equal(lastLine(text), `Next: np t u -i ${one} -s completed`)
  })

  const aliases: readonly [string, string][] = [
    ['in-progress', 'in_progress'],
    ['doing', 'in_progress'],
    ['IN PROGRESS', 'in_progress'],
    ['done', 'completed'],
    ['complete', 'completed'],
    ['cancel', 'cancelled'],
    ['canceled', 'cancelled'],
    ['fail', 'failed'],
  ]
  for (const [word, status] of aliases)
    test(`"${word}" is stored as ${status}`, async () => {
      const { tasks } = await update('-i', one, '-s', word, '-r', 'why')
      assert.equal(tasks[0]?.status, status)
      const event = (await desk.events()).at(-1)
      assert.equal(event?.type === 'task_status_changed' && event.payload.status_after, status)
    })

  test('todo is pending again', async () => {
    await update('-i', one, '-s', 'done')
    assert.equal((await update('-i', one, '-s', 'todo')).tasks[0]?.status, 'pending')
  })

  for (const status of ['failed', 'cancelled'])
    test(`${status} needs a reason: exit 6, and the message names the flag`, async () => {
      const { exit, code, message, next } = await desk.refusal('t', 'u', '-i', one, '-s', status)
      assert.deepEqual([exit, code], [6, 'refused'])
      assert.equal(message, `Changing the status of a task to ${status} needs a reason.`)
      assert.match(next, /-r\/--reason/)
      assert.equal((await desk.events()).length, count)
    })

  for (const flag of ['-t', '-d'])
    test(`${flag} needs a reason: exit 6`, async () => {
      const { exit, next } = await desk.refusal('t', 'u', '-i', one, flag, 'New')
      assert.equal(exit, 6)
      assert.match(next, /-r\/--reason/)
      assert.equal((await desk.events()).length, count)
    })

  test('a status change writes task_status_changed as the seed has it', async () => {
    const { tasks } = await update('-i', one, '-s', 'doing')
    const event = (await desk.events()).at(-1)
    assert.deepEqual(event, {
      seq: 5,
      at: event?.at,
      type: 'task_status_changed',
      reason: null,
      cmd: `np t u -i ${one} -s doing`,
      payload: {
        task_id: one,
        title: 'One',
        status_before: 'pending',
        status_after: 'in_progress',
        updated_at: tasks[0]?.updated_at,
      },
    })
  })

  test('title and status together are two events, task_updated first; the id stays', async () => {
    const { tasks } = await update('-i', one, '-t', 'Uno', '-d', 'x', '-s', 'failed', '-r', 'why')
    assert.deepEqual(
      [tasks[0]?.id, tasks[0]?.title, tasks[0]?.description, tasks[0]?.status],
      [one, 'Uno', 'x', 'failed'],
    )
    const events = (await desk.events()).slice(count)
    assert.deepEqual(
      events.map(({ type, reason }) => [type, reason]),
      [
        ['task_updated', 'why'],
        ['task_status_changed', 'why'],
      ],
    )
  })

  test('a reason is kept also where none is required', async () => {
    await update('-i', one, '-s', 'done', '-r', 'the suite passes')
    assert.equal((await desk.events()).at(-1)?.reason, 'the suite passes')
  })

  test('pairs of -i and -s are a batch', async () => {
    await update('-i', one, '-s', 'done', '-i', two, '-s', 'doing')
    assert.deepEqual(await statuses(), ['completed', 'in_progress', 'pending'])
  })

  test('one -s goes for several -i', async () => {
    await update('-i', one, '-i', three, '-s', 'done')
    assert.deepEqual(await statuses(), ['completed', 'pending', 'completed'])
  })

  test('a batch with one id that is not there changes nothing: exit 3', async () => {
    const { exit, code } = await desk.refusal('t', 'u', '-i', one, '-i', 'ffffff', '-s', 'done')
    assert.deepEqual([exit, code], [3, 'not_found'])
    assert.deepEqual(await statuses(), ['pending', 'pending', 'pending'])
  })

  test('a batch of which one lacks a reason changes nothing: exit 6', async () => {
    const batch = ['-i', one, '-s', 'done', '-i', two, '-s', 'failed']
    assert.equal((await desk.refusal('t', 'u', ...batch)).exit, 6)
    assert.deepEqual(await statuses(), ['pending', 'pending', 'pending'])
  })

  test('the same id twice counts once', async () => {
    await update('-i', one, '-i', one.toUpperCase(), '-s', 'done')
    assert.equal((await desk.events()).length, count + 1)
  })

  test('what is already so says so, exit 0, and writes no event', async () => {
    await update('-i', one, '-s', 'done')
    const { exit, stderr } = await desk.run(['t', 'u', '-i', one, '-s', 'done'])
    assert.deepEqual([exit, stderr], [0, `np: Nothing changed. Already so: ${one} (completed).\n`])
    assert.equal((await desk.events()).length, count + 1)
  })

  test('takes 200 at once, and no more', async () => {
    const ids = Array.from({ length: 201 }, () => ['-i', one]).flat()
    const { exit, message } = await desk.refusal('t', 'u', ...ids, '-s', 'done')
    assert.deepEqual([exit, message], [2, "201 tasks can't be updated at once; the limit is 200."])
  })

  test('reads a new description, or the reason, from stdin', async () => {
    const stdin = 'from `stdin`\n'
    await desk.run(['t', 'u', '-i', one, '-d', '-', '-r', 'why'], { stdin })
    await desk.run(['t', 'u', '-i', two, '-s', 'failed', '-r', '-'], { stdin })
    assert.equal((await desk.plan('p')).tasks[0]?.description, 'from `stdin`')
    assert.equal((await desk.events()).at(-1)?.reason, 'from `stdin`')
  })
})

describe('np t', () => {
  test('lists tasks in the order they were added', async () => {
    assert.equal(await desk.np('t'), `☐ ${one}  One\n☐ ${two}  Two\n☐ ${three}  Three\n`)
  })

  test('-s takes a status or a word for one', async () => {
    await update('-i', two, '-s', 'doing')
    for (const word of ['in_progress', 'doing', 'in-progress'])
      assert.equal(await desk.np('t', '-s', word), `⟳ ${two}  Two\n`)
    const { kind, data, total, shown } = await desk.json('t', '-s', 'pending')
    assert.deepEqual([kind, total, shown], ['task.list', 2, 2])
    assert.deepEqual(
      data.map(({ id }: { id: string }) => id),
      [one, three],
    )
  })

  test('none is an empty list, and says so', async () => {
    assert.deepEqual((await desk.json('t', '-s', 'failed')).data, [])
    const { stdout, stderr } = await desk.run(['t', '-s', 'failed'])
    assert.deepEqual([stdout, stderr], ['', 'np: No task is failed.\n'])
  })

  test('shows of a description the first line', async () => {
    await update('-i', one, '-d', 'first\nsecond', '-r', 'why')
    assert.equal((await desk.lines('t'))[1], '    first…')
  })

  test('shows 50, and says so; --limit and --all show more or less', async () => {
    const titles = Array.from({ length: 57 }, (_, at) => ['-t', `T${at}`]).flat()
    await desk.np('t', 'a', ...titles, '--quiet')
    const { stdout, stderr } = await desk.run(['t', '--json'])
    assert.deepEqual([JSON.parse(stdout).data.length, stderr], [50, '50 of 60\n'])
    assert.equal((await desk.run(['t', '--limit', '7'])).stderr, '7 of 60\n')
    assert.equal((await desk.lines('t', '--all')).length, 60)
    assert.equal((await desk.lines('t', '--limit', '60')).length, 60)
  })
})
